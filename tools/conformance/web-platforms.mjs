/** Runs `webAnswers` on each platform: a function of { suite, documents } and a folder that returns the answers. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { findFreePort } from '../run/server-process.mjs';
import { rootFolder } from '../run/workspace.mjs';

const run = promisify(execFile);
const LIBRARY = join(rootFolder, 'packages/fossick/dist/browser');
const ANSWERS = join(rootFolder, 'tools/conformance/web-answers.mjs');
const TYPES = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.html': 'text/html',
  '.wasm': 'application/wasm',
};
const OUTPUT_BYTES = 1 << 28;

/** A script for runtimes with files: Node's Buffer and modules are taken away before the library is loaded. */
const SCRIPT = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const [suite, documents, kernel] = [JSON.parse(readFileSync('suite.json', 'utf8')), readFileSync('documents.ndjson', 'utf8'), new Uint8Array(readFileSync('library/kernel.wasm'))];
const dictionaries = new Map(readdirSync('library/dictionaries').map((name) => [name, new Uint8Array(readFileSync('library/dictionaries/' + name))]));
const options = { kernel, dictionaries: 'https://192.0.2.1/', fetch: async (address) => ({ ok: true, status: 200, body: streamOf(dictionaries.get(address.split('/').pop())) }) };
// the Response of Node.js needs its Buffer
const streamOf = (bytes) => new ReadableStream({ start(controller) { controller.enqueue(bytes); controller.close(); } });
const write = (text) => writeFileSync('answers.json', text);
if (process.argv.includes('bare')) { delete globalThis.Buffer; process.getBuiltinModule = undefined; }
const { createEngine } = await import('./library/index.js');
const { webAnswers } = await import('./web-answers.mjs');
write(JSON.stringify(await webAnswers({ createEngine, ...options }, suite, documents)));
process.exit(0);
`;

function filled(folder, { suite, documents }) {
  mkdirSync(folder, { recursive: true });
  cpSync(LIBRARY, join(folder, 'library'), { recursive: true });
  cpSync(ANSWERS, join(folder, 'web-answers.mjs'));
  writeFileSync(join(folder, 'suite.json'), JSON.stringify(suite));
  writeFileSync(join(folder, 'documents.ndjson'), documents);
  writeFileSync(join(folder, 'run.mjs'), SCRIPT);
}

async function byScript(command, args, given, folder) {
  filled(folder, given);
  await run(command, args, { cwd: folder, maxBuffer: OUTPUT_BYTES });
  return JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'));
}

/** A program of an npm package, which is installed once for this checkout. */
export async function installed(name, version, command = name) {
  const folder = join(rootFolder, 'node_modules/.cache', `web-${command}`);
  const program = join(folder, 'node_modules/.bin', command);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts=false', `${name}@${version}`], {
    cwd: folder,
  });
  return program;
}

/** `work` runs in a page with the modules of the library and of the answers, the suite and its documents. */
async function inChromium(given, folder, work) {
  filled(folder, given);
  cpSync(given.staticFolder, join(folder, 'static'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>answers</title>');
  const server = createServer(({ url, headers }, response) => {
    const file = join(folder, new URL(url, 'http://127.0.0.1').pathname);
    if (!existsSync(file)) return response.writeHead(404).end();
    const bytes = readFileSync(file);
    const type = { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (from === undefined) return response.writeHead(200, type).end(bytes);
    const part = bytes.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, { ...type, 'content-range': `bytes ${from}-${to}/${bytes.length}` }).end(part);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/index.html`);
    return await page.evaluate(work);
  } finally {
    await browser.close();
    server.close();
  }
}

const inMemory = async () => {
  const [library, answers] = ['/library/index.js', '/web-answers.mjs'];
  const [{ createEngine }, { webAnswers }] = await Promise.all([import(library), import(answers)]);
  const suite = await (await fetch('/suite.json')).json();
  return webAnswers({ createEngine }, suite, await (await fetch('/documents.ndjson')).text());
};
/** In parts, however small the index is. */
const fromFiles = async () => {
  const [library, answers] = ['/library/search.js', '/web-answers.mjs'];
  const [{ openStatic }, { staticAnswers }] = await Promise.all([import(library), import(answers)]);
  const suite = await (await fetch('/suite.json')).json();
  return staticAnswers({ openStatic, manifest: '/static/manifest.json', wholeBytes: 0, cache: null }, suite);
};

async function inWorkerd(given, folder) {
  filled(folder, given);
  const port = await findFreePort();
  const modules = readdirSync(join(folder, 'library')).filter((name) => name.endsWith('.js'));
  const dictionaries = readdirSync(join(folder, 'library/dictionaries'));
  writeFileSync(
    join(folder, 'worker.js'),
    `${dictionaries.map((name, at) => `import d${at} from './dictionaries/${name}';`).join('\n')}
const dictionaries = { ${dictionaries.map((name, at) => `'${name}': d${at}`).join(', ')} };
const options = { dictionaries: 'https://192.0.2.1/', fetch: async (address) => new Response(dictionaries[address.split('/').pop()]) };
import { createEngine } from './library/index.js';
import { webAnswers } from './web-answers.mjs';
import kernel from './kernel.wasm';
import suite from './suite.json';
import documents from './documents.ndjson';
export default { async fetch() { return Response.json(await webAnswers({ createEngine, kernel, ...options }, suite, documents)); } };`,
  );
  const embedded = [
    '(name = "worker.js", esModule = embed "worker.js")',
    '(name = "web-answers.mjs", esModule = embed "web-answers.mjs")',
    '(name = "kernel.wasm", wasm = embed "library/kernel.wasm")',
    '(name = "suite.json", json = embed "suite.json")',
    '(name = "documents.ndjson", text = embed "documents.ndjson")',
    ...dictionaries.map((name) => `(name = "dictionaries/${name}", data = embed "library/dictionaries/${name}")`),
    ...modules.map((name) => `(name = "library/${name}", esModule = embed "library/${name}")`),
  ];
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [${embedded.join(', ')}], compatibilityDate = "2025-06-01"))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);`,
  );
  const child = spawn(await installed('workerd', '1'), ['serve', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    for (let tries = 0; ; tries++) {
      try {
        const response = await fetch(`http://127.0.0.1:${port}/`);
        if (!response.ok) throw new Error(await response.text());
        return await response.json();
      } catch (error) {
        if (tries > 50 || child.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  } finally {
    child.kill('SIGKILL');
  }
}

export const PLATFORMS = {
  node: (given, folder) => byScript(process.execPath, ['run.mjs', 'bare'], given, folder),
  chromium: (given, folder) => inChromium(given, folder, inMemory),
  static: (given, folder) => inChromium(given, folder, fromFiles),
  bun: async (given, folder) => byScript(await installed('bun', '1'), ['run.mjs'], given, folder),
  deno: async (given, folder) => byScript(await installed('deno', '2'), ['run', '-A', 'run.mjs'], given, folder),
  workerd: inWorkerd,
};
