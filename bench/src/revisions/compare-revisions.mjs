#!/usr/bin/env node
/**
 * `npm run bench:revisions`: the servers of two revisions under the same load, in turn and on the same machine. Ends with code 1 when a figure of the
 * newer one costs more than the ratio allows.
 *
 *   npm run bench:revisions -- --base main [--ratio 1.2] [--rounds 7] [--documents 6000] [--queries 400] [--seed 7] [--json OUT.json] [--smoke]
 *
 * The head is this checkout. The base is checked out next to it and built, or `--base-folder` names a checkout that is built. The load is that of this
 * checkout for both.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { misused, readOptions } from '../../../tools/run/options.mjs';
import { findFreePort, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { ensureBuilt, ensureInstalled, rootFolder, runCommand } from '../../../tools/run/workspace.mjs';
import { createDocumentGenerator } from '../data/document-generator.mjs';
import { runHttpLoad } from '../http/http-load.mjs';
import { writeResult } from '../results.mjs';
import { answerAlike, comparePairs, tableOf } from './pairs.mjs';

const SETTINGS = {
  searchableAttributes: ['title', 'overview', 'cast', 'genres'],
  filterableAttributes: ['genres', 'year', 'cast'],
  sortableAttributes: ['year', 'title'],
};
const SMOKE = { documents: '200', queries: '32', rounds: '2' };
/** Of the processor times in /proc, which count hundredths of a second. */
const TICKS_PER_SECOND = 100;

const { values } = readOptions({
  options: {
    base: { type: 'string' },
    'base-folder': { type: 'string' },
    ratio: { type: 'string', default: '1.2' },
    rounds: { type: 'string', default: '7' },
    documents: { type: 'string', default: '6000' },
    queries: { type: 'string', default: '400' },
    seed: { type: 'string', default: '7' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const given = values.smoke ? { ...values, ...SMOKE } : values;
const [ratio, roundCount, documentCount, queryCount, seed] = ['ratio', 'rounds', 'documents', 'queries', 'seed'].map(
  (name) => positive(name, given[name]),
);
if ((values.base === undefined) === (values['base-folder'] === undefined))
  misused('one of --base REVISION and --base-folder FOLDER says what this checkout is compared with');

if (!values.smoke) {
  await ensureInstalled();
  await ensureBuilt();
}
const work = mkdtempSync(join(tmpdir(), 'fossick-revisions-'));
try {
  const folders = { base: resolve(values['base-folder'] ?? (await checkOut(values.base))), head: rootFolder };
  const documents = Array.from(
    { length: documentCount },
    createDocumentGenerator({ seed, vocabularyCount: Math.min(50_000, documentCount * 10) }),
  );
  const rounds = [];
  for (let at = 0; at < roundCount; at++) {
    const round = {};
    // each is the first one as often as the other
    for (const side of at % 2 === 0 ? ['base', 'head'] : ['head', 'base'])
      round[side] = await measure(folders[side], documents);
    rounds.push(round);
    console.log(`round ${at + 1} of ${roundCount}`);
  }
  const rows = comparePairs(rounds, ratio);
  console.log(`\n${tableOf(rows)}\n`);
  if (!answerAlike(rounds)) console.log('The two found other documents, or in another order.\n');
  const worse = rows.filter(({ isWorse }) => isWorse);
  if (worse.length > 0) {
    console.log(`FAILED ${worse.map(({ name }) => name).join('; ')}: more than ${ratio} times the base`);
    process.exitCode = 1;
  }
  writeResult({ base: values.base ?? 'folder', ratio, rows, rounds }, values.json);
} finally {
  rmSync(work, { recursive: true, force: true });
  if (values.base !== undefined) await runCommand('git', ['worktree', 'prune']);
}

/** A revision, built in a folder of its own. */
async function checkOut(revision) {
  const folder = join(work, 'base');
  await must('git', ['worktree', 'add', '--detach', folder, revision]);
  const ci = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  await must('npm', ['--prefix', folder, ...ci]);
  await must('npm', ['--prefix', folder, 'run', 'build']);
  return folder;
}

async function must(command, words) {
  if ((await runCommand(command, words)) !== 0) throw new Error(`${command} ${words.join(' ')} failed`);
}

/** The load on a new server of a checkout. */
async function measure(folder, documents) {
  const database = mkdtempSync(join(work, 'database-'));
  const address = `127.0.0.1:${await findFreePort()}`;
  const program = join(folder, 'apps', 'server', 'bin', 'fossick.js');
  const words = [program, '--db-path', database, '--http-addr', address, '--no-analytics', '--log-level', 'ERROR'];
  const server = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const url = `http://${address}`;
    await waitForHealth(url, server);
    const figures = await runHttpLoad({ url, documents, settings: SETTINGS, queryCount, seed });
    return { ...figures, ...usageOf(server.pid) };
  } finally {
    await stopServer(server);
    rmSync(database, { recursive: true, force: true });
  }
}

/** What a process has used, where the system tells: Linux does. */
function usageOf(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return {};
  // the name before the last bracket may have spaces
  const times = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    cpuSeconds: (Number(times[11]) + Number(times[12])) / TICKS_PER_SECOND,
    peakMiB: peak === undefined ? undefined : Math.round(Number(peak) / 1024),
  };
}

function positive(name, text) {
  const value = Number(text);
  if (!(value > 0)) misused(`--${name}: \`${text}\` is no positive number`);
  return value;
}
