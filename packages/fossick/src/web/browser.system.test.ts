import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { addition } from '@fossick/documents/addition.test-support';
import { exportIndexFiles } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { films } from '../films.test-support.js';
import { FileServer } from './static-server.test-support.js';

/** What pages import: the package as it is built. */
const LIBRARY = fileURLToPath(new URL('../../dist/browser', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../../docs/guides/browser.md', import.meta.url));
const BROWSER = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
const isBuilt = process.env['FOSSICK_TEST_BUILT'] === '1' && existsSync(LIBRARY);
if (BROWSER === undefined) console.log('fossick/web is not tried in a browser: there is no chromium here');

/** Blocks that run in a page, and the texts that they print. */
const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text!);

const HTML = `<!doctype html><meta charset="utf-8"><title>A page without a bundler</title>
<script type="importmap">{"imports":{"fossick/web":"/library/index.js","fossick/web/search":"/library/search.js"}}</script>`;
const WORKER = `import { createEngine } from '/library/index.js';
self.onmessage = async ({ data }) => {
  const engine = await createEngine();
  await engine.index('films').add(data);
  const { hits } = await engine.index('films').search('star wrs', { limit: 1 });
  self.postMessage(hits[0].title);
};`;

describe.skipIf(!isBuilt || BROWSER === undefined)('in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-browser-'));
  const server = new FileServer({
    folders: { library: LIBRARY, films: join(folder, 'films'), pages: join(folder, 'pages') },
  });
  let browser: Browser;
  let page: Page;
  let url: string;
  const faults: string[] = [];

  beforeAll(async () => {
    for (const name of ['films', 'pages']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'pages', 'index.html'), HTML);
    writeFileSync(join(folder, 'pages', 'worker.js'), WORKER);
    const rootFolder = join(folder, 'data');
    const payloadFile = join(folder, 'films.ndjson');
    writeFileSync(
      payloadFile,
      films()
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
    const writer = openEngineWriter({ rootFolder, maxSearchBytes: 32 << 20 });
    const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
    await writer.applyDocuments('films', [addition(payloadFile, { primaryKey: 'id' })], context);
    await writer.close();
    const write = (name: string, bytes: Uint8Array): void => writeFileSync(join(folder, 'films', name), bytes);
    const manifest = await exportIndexFiles(rootFolder, 'films', write);
    write('manifest.json', Buffer.from(JSON.stringify(manifest)));
    url = await server.start();
    browser = await chromium.launch({ executablePath: BROWSER!, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(url)) faults.push(request.url());
    });
    await page.goto(`${url}/pages/index.html`);
  });
  it('loads with the first search only what it needs: 128 kB, and parts of the engine with the first search that needs them', async () => {
    const packed = (name: string): number => gzipSync(readFileSync(join(LIBRARY, name)), { level: 9 }).length;
    expect(packed('search.js') + packed('kernel.wasm')).toBeLessThanOrEqual(128_000);
    const other = await browser.newPage();
    const loaded: string[] = [];
    other.on('request', (request) => {
      const name = /\/library\/(.*)$/.exec(request.url())?.[1];
      if (name !== undefined) loaded.push(name.replace(/-.*/, ''));
    });
    await other.goto(`${url}/pages/index.html`);
    // as a text: the compiler of tests changes imports
    const searched = (parameters: object): Promise<number> =>
      other.evaluate(`(async () => {
        const { openStatic } = await import('/library/search.js');
        const index = await openStatic('/films/manifest.json', { cache: null });
        return (await index.search('star wrs', ${JSON.stringify(parameters)}).catch(() => ({ hits: [] }))).hits.length;
      })()`);
    expect(await searched({ limit: 3 })).toBe(3);
    expect(loaded.splice(0).sort()).toEqual(['kernel.wasm', 'search.js']);
    expect(await searched({ limit: 3, attributesToHighlight: ['title'] })).toBe(3);
    expect(loaded.splice(0)).toEqual(['highlights']);
    expect(await searched({ filter: 'year > 1990' })).toBe(0);
    expect(loaded.splice(0)).toEqual(['columns', 'errors']);
    await other.close();
  });
  afterAll(async () => {
    await browser?.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
    expect(faults).toEqual([]);
  });

  /** Runs code in the page, as text: the test's own compiler would replace its imports. */
  function inPage<R>(code: string, given: unknown): Promise<R> {
    return page.evaluate(`(async (given) => { ${code} })(${JSON.stringify(given)})`);
  }

  it('the page of the documentation has examples', () => expect(blocks.length).toBeGreaterThan(3));

  it.each(blocks.map((block) => [block.split('\n').at(-2)!, block] as const))('%s', async (_, block) => {
    const printed = [...block.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    const found = await inPage<string[]>(
      `const texts = [];
      const log = console.log;
      console.log = (...values) => void texts.push(values.map((value) => JSON.stringify(value)).join(' '));
      try {
        await import(URL.createObjectURL(new Blob([given], { type: 'text/javascript' })));
      } finally {
        console.log = log;
      }
      return texts;`,
      block.replaceAll("'/films/", `'${url}/films/`),
    );
    expect(printed.length).toBeGreaterThan(0);
    expect(found).toEqual(printed);
  });

  it('a module worker has an engine of its own', async () => {
    const title = await page.evaluate(
      (documents) =>
        new Promise((resolve, reject) => {
          const worker = new Worker('/pages/worker.js', { type: 'module' });
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = (event) => reject(new Error(event.message));
          worker.postMessage(documents);
        }),
      [{ id: 1, title: 'Star Wars' }],
    );
    expect(title).toBe('Star Wars');
  });

  it.each(['opfs', 'indexedDB'] as const)('indexes in %s are there after the page was left', async (place) => {
    const visit = (q: string, documents: object[]): Promise<object[]> =>
      inPage(
        `const { createEngine } = await import('/library/index.js');
        const engine = await createEngine({ keep: { in: given.place, name: 'visits' } });
        const index = engine.index('notes');
        if (given.documents.length > 0) await index.add(given.documents);
        const { hits } = await index.search(given.q);
        await engine.close();
        return hits;`,
        { place, q, documents },
      );
    const note = { id: 1, text: 'a note that stays' };
    expect(await visit('note', [note])).toEqual([note]);
    await page.reload();
    expect(await visit('stayd', [])).toEqual([note]);
  });

  it('a dictionary is fetched with the first text in its language, once', async () => {
    server.reset();
    const hits = await inPage<object[][]>(
      `const { createEngine } = await import('/library/index.js');
      const engine = await createEngine();
      await engine.index('texts').add(given);
      return [(await engine.index('texts').search('搜索')).hits, (await engine.index('texts').search('ภาษา')).hits];`,
      [
        { id: 1, text: '全文搜索引擎' },
        { id: 2, text: 'ภาษาไทยง่าย' },
      ],
    );
    expect(hits.map((list) => list.length)).toEqual([1, 1]);
    const fetched = server.paths.filter((path) => path.includes('/dictionaries/'));
    expect(new Set(fetched).size).toBe(fetched.length);
    expect(fetched.some((path) => path.endsWith('/thai.gz'))).toBe(true);
  });

  it('a static index of an earlier visit is answered from the cache but for its manifest', async () => {
    const visit = (): Promise<string> =>
      inPage(
        `const { openStatic } = await import('/library/search.js');
        const index = await openStatic('/films/manifest.json', { cache: 'visits' });
        return (await index.search('star wrs')).hits[0].title;`,
        null,
      );
    await visit();
    await page.reload();
    server.reset();
    expect(await visit()).toBe('Star Wars');
    expect(server.paths.filter((path) => path.startsWith('/films/'))).toEqual(['/films/manifest.json']);
  });
});
