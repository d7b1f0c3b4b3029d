/** Runs the steps of docs/guides as their first lines say, in empty folders; what cannot be installed is named. */
import { type ExecFileOptions, execFile } from 'node:child_process';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BROWSER, TestPage } from '../dashboard/page.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from '../reliability/launch.test-support.js';
import { browsed, ExportDouble, scrolled } from './export-doubles.test-support.js';
import { type Block, blocksOf, ROOT, Shell } from './page-blocks.test-support.js';

const run = promisify(execFile);
const INSTALL_MS = 550_000;
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
/** The file that a block is, by its first line. */
const FILE_LINE = /^(?:\/\/|#|<!--) (\S+\/\S+\.\w+|\w+\.py)(?: -->)?\n/;
const QUIET_NPM = { npm_config_yes: 'true', npm_config_fund: 'false', npm_config_audit: 'false' };
/** Runs commands as in a terminal, where there is one to be had: a program that asks something there waits until the time is over. */
function runInTerminal(commands: string, options: ExecFileOptions): Promise<unknown> {
  const script = '/usr/bin/script';
  if (process.platform !== 'linux' || !existsSync(script)) return run('sh', ['-ec', commands], options);
  return run(script, ['--quiet', '--return', '--command', `set -e\n${commands}`, '/dev/null'], options);
}
/** A guide, the answers of the double, and its script with the address of the double. */
type Export = readonly [string, typeof browsed, (script: string, at: string) => string];
const guide = (name: string): Block[] => blocksOf(readFileSync(join(ROOT, 'docs/guides', `${name}.md`), 'utf8'));

describe.skipIf(!isBuilt)('guides', () => {
  let server: ServerProcess;
  let database: string;
  let folder: string;
  beforeAll(async () => {
    database = newDatabaseFolder();
    folder = mkdtempSync(join(tmpdir(), 'fossick-guides-'));
    server = await startServerProcess(database, ['--sample']);
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server?.kill();
    removeFolder(database);
    rmSync(folder, { recursive: true, force: true });
  });
  const failedTasks = async (): Promise<unknown[]> =>
    (await server.allTasksDone()).filter(({ status }) => status === 'failed');
  const here = (text: string): string => text.replaceAll('http://127.0.0.1:7700', server.url);
  /**
   * Writes the files that blocks are, and runs those of a shell one right after the other, as they are pasted; each prints what the
   * guide says. All guides work on one server. Returns what the last one printed.
   */
  async function follow(blocks: readonly Block[], place: string): Promise<string> {
    mkdirSync(place, { recursive: true });
    let output = '';
    const shell = new Shell({});
    try {
      await shell.run(`cd '${place}'`);
      for (const { language, text, printed } of blocks) {
        const [line, path] = FILE_LINE.exec(text) ?? [];
        if (path !== undefined) {
          mkdirSync(dirname(join(place, path)), { recursive: true });
          writeFileSync(join(place, path), here(text.slice(line!.length)));
        }
        if (language !== 'sh') continue;
        output = await shell.run(here(text));
        for (const part of printed) expect(output, text).toContain(part);
      }
      expect(await failedTasks()).toEqual([]);
      return output;
    } finally {
      shell.end();
    }
  }

  test.each([
    'from-algolia',
    'from-typesense',
    'from-elasticsearch',
  ])('%s: what needs no other server', async (name) => {
    const blocks = guide(name).filter(({ language, text }) => language === 'sh' && !text.includes('X-TYPESENSE'));
    expect(blocks.length).toBeGreaterThan(3);
    expect(await follow(blocks, join(folder, name))).toContain('"hits":[{');
  });

  // with the address of a double that gives what the page says the file has
  test.for<Export>([
    [
      'from-algolia',
      browsed,
      (script, at) =>
        script.replace(
          "'ADMIN_API_KEY')",
          `'ADMIN_API_KEY', { hosts: [{ url: '${at}', protocol: 'http', accept: 'readWrite' }] })`,
        ),
    ],
    ['from-elasticsearch', scrolled, (script, at) => script.replace('127.0.0.1:9200', at)],
  ])('%s: the export writes what the page says', async ([name, answering, at], context) => {
    const [script, file] = guide(name);
    const [, install] = /^\/\/ export\.mjs: (npm install .*)\n/.exec(script!.text)!;
    const [, output, lines] = /^cat > (\S+) <<'END'\n(.*)END\n$/s.exec(file!.text)!;
    const place = join(folder, `${name}-export`);
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{"private":true}');
    const options = { cwd: place, env: { ...process.env, ...QUIET_NPM }, timeout: INSTALL_MS };
    try {
      await run('sh', ['-c', `${install} --ignore-scripts`], options);
    } catch (error) {
      console.log(`the export of ${name} is not tried: ${(error as Error).message.split('\n')[0]}`);
      return context.skip();
    }
    const documents = lines!.trim().split('\n');
    const double = new ExportDouble(answering(documents.map((line) => JSON.parse(line))));
    try {
      const text = at(script!.text, await double.start());
      expect(text).not.toBe(script!.text);
      writeFileSync(join(place, 'export.mjs'), text);
      await run(process.execPath, ['export.mjs'], { ...options, timeout: 60_000 });
      expect(readFileSync(join(place, output!), 'utf8')).toBe(lines);
    } finally {
      await double.stop();
    }
  });

  test('Django: a project whose changes are found', async (context) => {
    const place = join(folder, 'django');
    const [project, ...steps] = guide('django');
    mkdirSync(place);
    try {
      for (const command of project!.text.trim().split('\n').slice(0, 2))
        await run('sh', ['-c', command], { cwd: place, timeout: INSTALL_MS });
    } catch (error) {
      console.log(`the guide for Django is not tried: ${(error as Error).message.split('\n')[0]}`);
      return context.skip();
    }
    const made = project!.text.trim().split('\n').slice(2).join('\n');
    await follow([{ ...project!, text: made }, ...steps], place);
  });

  if (BROWSER === undefined) console.log('the pages of guides are not tried: there is no chromium here');
  describe.skipIf(BROWSER === undefined)('pages', () => {
    const browser = new TestPage();
    let files: Server;
    let filesUrl = '';
    beforeAll(async () => {
      files = createServer((request, response) => {
        const path = normalize(new URL(request.url!, 'http://a').pathname);
        const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
        if (!existsSync(file)) return void response.writeHead(404).end();
        response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
        createReadStream(file).pipe(response);
      });
      await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
      filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      await browser.close();
      files?.close();
    });

    test.each(['react', 'vue', 'svelte'])('%s: films are found as one types', async (name) => {
      const place = join(folder, name);
      const [project, page] = guide(name);
      mkdirSync(place);
      // what React warns of is in its form for development alone
      const env = { ...process.env, ...QUIET_NPM, NODE_ENV: 'development' };
      const options = { cwd: place, env, timeout: INSTALL_MS, maxBuffer: 2 ** 24 };
      // the last line adds to what the template names
      await runInTerminal(project!.text, options);
      const root = join(place, 'films');
      const [line, path] = FILE_LINE.exec(page!.text)!;
      writeFileSync(join(root, path!), page!.text.slice(line.length));
      await run('npx', ['vite', 'build', '--base', './'], { ...options, cwd: root });
      browser.faults.length = 0;
      await browser.open(`${filesUrl}/${name}/films/dist/?server=${encodeURIComponent(server.url)}`);
      await browser.page.getByPlaceholder('jurasic park').pressSequentially('jurasic park');
      await browser.page.locator('h3').first().filter({ hasText: 'Jurassic Park (1993)' }).waitFor();
      expect(browser.faults.filter((fault) => !fault.startsWith('http'))).toEqual([]);
    });
  });

  test('call the command as it can be called without a further step', () => {
    for (const file of readdirSync(join(ROOT, 'docs/guides')))
      for (const { language, text } of guide(file.replace('.md', '')))
        if (language === 'sh') expect(text, file).not.toMatch(/^(?:\w+=\S+ )*fossick /m);
  });

  test('say which steps a test runs, and link to files that there are', () => {
    for (const name of [
      'from-algolia',
      'from-typesense',
      'from-elasticsearch',
      'react',
      'vue',
      'svelte',
      'django',
      'laravel-scout',
      'rails',
      'strapi',
    ]) {
      const text = readFileSync(join(ROOT, 'docs/guides', `${name}.md`), 'utf8');
      expect(text.split('\n')[2], name).toMatch(/^\*(A test|No test)/);
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
        expect(existsSync(join(ROOT, 'docs/guides', target)), `${name}: ${target}`).toBe(true);
    }
  });
});
