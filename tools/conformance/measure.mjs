/**
 * Runs one part of the conformance check in a child process with a time limit, and converts its report into figures: `{
 * name: 'part/category', passed, total }`. A part that fails to run returns an `error` and the figures so far.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../run/server-process.mjs';
import { readContradicted, withoutContradicted } from './contradicted.mjs';
import { addLaterMembers } from './later-members.mjs';

/** A search suite: the server is started once, the suite's own runner loads the documents and searches. */
export async function measureRelevancy({ name, suite, sharedFolder, workFolder, showCount, timeoutMs }) {
  const folder = join(workFolder, name);
  mkdirSync(folder, { recursive: true });
  const address = `127.0.0.1:${await findFreePort()}`;
  const args = ['--db-path', join(folder, 'data'), '--http-addr', address, '--no-analytics'];
  const server = spawnServer(args, ['ignore', 'ignore', 'inherit']);
  try {
    await waitForHealth(`http://${address}`, server);
    const runner = join(sharedFolder, 'relevancy', 'relevancy.mjs');
    const suiteFile = join(sharedFolder, 'relevancy', suite);
    const reportFile = join(folder, 'report.json');
    const options = ['--url', `http://${address}`, '--data', join(sharedFolder, 'data'), '--show', String(showCount)];
    const check = [runner, 'check', suiteFile, ...options, '--json', reportFile];
    const { output, isTimedOut } = await runBounded(check, timeoutMs);
    const failures = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')).failures : [];
    const figures = withoutContradicted(parseCategories(name, output), failures, readContradicted()[name] ?? []);
    if (isTimedOut) return { figures, error: `not over after ${timeoutMs / 1000} s` };
    return figures.length === 0 ? { figures, error: 'the suite could not be run' } : { figures };
  } catch (error) {
    return { figures: [], error: error.message };
  } finally {
    await stopServer(server);
  }
}

/** With more failing files than this, the cause is not a stalled machine. */
const REPLAYED_AGAIN_MAX = 3;

const clusterProxy = join(dirname(fileURLToPath(import.meta.url)), 'cluster-proxy.mjs');

/** The programs that are replayed against: one server, or three nodes that answer in turn. */
const programs = {
  traces: (command) => [
    `"${command}"`,
    '--db-path {db}/data --dump-dir {db}/dumps --snapshot-dir {db}/snapshots --no-analytics',
  ],
  cluster: () => [`"${clusterProxy}"`, '--folder {db}'],
};

/**
 * The recorded sessions: the replayer starts a server for each; figures are sessions that pass, by area. `third`: 0, 1
 * or 2 replays every third session.
 */
export async function measureTraces({ name: part, sharedFolder, workFolder, command: server, timeoutMs, third }) {
  const reportFile = join(workFolder, 'traces.json');
  const command = [
    ...[`"${process.execPath}"`, ...programs[part](server)],
    ...['--http-addr', '127.0.0.1:{port}', '{masterKeyArgs}', '{extraArgs}'],
  ].join(' ');
  const runner = join(sharedFolder, 'traces', 'replay.mjs');
  const sessions = join(workFolder, 'sessions');
  const isChosen = third === undefined ? undefined : (number) => number % 3 === third;
  addLaterMembers(join(sharedFolder, 'traces', 'sessions'), sessions, isChosen);
  // A short wait prevents a session that can never pass from delaying the others; 10 s is many times what a task takes.
  const limits = ['--jobs', '2', '--wait-timeout', '10', '--start-timeout', '40', '--json', reportFile];
  const replay = [runner, '--traces', sessions, '--cmd', command, ...limits];
  const { isTimedOut } = await runBounded(replay, timeoutMs);
  if (isTimedOut) return { figures: [], error: `not over after ${timeoutMs / 1000} s` };
  if (!existsSync(reportFile)) return { figures: [], error: 'the replayer wrote no report' };
  const { files } = JSON.parse(readFileSync(reportFile, 'utf8'));
  // Sessions wait for tasks by the clock, so on a machine that stalls a few may fail. Those files are run again, with
  // output.
  const missed = Object.entries(files).filter(([, row]) => row.passed < row.traces);
  for (const [file, row] of missed.length <= REPLAYED_AGAIN_MAX ? missed : []) {
    console.log(`once more: ${file}, ${row.passed} of ${row.traces} passed`);
    await runBounded([...replay, '--only', file.replace(/\.json(\.gz)?$/, '')], timeoutMs);
    const again = JSON.parse(readFileSync(reportFile, 'utf8')).files[file];
    if (again !== undefined && again.passed > row.passed) files[file] = again;
  }
  const tally = new Map();
  for (const [file, row] of Object.entries(files)) {
    const area = file.split('__')[0];
    const sum = tally.get(area) ?? { passed: 0, total: 0 };
    tally.set(area, { passed: sum.passed + row.passed, total: sum.total + row.traces });
  }
  return { figures: [...tally].map(([area, sum]) => ({ name: `${part}/${area}`, ...sum })) };
}

/** Lines `category   passed/total` as the suite's runner prints them. */
function parseCategories(name, output) {
  const figures = [];
  for (const line of output.split('\n')) {
    const found = /^(\S.*?)\s+(\d+)\/(\d+)$/.exec(line);
    if (found) figures.push({ name: `${name}/${found[1]}`, passed: Number(found[2]), total: Number(found[3]) });
  }
  return figures;
}

/** Runs a Node script, showing and returning its output; after `timeoutMs` its whole process group is killed. */
function runBounded(args, timeoutMs) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    let output = '';
    let isTimedOut = false;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
    const endGroup = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group has ended already.
      }
    };
    const timer = setTimeout(() => {
      isTimedOut = true;
      endGroup();
    }, timeoutMs);
    process.once('exit', endGroup);
    child.on('close', () => {
      clearTimeout(timer);
      process.removeListener('exit', endGroup);
      resolve({ output, isTimedOut });
    });
  });
}
