#!/usr/bin/env node
/**
 * Fossick and search libraries in Chromium, on the same films with the same questions, each in a browser of its own:
 *
 *   npm run bench:browser -- --data FILMS.ndjson[.gz] [--count N] [--only 'fossick static,minisearch'] [--seconds 20]
 *
 * Prints a table: bytes of the code and of all files until the first answer (by gzip, as web servers send text), time until the
 * first answer without any delay of a network, private memory of the page's process beyond an empty page, times of searches, and
 * the share of misspelt titles that are among the first ten hits; then, for those that fetch parts of an index, the times with
 * delays of 20 and 100 ms before each answer of the server. An engine that needs longer than --seconds for the questions answers
 * fewer of them. Needs the built packages and Chromium. The other libraries are installed by npm into node_modules/.cache.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { rolldown } from 'rolldown';

const rootFolder = resolve(import.meta.dirname, '../..');
const PEERS = join(rootFolder, 'node_modules/.cache/browser-peers');
const WANTED = { 'fuse.js': '7', lunr: '2', pagefind: '1', flexsearch: '0.8', minisearch: '7', '@orama/orama': '3' };
const LIBRARY = join(rootFolder, 'packages/fossick/dist/browser');
const TYPES = {
  '.js': 'text/javascript',
  '.html': 'text/html',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};
const QUERIES = 200;
/** Milliseconds before each answer of the server. */
const DELAYS = [20, 100];
/** Those that fetch parts of an index, so that delays matter to every search. */
const IN_PARTS = ['fossick static', 'pagefind'];
/** The longest time until the first answer. */
const OPEN_SECONDS = 180;

const args = process.argv.slice(2);
const option = (name, otherwise) => (args.includes(name) ? args[args.indexOf(name) + 1] : otherwise);
const bytes = readFileSync(option('--data'));
const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
const films = text
  .trim()
  .split('\n')
  .slice(0, Number(option('--count', 'Infinity')))
  .map((line) => JSON.parse(line));
const documents = films.map(({ id, title, overview }) => ({ id, title, overview: overview ?? '' }));
const seconds = Number(option('--seconds', '20'));
const questions = questionsOf(documents);
const work = mkdtempSync(join(tmpdir(), 'fossick-browser-bench-'));
let served = { files: new Map(), bytes: 0, codeBytes: 0, requests: 0, delayMs: 0 };

try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Titles of films as they are, and with two neighbouring letters of one word swapped; the same ones in each run. */
function questionsOf(all) {
  const step = Math.max(1, Math.floor(all.length / QUERIES));
  const chosen = all.filter(({ title }, at) => at % step === 0 && /[a-z]{6}/.test(title)).slice(0, QUERIES);
  const swapped = (title) => title.replace(/([a-z])([a-z])([a-z])([a-z]{3})/, (_, a, b, c, rest) => a + c + b + rest);
  return {
    plain: chosen.map(({ title }) => title),
    misspelt: chosen.map(({ id, title }) => ({ id, q: swapped(title) })),
  };
}

