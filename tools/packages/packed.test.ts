import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { sizesOf } from './installed-size.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { manifestOf, newProject, packAll, publishedFolders } from './pack.mjs';

const run = promisify(execFile);
const rootFolder = fileURLToPath(new URL('../..', import.meta.url));
/** What is packed is what was built; `npm test` builds first. */
const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';
/** Of an installed server, on disk: what it takes now, 60 MB are aimed at. It may only get less. */
const INSTALLED_BYTES_MAX = 84e6;
/** Folders of the packages that others install. */
const FOLDERS: readonly string[] = publishedFolders();
/** Packages that no program imports. */
const WITHOUT_CODE = ['@fossick/dashboard'];

interface Packed {
  readonly name: string;
  readonly tarball: string;
  readonly files: readonly string[];
}

describe.skipIf(!isBuilt)('the packages as others get them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-packed-'));
  const project = join(folder, 'project');
  let packed: readonly Packed[] = [];
  beforeAll(async () => {
    packed = await packAll(join(folder, 'packed'));
    await newProject(project, packed);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

  const node = (args: readonly string[]) => run(process.execPath, args, { cwd: project, timeout: 60_000 });

  it('hold what is needed and nothing else', () => {
    expect(packed.map(({ name }) => name).sort()).toEqual(FOLDERS.map((one) => manifestOf(one).name).sort());
    for (const { name, files } of packed) {
      const strange = files.filter((path) => /\.test|test-support|tsbuildinfo|\.map$|^src\/|\.bench\./.test(path));
      expect(strange, name).toEqual([]);
      for (const needed of ['LICENSE', 'README.md', 'package.json']) expect(files, name).toContain(needed);
    }
    expect(packed.find(({ name }) => name === '@fossick/kernel')?.files).toContain('build/kernel.fast.wasm');
  });

  it.each(FOLDERS)('%s says what it is, and has what it names', (from) => {
    const manifest = manifestOf(from);
    expect(manifest).toMatchObject({ license: 'MIT', type: 'module', engines: { node: '>=20.19' } });
    expect(manifest.description?.length).toBeGreaterThan(20);
    expect(manifest.repository, 'there is no address to name').toBeUndefined();
    expect(readFileSync(join(rootFolder, from, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(rootFolder, 'LICENSE'), 'utf8'),
    );
    const installed = join(project, 'node_modules', manifest.name);
    const targets = Object.values(manifest.exports).flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values(one as object),
    );
    for (const target of [...targets, ...Object.values(manifest.bin ?? {})])
      expect(existsSync(join(installed, target as string)), `${manifest.name} ${target}`).toBe(true);
  });

  it('are imported in a project that has nothing else', async () => {
    const names = packed.map(({ name }) => name).filter((name) => !WITHOUT_CODE.includes(name));
    const program = `
      for (const name of ${JSON.stringify(names)}) {
        const found = Object.keys(await import(name));
        if (found.length === 0) throw new Error(name + ' exports nothing');
        console.log(name);
      }`;
    writeFileSync(join(project, 'imports.mjs'), program);
    expect((await node(['imports.mjs'])).stdout.trim().split('\n')).toEqual(names);
  });

  it('have types that a strict program compiles with', async () => {
    writeFileSync(join(project, 'types.ts'), readFileSync(new URL('./consumer.ts.txt', import.meta.url), 'utf8'));
    const imports = packed.filter(({ name }) => !WITHOUT_CODE.includes(name)).map(({ name }) => `import '${name}';`);
    writeFileSync(join(project, 'every.ts'), `${imports.join('\n')}\n`);
    const options = {
      target: 'ES2023',
      lib: ['ES2023'],
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(rootFolder, 'node_modules', '@types')],
    };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['types.ts', 'every.ts'] }),
    );
    const tsc = join(rootFolder, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await node([tsc, '-p', '.']).catch((error: { readonly stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it('do there what their READMEs say', async () => {
    const examples = FOLDERS.flatMap((from) => {
      const text = readFileSync(join(project, 'node_modules', manifestOf(from).name, 'README.md'), 'utf8');
      return [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = ''], at) => ({ from, at, code }));
    });
    expect(examples.filter(({ from }) => from === 'packages/fossick')).not.toEqual([]);
    // what they print is compared in the repository; here they have to come to their end
    for (const { from, at, code } of examples) {
      const file = `example-${from.replace('/', '-')}-${at}.mjs`;
      writeFileSync(join(project, file), code);
      await expect(node([file]), `${from} ${at}`).resolves.toMatchObject({ stderr: '' });
    }
  });

  it('start the server by either name', async () => {
    for (const name of ['fossick', '@fossick/server']) {
      const bin = join(project, 'node_modules', name, 'bin', 'fossick.js');
      expect((await node([bin, '--version'])).stdout).toContain('0.1.0');
    }
    expect(readdirSync(join(project, 'node_modules', '.bin'))).toContain('fossick');
  });

  it('load no HTTP server where none is asked for', async () => {
    const hooks = `export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }`;
    const program = `
      import { register } from 'node:module';
      register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hooks))});
      await import('fossick');`;
    writeFileSync(join(project, 'no-http.mjs'), program);
    const { stderr: loaded } = await node(['no-http.mjs']);
    expect(loaded).toContain('node_modules/lmdb/');
    for (const heavy of ['fastify', 'zod', 'prom-client', 'jose', 'undici', 'commander'])
      expect(loaded, heavy).not.toContain(`node_modules/${heavy}/`);
  });

  it('take no more room than they may', () => {
    const sizes = [...sizesOf(join(project, 'node_modules'))].sort(([, a], [, b]) => b - a);
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    const largest = sizes.slice(0, 8).map(([name, bytes]) => `${name} ${(bytes / 1e6).toFixed(1)} MB`);
    expect(total, largest.join(', ')).toBeLessThanOrEqual(INSTALLED_BYTES_MAX);
  });
});
