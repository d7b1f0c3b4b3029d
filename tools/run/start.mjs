#!/usr/bin/env node
/**
 * `npm start`: from a fresh clone to a server with something to search. Arguments go to the server
 * (`npm start -- --http-addr 127.0.0.1:8000 --master-key KEY`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi, waitForTask } from './http-api.mjs';
import { buildDashboard, buildServer } from './quick-build.mjs';
import { spawnServer, stopServer, waitForHealth } from './server-process.mjs';
import { ensureBuilt, ensureInstalledForStart, isWhollyInstalled, rootFolder } from './workspace.mjs';

const SAMPLE_INDEX = 'movies';
const SAMPLE_SETTINGS = {
  searchableAttributes: ['title', 'overview', 'cast', 'genres'],
  filterableAttributes: ['genres', 'year', 'cast'],
  sortableAttributes: ['year', 'title'],
};
/** Small enough that the progress bar moves, large enough that the server is not busy with tasks. */
const CHUNK_DOCUMENT_COUNT = 250;
const BAR_CHAR_COUNT = 30;

const startedMs = performance.now();
await start(process.argv.slice(2));

async function start(userArgs) {
  await timed('packages', ensureInstalledForStart());
  // a checkout with all packages is built completely, with type checks
  const isWhole = isWhollyInstalled();
  // the server also runs without its page
  if (!isWhole) timed('dashboard', buildDashboard()).catch((error) => console.error(`fossick: ${error.message}`));
  await timed('build', isWhole ? ensureBuilt() : buildServer());
  const address = optionValue(userArgs, 'http-addr', 'HTTP_ADDR') ?? '127.0.0.1:7700';
  const args = [
    ...(optionValue(userArgs, 'http-addr', 'HTTP_ADDR') === undefined ? ['--http-addr', address] : []),
    ...(optionValue(userArgs, 'db-path', 'DB_PATH') === undefined
      ? ['--db-path', join(rootFolder, 'data.fossick')]
      : []),
    ...userArgs,
  ];
  const server = spawnServer(args);
  server.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1)));
  // A terminal sends Ctrl-C to the whole process group: the server gets it too and ends by itself, and this process
  // with it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => server.kill('SIGTERM'));
  const url = `http://${address.replace(/^0\.0\.0\.0:/, '127.0.0.1:')}`;
  const key = optionValue(userArgs, 'master-key', 'MASTER_KEY');
  try {
    await timed('server', waitForHealth(url, server));
    await timed('films', loadSample(url, key));
    printWelcome(url, key);
  } catch (error) {
    console.error(`fossick: ${error.message}`);
    process.exitCode = 1;
    await stopServer(server);
  }
}

/** Prints how long a part of the start took, and when it was done since the beginning. */
async function timed(name, work) {
  const fromMs = performance.now();
  await work;
  const nowMs = performance.now();
  const seconds = (ms) => (ms / 1000).toFixed(1).padStart(5);
  if (nowMs - fromMs >= 50)
    console.log(`${seconds(nowMs - startedMs)} s  ${name} (${seconds(nowMs - fromMs).trim()} s)`);
}

/**
 * The value of `--name X`, `--name=X` or the corresponding environment variables, in this order of precedence;
 * undefined when absent.
 */
function optionValue(args, name, environmentName) {
  const at = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (at >= 0) return args[at].includes('=') ? args[at].slice(name.length + 3) : args[at + 1];
  return process.env[`FOSSICK_${environmentName}`] ?? process.env[`MEILI_${environmentName}`];
}

/** Loads the bundled films on the first start, which means: while the server has no index. */
async function loadSample(url, key) {
  const { total } = await callApi(url, 'GET', '/indexes?limit=1', { key });
  if (total > 0) return;
  const lines = readFileSync(join(rootFolder, 'data', 'movies-sample.ndjson'), 'utf8')
    .trim()
    .split('\n');
  const write = async (method, path, options) => {
    const { taskUid } = await callApi(url, method, path, { ...options, key });
    await waitForTask(url, taskUid, { key });
  };
  await write('POST', '/indexes', { body: { uid: SAMPLE_INDEX, primaryKey: 'id' } });
  await write('PATCH', `/indexes/${SAMPLE_INDEX}/settings`, { body: SAMPLE_SETTINGS });
  drawBar(0, lines.length);
  for (let at = 0; at < lines.length; at += CHUNK_DOCUMENT_COUNT) {
    const body = lines.slice(at, at + CHUNK_DOCUMENT_COUNT).join('\n');
    await write('POST', `/indexes/${SAMPLE_INDEX}/documents`, { body, type: 'application/x-ndjson' });
    drawBar(Math.min(lines.length, at + CHUNK_DOCUMENT_COUNT), lines.length);
  }
}

/** Redraws in place on a terminal; elsewhere (a log file) prints only the first and last states. */
function drawBar(doneCount, totalCount) {
  const filled = Math.round((doneCount / totalCount) * BAR_CHAR_COUNT);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR_CHAR_COUNT - filled)}`;
  const line = `Loading sample films [${bar}] ${doneCount}/${totalCount}`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}${doneCount === totalCount ? '\n' : ''}`);
  else if (doneCount === 0 || doneCount === totalCount) console.log(line);
}

function printWelcome(url, key) {
  const auth = key === undefined ? '' : " -H 'Authorization: Bearer YOUR_KEY'";
  console.log(`
Fossick answers on ${url}: open it in a browser for the dashboard
Try: curl '${url}/indexes/${SAMPLE_INDEX}/search?q=star+wrs&limit=3'${auth}
`);
}