async function main() {
  install();
  const server = createServer(answer);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${server.address().port}`;
  const data = JSON.stringify(documents);
  const shared = new Map([['/documents.json', Buffer.from(data)]]);
  shared.set('/fossick/kernel.wasm', readFileSync(join(LIBRARY, 'kernel.wasm')));
  for (const name of readdirSync(join(LIBRARY, 'dictionaries')))
    shared.set(`/dictionaries/${name}`, readFileSync(join(LIBRARY, 'dictionaries', name)));
  const wanted = option(
    '--only',
    'fossick static,fossick in memory,minisearch,fuse.js,lunr,flexsearch,orama,pagefind',
  ).split(',');
  const rows = [];
  for (const name of wanted) {
    const files = new Map(shared);
    await prepare(name, files);
    served = { ...served, files };
    const row = await measured(url).catch((error) => ({ error: error.message.split('\n')[0].slice(0, 80) }));
    const delayed = [];
    for (const delayMs of IN_PARTS.includes(name) ? DELAYS : []) {
      served = { ...served, delayMs };
      delayed.push({ delayMs, ...(await inBrowser((page) => delayedTimes(page, url))) });
    }
    served = { ...served, delayMs: 0 };
    rows.push({ name, ...row, delayed });
    console.error(JSON.stringify(rows.at(-1)));
  }
  server.close();
  print(rows);
}

function install() {
  if (Object.keys(WANTED).every((name) => existsSync(join(PEERS, 'node_modules', name)))) return;
  mkdirSync(PEERS, { recursive: true });
  writeFileSync(join(PEERS, 'package.json'), JSON.stringify({ private: true, dependencies: WANTED }));
  execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: PEERS, stdio: 'inherit' });
}

function answer({ url, headers }, response) {
  const path = new URL(url, 'http://127.0.0.1').pathname;
  const body = served.files.get(path);
  if (body === undefined) return response.writeHead(404).end();
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  const part = from === undefined ? body : body.subarray(Number(from), Number(to) + 1);
  const isText = ['.js', '.html', '.json', '.wasm'].includes(extname(path));
  const sent = isText && from === undefined ? gzipSync(part) : part;
  served.bytes += sent.length;
  if (isCode(path)) served.codeBytes += sent.length;
  served.requests += 1;
  const type = { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' };
  const encoding = sent === part ? {} : { 'content-encoding': 'gzip' };
  const range = from === undefined ? {} : { 'content-range': `bytes ${from}-${Number(to)}/${body.length}` };
  setTimeout(
    () => response.writeHead(from === undefined ? 200 : 206, { ...type, ...encoding, ...range }).end(sent),
    served.delayMs,
  );
}

/** Whether it is a part of an engine rather than of its index: pagefind has its WebAssembly under a name of its own. */
function isCode(path) {
  return /\.(js|wasm)$|\/wasm\.\w+\.pagefind$/.test(path);
}

/** Puts the files of an engine into `files`. */
async function prepare(name, files) {
  files.set('/index.html', Buffer.from('<!doctype html><meta charset="utf-8"><title>bench</title>'));
  if (name === 'pagefind') return preparePagefind(files);
  if (name === 'fossick static') await exportFilms(files);
  const source =
    name === 'fossick static'
      ? `import { openStatic } from 'fossick/web/search';
export async function open() { const index = await openStatic('/films/manifest.json', { kernel: '/fossick/kernel.wasm', cache: null }); return async (q) => (await index.search(q, { limit: 10 })).hits.map(({ id }) => id); }`
      : `import { ENGINES } from ${JSON.stringify(join(import.meta.dirname, 'engines.js'))};
export async function open() { return ENGINES[${JSON.stringify(name)}](await (await fetch('/documents.json')).json()); }`;
  const entry = join(work, 'entry.js');
  writeFileSync(entry, source);
  const build = await rolldown({ input: entry, platform: 'browser', plugins: [peers(name)], onLog: () => undefined });
  const { output } = await build.generate({ format: 'esm', minify: true, comments: false });
  for (const { fileName, code } of output) if (code !== undefined) files.set(`/${fileName}`, Buffer.from(code));
}

/** Only the chosen engine is in the bundle. */
function peers(name) {
  const require = createRequire(join(PEERS, 'package.json'));
  return {
    name: 'peers',
    resolveId(id) {
      if (id === 'fossick/web') return name.startsWith('fossick') ? join(LIBRARY, 'index.js') : '\0absent';
      if (id === 'fossick/web/search') return join(LIBRARY, 'search.js');
      if (WANTED[id] === undefined) return null;
      return name === id || (name === 'orama' && id === '@orama/orama') ? moduleOf(id, require) : '\0absent';
    },
    load: (id) =>
      id === '\0absent'
        ? 'export default undefined; export const createEngine = undefined, create = undefined, insertMultiple = undefined, search = undefined, Document = undefined;'
        : null,
  };
}

/** The module that a bundler would take for a page. */
function moduleOf(id, require) {
  const folder = join(PEERS, 'node_modules', id);
  const { module, exports: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entry = entries?.['.'];
  const found =
    module ?? entry?.browser?.import ?? entry?.browser ?? entry?.import?.default ?? entry?.import ?? entry?.default;
  return typeof found === 'string' ? join(folder, found) : require.resolve(id);
}

async function exportFilms(files) {
  const { openEngineWriter } = await import('@fossick/index/writer');
  const { exportIndexFiles } = await import('@fossick/index');
  const folder = join(work, 'films');
  const payloadFile = join(work, 'films.ndjson');
  writeFileSync(payloadFile, documents.map((one) => JSON.stringify(one)).join('\n'));
  const writer = openEngineWriter({ rootFolder: folder, maxSearchBytes: 64 << 20 });
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 512 << 20 };
  await writer.applySettings('films', [{ searchableAttributes: ['title', 'overview'] }], context);
  await writer.applyDocuments(
    'films',
    [{ type: 'documentAdditionOrUpdate', method: 'replace', payloadFile, primaryKey: 'id', skipCreation: false }],
    context,
  );
  while (await writer.mergeOnce('films'));
  await writer.close();
  const manifest = await exportIndexFiles(
    folder,
    'films',
    (name, content) => void files.set(`/films/${name}`, Buffer.from(content)),
  );
  files.set('/films/manifest.json', Buffer.from(JSON.stringify(manifest)));
}

async function preparePagefind(files) {
  const { createIndex } = await import(pathToFileURL(join(PEERS, 'node_modules/pagefind/lib/index.js')).href);
  const { index } = await createIndex({});
  for (const { id, title, overview } of documents)
    await index.addCustomRecord({ url: `/${id}`, content: `${title}. ${overview}`, language: 'en', meta: { title } });
  const folder = join(work, 'pagefind');
  await index.writeFiles({ outputPath: folder });
  for (const file of readdirSync(folder, { recursive: true }))
    if (statSync(join(folder, file)).isFile()) files.set(`/pagefind/${file}`, readFileSync(join(folder, file)));
  files.set(
    '/entry.js',
    Buffer.from(`export async function open() {
  const pagefind = await import('/pagefind/pagefind.js');
  await pagefind.init();
  return async (q) => Promise.all((await pagefind.search(q)).results.slice(0, 10).map(async (one) => Number((await one.data()).url.replace(/\\D/g, ''))));
}`),
  );
}

async function inBrowser(work) {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'],
  });
  try {
    return await work(await browser.newPage(), browser);
  } finally {
    await browser.close();
  }
}

function measured(url) {
  return inBrowser(async (page, browser) => {
    await page.goto(`${url}/index.html`);
    const emptyBytes = await memoryOf(browser);
    served = { ...served, bytes: 0, codeBytes: 0, requests: 0 };
    const firstMs = await inTime(page.evaluate(openAndAsk, questions.plain[0]));
    const { codeBytes: bundleBytes, bytes: firstBytes, requests: firstRequests } = served;
    const untilFirst = { bundleBytes, firstMs, firstBytes, firstRequests };
    served = { ...served, bytes: 0, requests: 0 };
    await inTime(page.evaluate(timesOf, { queries: questions.plain.slice(1, 11), ms: seconds * 1000 }));
    const ten = { tenBytes: served.bytes, tenRequests: served.requests };
    const times = await inTime(page.evaluate(timesOf, { queries: questions.plain, ms: seconds * 1000 }));
    const found = await inTime(page.evaluate(foundOf, { misspelt: questions.misspelt, ms: seconds * 1000 }));
    const memoryBytes = (await memoryOf(browser)) - emptyBytes;
    return { ...untilFirst, ...ten, memoryBytes, p50: atShare(times, 0.5), p99: atShare(times, 0.99), ...found };
  });
}

/** The first answer and ten more, in milliseconds. */
async function delayedTimes(page, url) {
  await page.goto(`${url}/index.html`);
  const firstMs = await inTime(page.evaluate(openAndAsk, questions.plain[0]));
  const ten = await inTime(page.evaluate(timesOf, { queries: questions.plain.slice(1, 11), ms: seconds * 1000 }));
  return { firstMs, p50: atShare(ten, 0.5), worst: atShare(ten, 1) };
}

function inTime(work) {
  const seconds = OPEN_SECONDS;
  const limit = new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`stopped after ${seconds} s`)), seconds * 1000).unref(),
  );
  work.catch(() => undefined);
  return Promise.race([limit, work]);
}

function atShare(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/* These three run in the page. */
async function openAndAsk(q) {
  const startedMs = performance.now();
  const entry = '/entry.js';
  const { open } = await import(entry);
  globalThis.ask = await open();
  await globalThis.ask(q);
  return performance.now() - startedMs;
}
async function timesOf({ queries, ms }) {
  const times = [];
  const endMs = performance.now() + ms;
  for (const q of queries) {
    const startedMs = performance.now();
    if (startedMs > endMs) break;
    await globalThis.ask(q);
    times.push(performance.now() - startedMs);
  }
  return times;
}
async function foundOf({ misspelt, ms }) {
  let [found, asked] = [0, 0];
  const endMs = performance.now() + ms;
  for (const { id, q } of misspelt) {
    if (performance.now() > endMs) break;
    asked += 1;
    if ((await globalThis.ask(q)).includes(id)) found += 1;
  }
  return { found: found / asked, asked };
}

/** Private bytes of the largest renderer, after a collection. */
async function memoryOf(browser) {
  for (const context of browser.contexts())
    for (const page of context.pages()) await page.evaluate(() => globalThis.gc?.());
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const privateBytes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
      return [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].reduce(
        (sum, [, kilobytes]) => sum + Number(kilobytes) * 1024,
        0,
      );
    });
  return Math.max(...privateBytes);
}

function print(rows) {
  const kB = (value) => (value === undefined ? '–' : Math.round(value / 1000).toLocaleString('en'));
  const ms = (value) =>
    value === undefined ? '–' : value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
  console.log(`${documents.length} films, ${questions.plain.length} titles and as many misspelt ones\n`);
  printTable([
    ['', 'bundle, kB', 'until the first answer, kB (requests)', 'ten more, kB (requests)', 'first answer, ms'].concat([
      'memory, MB',
      'p50, ms',
      'p99, ms',
      'misspelt titles found',
    ]),
    ...rows.map(({ name, error, ...row }) => {
      if (error !== undefined) return [name, kB(row.bundleBytes), error, '', '', '', '', '', ''];
      const share = `${Math.round(row.found * 100)} %`;
      return [name, kB(row.bundleBytes), `${kB(row.firstBytes)} (${row.firstRequests})`].concat([
        `${kB(row.tenBytes)} (${row.tenRequests})`,
        ms(row.firstMs),
        `${Math.round(row.memoryBytes / 1e6)}`,
        ms(row.p50),
        ms(row.p99),
        row.asked === questions.misspelt.length ? share : `${share} of ${row.asked}`,
      ]);
    }),
  ]);
  console.log('');
  printTable([
    ['', 'delay, ms', 'first answer, ms', 'one of ten more: p50, ms', 'worst, ms'],
    ...rows.flatMap(({ name, delayed }) =>
      delayed.map((one) => [name, `${one.delayMs}`, ms(one.firstMs), ms(one.p50), ms(one.worst)]),
    ),
  ]);
}

function printTable([head, ...rows]) {
  for (const cells of [head, head.map(() => '---'), ...rows]) console.log(`| ${cells.join(' | ')} |`);
}
