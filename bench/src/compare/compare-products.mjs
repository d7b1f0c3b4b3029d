/**
 * The products of `compare-engines`, each in a process of its own: measures indexing and searching the films, step by
 * step.
 */
import { execFile, fork, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { callApi, waitForTask } from '../../../tools/run/http-api.mjs';
import { findFreePort, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { chooseQueries, filmsOf, scoreOf, timed } from './compare-queries.mjs';

const CHILD = fileURLToPath(new URL('./compare-library.mjs', import.meta.url));
const FIELDS = ['title', 'overview'];
/** A kind of query ends by its own time limit; a process that is silent for this much longer hangs. */
const PATIENCE_MS = 20_000;

/**
 * A server with this API.
 *
 * @param commandOf the command line for a folder and a port
 * @param work documents, queries and limits
 * @param onStep called with each finished step
 */
export async function runServer(commandOf, work, onStep) {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-compare-'));
  const port = await findFreePort();
  const [command, ...words] = commandOf(folder, port);
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(command, words, { cwd: folder, stdio: 'ignore' });
  try {
    await waitForHealth(url, server);
    const films = filmsOf(work);
    const documents = films.length;
    const settings = { searchableAttributes: FIELDS };
    const { taskUid: first } = await callApi(url, 'PATCH', '/indexes/films/settings', { body: settings });
    await waitForTask(url, first);
    const body = films.map((film) => JSON.stringify(film)).join('\n');
    const indexing = timed(async () => {
      const type = 'application/x-ndjson';
      const { taskUid } = await callApi(url, 'POST', '/indexes/films/documents', { body, type });
      await waitForTask(url, taskUid);
    });
    // once the server is stopped, its failure does not matter
    indexing.catch(() => undefined);
    const indexMs = await Promise.race([indexing, pause(work.indexLimitMs, null, { ref: false })]);
    if (indexMs === null) return { documents, over: 'indexing' };
    onStep({ step: 'indexing', documents, ms: indexMs });
    const search = async (q) => {
      const parameters = { q, limit: 10, attributesToRetrieve: ['id'] };
      const { hits } = await callApi(url, 'POST', '/indexes/films/search', { body: parameters });
      return hits.map(({ id }) => id);
    };
    const scored = await scoreOf(search, chooseQueries(films, work), { limitMs: work.searchLimitMs, onStep });
    // lets background work after indexing free its memory
    await pause(work.settleMs);
    return { documents, indexMs, ...scored, ...memoryOf(server.pid), diskMiB: await diskMiB(folder) };
  } finally {
    await stopServer(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A library of `peers/engines.mjs`. A step that takes too long ends its process: the figures so far are returned. */
export function runLibrary(name, work, onStep) {
  return new Promise((resolve, reject) => {
    const child = fork(CHILD, [JSON.stringify({ ...work, name })], { execArgv: ['--expose-gc'] });
    const known = {};
    let last = 'reading';
    let timer;
    const expectNext = (limitMs) => {
      clearTimeout(timer);
      timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    };
    expectNext(work.indexLimitMs);
    child.on('message', (message) => {
      last = message.step;
      if (last === 'end') Object.assign(known, message.figures, { isWhole: true });
      else if (last === 'reading') known.documents = message.documents;
      else if (last === 'indexing') known.indexMs = message.ms;
      if (last !== 'end' && last !== 'reading') onStep(message);
      // the first kind is preceded by the warm-up
      expectNext(last === 'reading' ? work.indexLimitMs : 2 * work.searchLimitMs + PATIENCE_MS);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const { isWhole, ...figures } = known;
      if (isWhole) resolve({ ...figures, diskMiB: 0 });
      else if (signal === 'SIGKILL') resolve({ ...figures, over: last === 'reading' ? 'indexing' : 'searching' });
      else reject(new Error(`${name} ended with ${code ?? signal}`));
    });
  });
}

/** Resident memory in MiB: all of it, and without file pages, which the system may drop. Linux only. */
function memoryOf(pid) {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return {};
  const read = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
  return { residentMiB: Math.round(read('VmRSS') / 1024), ownMiB: Math.round(read('RssAnon') / 1024) };
}

async function diskMiB(folder) {
  const { stdout } = await promisify(execFile)('du', ['-sk', folder]);
  return Math.round(Number.parseInt(stdout, 10) / 1024);
}
