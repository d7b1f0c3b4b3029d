import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileServer } from './static-server.test-support.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const PACKAGE = join(ROOT, 'packages/fossick');
const LIBRARY = join(PACKAGE, 'dist/browser');
const BROWSER = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
const isBuilt = process.env['FOSSICK_TEST_BUILT'] === '1' && existsSync(LIBRARY);
/** Tools that this checkout does not have are installed once by npm. */
const TOOLS = join(ROOT, 'node_modules/.cache/bundlers');
const WANTED = { webpack: '5.112.1', 'webpack-cli': '7.3.1', esbuild: '0.28.2' };

/** A page of a user: the import, and the address of the kernel where the tool does not find it itself. */
const page = (kernel: string): string => `${kernel === '' ? '' : `import kernel from 'fossick/kernel.wasm';`}
import { createEngine } from 'fossick/web';
const engine = await createEngine(${kernel === '' ? '' : '{ kernel }'});
await engine.index('films').add([{ id: 1, title: 'Star Wars' }, { id: 2, title: 'Heat' }]);
const { hits } = await engine.index('films').search('star wrs');
document.title = hits[0].title;
`;
const HTML =
  '<!doctype html><meta charset="utf-8"><title>waiting</title><script type="module" src="./main.js"></script>';

interface Tool {
  /** Whether the page passes the kernel's address. */
  readonly kernel: boolean;
  /** Builds `main.js` of a project into its folder `out`. */
  readonly build: (folder: string) => Promise<unknown>;
}
const program = (name: string): string => join(ROOT, 'node_modules/.bin', name);

const BUNDLERS: Readonly<Record<string, Tool>> = {
  vite: {
    kernel: false,
    build: (cwd) => run(program('vite'), ['build', '--outDir', 'out', '--base', './', '--logLevel', 'error'], { cwd }),
  },
  rolldown: {
    kernel: false,
    async build(cwd) {
      await run(program('rolldown'), ['main.js', '--dir', 'out', '--format', 'esm', '--platform', 'browser'], { cwd });
      cpSync(join(cwd, 'index.html'), join(cwd, 'out/index.html'));
      cpSync(join(LIBRARY, 'kernel.wasm'), join(cwd, 'out/kernel.wasm'));
    },
  },
  esbuild: {
    kernel: true,
    async build(cwd) {
      const options = [
        '--bundle',
        '--format=esm',
        '--splitting',
        '--outdir=out',
        '--loader:.wasm=file',
        '--target=es2022',
      ];
      await run(join(TOOLS, 'node_modules/.bin/esbuild'), ['main.js', ...options], { cwd });
      cpSync(join(cwd, 'index.html'), join(cwd, 'out/index.html'));
    },
  },
  webpack: {
    kernel: false,
    async build(cwd) {
      const options = [
        '--mode',
        'production',
        '--entry',
        './main.js',
        '--output-path',
        'out',
        '--output-filename',
        'main.js',
      ];
      await run(join(TOOLS, 'node_modules/.bin/webpack'), options, { cwd });
      cpSync(join(cwd, 'index.html'), join(cwd, 'out/index.html'));
    },
  },
  'no bundler': {
    kernel: false,
    async build(cwd) {
      cpSync(LIBRARY, join(cwd, 'out/library'), { recursive: true });
      const map = '<script type="importmap">{"imports":{"fossick/web":"./library/index.js"}}</script>';
      writeFileSync(join(cwd, 'out/index.html'), HTML.replace('<script', `${map}<script`));
      cpSync(join(cwd, 'main.js'), join(cwd, 'out/main.js'));
    },
  },
};

describe.skipIf(!isBuilt || BROWSER === undefined)('a page of a user is built and searches', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-bundlers-'));
  const server = new FileServer({
    folders: Object.fromEntries(
      Object.keys(BUNDLERS).map((name) => [encodeURIComponent(name), join(folder, name, 'out')]),
    ),
  });
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    url = await server.start();
    browser = await chromium.launch({ executablePath: BROWSER!, args: ['--no-sandbox', '--disable-gpu'] });
    if (Object.keys(WANTED).every((name) => existsSync(join(TOOLS, 'node_modules', name)))) return;
    mkdirSync(TOOLS, { recursive: true });
    writeFileSync(join(TOOLS, 'package.json'), JSON.stringify({ private: true, devDependencies: WANTED }));
    await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: TOOLS });
  });
  afterAll(async () => {
    await browser?.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(Object.keys(BUNDLERS))('with %s', async (name) => {
    const tool = BUNDLERS[name]!;
    const project = join(folder, name);
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    mkdirSync(join(project, 'out'));
    symlinkSync(PACKAGE, join(project, 'node_modules/fossick'));
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    writeFileSync(join(project, 'index.html'), HTML);
    writeFileSync(join(project, 'main.js'), page(tool.kernel ? 'given' : ''));
    await tool.build(project);
    const opened = await browser.newPage();
    opened.setDefaultTimeout(120_000);
    const faults: string[] = [];
    opened.on('pageerror', (error) => faults.push(error.message));
    await opened.goto(`${url}/${encodeURIComponent(name)}/index.html`);
    await opened
      .waitForFunction(() => document.title !== 'waiting', undefined, { timeout: 120_000 })
      .catch(() => undefined);
    expect([await opened.title(), faults]).toEqual(['Star Wars', []]);
    expect(readFileSync(join(project, 'out/index.html'), 'utf8')).toContain('<script');
    await opened.close();
  });
});
