import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hasExtension,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '../../apps/server/src/e2e/server-process.test-support.js';
// @ts-expect-error: the tool is plain JavaScript
import { sizesWithDependencies } from './installed-size.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { newProject, packsForTests } from './pack.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { manifestOf, publishedFolders } from './published.mjs';

const run = promisify(execFile);
/** An embedder of which nobody asks anything: each document brings its vector. */
const REST = { request: '{{text}}', response: '{{embedding}}' };
const rootFolder = fileURLToPath(new URL('../..', import.meta.url));
/** What is packed is what was built; `npm test` builds first. */
const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';
/** Of an installed package with all that it needs, on disk; `fossick` has the modules for pages, too. */
const INSTALLED_BYTES_MAX = { '@fossick/server': 46e6, fossick: 47.1e6 };
/** Libraries of the server that a program which searches without HTTP never runs, by their folders. */
const HTTP_LIBRARIES = ['fastify', 'zod', 'prom-client', 'jose', 'undici', 'commander', 'pino'];
/** Folders of the packages that others install. */
const FOLDERS: readonly string[] = publishedFolders();
/** Libraries that wait for the first text, request, webhook or tool call that needs them. */
const LATER_LIBRARIES = [
  'light-my-request',
  'undici',
  'liquidjs',
  'franc',
  '@turf/boolean-intersects',
  'eventsource-parser',
];
/** Packages that are published as bundles, with the command in them. */
const BUNDLES = ['fossick', '@fossick/server'] as const;
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
    packed = await packsForTests(join(folder, 'packed'));
    await newProject(project, packed);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const node = (args: readonly string[]) => run(process.execPath, args, { cwd: project, timeout: 600_000 });

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
    const installed = join(project, 'node_modules', manifestOf(from).name);
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ license: 'MIT', type: 'module', engines: { node: '>=20.19' } });
    expect(manifest.description?.length).toBeGreaterThan(20);
    for (const address of ['repository', 'homepage', 'bugs']) expect(manifest, address).toHaveProperty(address);
    expect(readFileSync(join(rootFolder, from, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(rootFolder, 'LICENSE'), 'utf8'),
    );
    const targets = Object.values(manifest.exports).flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values(one as object),
    );
    for (const target of [...targets, ...Object.values(manifest.bin ?? {})])
      expect(existsSync(join(installed, target as string)), `${manifest.name} ${target}`).toBe(true);
  });

  it.each(
    BUNDLES,
  )('%s has few bytes in the heap: one for each character, and no library that only tests run', (name) => {
    const dist = join(project, 'node_modules', name, 'dist');
    const programs = readdirSync(dist).filter((file) => /\.c?js$/.test(file));
    expect(programs.length).toBeGreaterThan(20);
    for (const file of programs) {
      const text = readFileSync(join(dist, file), 'utf8');
      // V8 keeps a text as Latin 1 where it can, and else all of it in two bytes a character
      expect([...text.matchAll(/[^\0-\xff]/g)].map(String), file).toEqual([]);
      expect(text, file).not.toMatch(/^\/\/ .*node_modules\/(ajv|fast-json-stringify\/(?!lib))/m);
    }
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
    const files = examples.map(({ from, at, code }) => {
      const file = `./example-${from.replaceAll('/', '-')}-${at}.mjs`;
      writeFileSync(join(project, file), code);
      return file;
    });
    // one after another in two processes, as there are cores: most of an example's time is its process
    const half = Math.ceil(files.length / 2);
    const ends = [files.slice(0, half), files.slice(half)].map((some, at) => {
      const program = `for (const file of ${JSON.stringify(some)}) { console.error(file); await import(file); }`;
      writeFileSync(join(project, `examples-${at}.mjs`), program);
      return expect(node([`examples-${at}.mjs`])).resolves.toMatchObject({ stderr: `${some.join('\n')}\n` });
    });
    await Promise.all(ends);
  });

  it('start the server by either name', async () => {
    for (const name of ['fossick', '@fossick/server']) {
      const bin = join(project, 'node_modules', name, 'bin', 'fossick.js');
      expect((await node([bin, '--version'])).stdout).toContain('0.1.0');
    }
    expect(readdirSync(join(project, 'node_modules', '.bin'))).toContain('fossick');
  });

  /** What a process reads that imports a package. */
  async function loadedBy(name: string): Promise<string> {
    const hooks = `export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }`;
    const program = `
      import { register } from 'node:module';
      register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hooks))});
      await import('${name}');`;
    const file = `reads-${name.replace('/', '-')}.mjs`;
    writeFileSync(join(project, file), program);
    return (await node([file])).stderr;
  }

  it.each([
    ['fossick', [...HTTP_LIBRARIES, ...LATER_LIBRARIES]],
    ['@fossick/server', LATER_LIBRARIES],
  ])('%s reads no library that it may never need', async (name, unwanted) => {
    const loaded = await loadedBy(name);
    expect(loaded).toContain('node_modules/lmdb/');
    const inPackage = new RegExp(`(?<=file://)\\S+node_modules/${name}/dist/\\S+`, 'g');
    const files = [...new Set(loaded.match(inPackage))];
    expect(files.length).toBeGreaterThan(3);
    const libraries = new Set(files.flatMap((file) => librariesIn(readFileSync(file, 'utf8'))));
    expect(unwanted.filter((library) => libraries.has(library))).toEqual([]);
  });

  it.each(BUNDLES)('%s takes no more room than it may', (name) => {
    const sizes: readonly (readonly [string, number])[] = sizesWithDependencies(join(project, 'node_modules'), name);
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    const largest = sizes.slice(0, 8).map(([name, bytes]) => `${name} ${(bytes / 1e6).toFixed(1)} MB`);
    expect(total, largest.join(', ')).toBeLessThanOrEqual(INSTALLED_BYTES_MAX[name]);
  });

  it.each(BUNDLES)('%s names whose code is bundled, and installs none of it', (name) => {
    const server = join(project, 'node_modules', name);
    const notice = readFileSync(join(server, 'NOTICE'), 'utf8');
    const texts = readdirSync(join(server, 'dist'))
      .filter((name) => /\.c?js$/.test(name))
      .map((name) => readFileSync(join(server, 'dist', name), 'utf8'));
    const bundled = [...new Set(texts.flatMap(librariesIn))];
    expect(bundled).toEqual(
      expect.arrayContaining([...HTTP_LIBRARIES, 'liquidjs', 'franc', '@turf/boolean-intersects']),
    );
    for (const library of bundled) expect(notice).toMatch(new RegExp(`^- ${library} \\d+\\.\\d+\\.\\d+`, 'm'));
    // paths of the machine that bundled it are nobody's business
    for (const text of texts) expect(text).not.toContain(rootFolder);
    const needed = sizesWithDependencies(join(project, 'node_modules'), name).map(([one]: readonly [string]) => one);
    expect(needed.filter((one: string) => bundled.includes(one))).toEqual([]);
    expect(needed).not.toContain(name === 'fossick' ? '@fossick/server' : 'fossick');
  });

  describe('the installed server', () => {
    const database = join(folder, 'data');
    const bin = join(project, 'node_modules', 'fossick', 'bin', 'fossick.js');
    let server: ServerProcess;
    beforeAll(async () => {
      // whatever may be searched in a thread is
      const copies = hasExtension('transfer') ? ['--dump-dir', join(folder, 'dumps')] : [];
      const options = ['--search-threads-from', '1', ...copies];
      server = await startServerProcess(database, options, {}, [], bin);
    });
    afterAll(() => server.stop());

    it('answers with its page and its description', async () => {
      const page = await fetch(server.url, { headers: { accept: 'text/html' } });
      expect(await page.text()).toContain('<script');
      const { body } = await server.call<{ info: { version: string } }>('GET', '/openapi.json');
      expect(body.info.version).toBeTypeOf('string');
      expect(await (await fetch(`${server.url}/metrics`)).text()).toBeTypeOf('string');
    });

    it('answers a tool of the Model Context Protocol', async () => {
      const params = { name: 'listIndexes', arguments: {} };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const { status, body } = await server.call<{ result: { isError: boolean } }>('POST', '/mcp', message);
      expect([status, body.result.isError]).toEqual([200, false]);
    });

    it('indexes and searches in threads, with what it loads at the first text that needs it', async () => {
      const square = [
        [
          [0, 0],
          [0, 2],
          [2, 2],
          [2, 0],
          [0, 0],
        ],
      ];
      await server.call('PATCH', '/indexes/things/settings', {
        filterableAttributes: ['_geojson', 'year'],
        localizedAttributes: [{ attributePatterns: ['text'], locales: ['swe', 'deu', 'eng'] }],
        embedders: {
          own: {
            source: 'rest',
            url: `http://127.0.0.1:9/`,
            dimensions: 2,
            ...REST,
            documentTemplate: '{{ doc.text | upcase }}',
          },
        },
      });
      await server.call('POST', '/indexes/things/documents', [
        {
          id: 1,
          text: 'där är en röd stuga',
          year: 1,
          _geojson: { type: 'Polygon', coordinates: square },
          _vectors: { own: [1, 0] },
        },
        { id: 2, text: '東京タワー', year: 2, _vectors: { own: [0, 1] } },
        { id: 3, text: '서울 타워', year: 3, _vectors: { own: [1, 1] } },
      ]);
      // enough for the thread that cuts words of large batches
      await server.call('POST', '/indexes/films/documents', sampleLines().join('\n'), {
        'content-type': 'application/x-ndjson',
      });
      await server.call('POST', '/indexes/rows/documents', 'id,name\n1,Far away\n', { 'content-type': 'text/csv' });
      if (hasExtension('transfer')) await server.call('POST', '/dumps');
      expect((await server.allTasksDone()).filter(({ status }) => status !== 'succeeded')).toEqual([]);
      const idsOf = async (index: string, body: object): Promise<unknown> => {
        const answer = await server.call<{ hits?: { id: number }[] }>('POST', `/indexes/${index}/search`, body);
        return answer.body.hits?.map(({ id }) => id) ?? answer.body;
      };
      expect(await idsOf('things', { q: 'stugor', filter: '_geoRadius(1, 1, 1000)' })).toBeDefined();
      expect(await idsOf('things', { filter: '_geoPolygon([0.5, 0.5], [0.5, 1], [1, 1])' })).toEqual([1]);
      expect(await idsOf('things', { q: '東京' })).toEqual([2]);
      expect(await idsOf('things', { q: '타워' })).toEqual([3]);
      expect(
        await idsOf('things', { vector: [0, 1], hybrid: { embedder: 'own', semanticRatio: 1 }, limit: 1 }),
      ).toEqual([2]);
      expect(await idsOf('rows', { q: 'far awy' })).toEqual(['1']);
      expect(await idsOf('films', { q: 'star wrs', limit: 1 })).toHaveLength(1);
    });

    it('loads the films with --sample, whose licence is with them', async () => {
      const films = await startServerProcess(join(folder, 'films'), ['--sample'], {}, [], bin);
      try {
        await films.allTasksDone();
        const { body } = await films.call<{ hits: { title: string }[] }>('POST', '/indexes/movies/search', {
          q: 'star wrs',
          filter: 'year = 1977',
        });
        expect(body.hits.map(({ title }) => title)).toEqual(['Star Wars']);
        expect((await films.call('GET', '/indexes/movies/stats')).body).toMatchObject({ numberOfDocuments: 2_000 });
      } finally {
        await films.kill();
      }
      const sample = join(project, 'node_modules', 'fossick', 'sample');
      expect(readFileSync(join(sample, 'README.md'), 'utf8')).toContain('CC BY-SA');
      const bytes = readdirSync(sample).reduce((sum, name) => sum + statSync(join(sample, name)).size, 0);
      expect(bytes).toBeLessThan(1e6);
    });

    it('ends when it is told to, and its folder is right', async () => {
      expect(await server.stop()).toBe(0);
      expect((await node([bin, 'check', '--db-path', database])).stdout).toContain('no problems');
    });
  });
});

/** Packages whose modules a file of the bundle says that it holds. */
function librariesIn(text: string): string[] {
  return [...text.matchAll(/^\/\/ \S*node_modules\/((?:@[^/]+\/)?[^/]+)\/\S+$/gm)].map(([, name = '']) => name);
}
