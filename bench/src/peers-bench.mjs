#!/usr/bin/env node
/**
 * `npm run bench:peers`: the engine in process compared with what a Node program would take otherwise, on the same documents
 * and queries: indexing, memory, queries of two words, of four, with a typo, and prefixes.
 *
 *   npm run bench:peers -- [--data FILE.ndjson[.gz]] [--documents 36000] [--queries 200] [--seed 7] [--only NAME] [--limit-seconds 120] [--json OUT.json]
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readOptions } from '../../tools/run/options.mjs';
import { rootFolder } from '../../tools/run/workspace.mjs';
import { ENGINES, TYPO_TOLERANT } from './peers/engines.mjs';
import { printTable, writeResult } from './results.mjs';

const FILMS = join(rootFolder, '..', 'shared', 'data', 'movies.ndjson.gz');
const CHILD = fileURLToPath(new URL('./peers/run-engine.mjs', import.meta.url));
const { values } = readOptions({
  options: {
    data: { type: 'string' },
    documents: { type: 'string' },
    queries: { type: 'string', default: '200' },
    seed: { type: 'string', default: '7' },
    only: { type: 'string' },
    'limit-seconds': { type: 'string', default: '120' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});

const work = chooseWork();
const measured = [];
for (const name of Object.keys(ENGINES)) {
  if (values.only !== undefined && name !== values.only && name !== 'fossick') continue;
  const result = await runEngine(name);
  if (result === undefined) console.log(`bench: ${name} was stopped after ${values['limit-seconds']} s`);
  else if (result === null) console.log(`bench: ${name} is not built here and is left out (see bench/README.md)`);
  else measured.push(result);
}
printTable(measured.map((one) => rowOf(one, measured[0])));
writeResult({ ...work, engines: measured }, values.json);

function chooseWork() {
  const seed = Number(values.seed);
  if (values.smoke) return { count: 200, seed, queryCount: 5 };
  const queryCount = Number(values.queries);
  const data = values.data ?? (values.documents === undefined && existsSync(FILMS) ? FILMS : undefined);
  const count = values.documents === undefined ? undefined : Number(values.documents);
  return { data, count: data === undefined ? (count ?? 36_000) : count, seed, queryCount };
}

/** Each engine has a process of its own, one after another. Undefined for one that exceeds the limit. */
async function runEngine(name) {
  const args = ['--expose-gc', CHILD, JSON.stringify({ ...work, name })];
  const timeout = Number(values['limit-seconds']) * 1000;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 24, timeout });
    return JSON.parse(stdout.trim().split('\n').at(-1));
  } catch (error) {
    if (error.signal !== 'SIGTERM') throw error;
    return undefined;
  }
}

/** Figures with their ratio to ours in parentheses: above 1 the other one needs more. */
function rowOf(one, ours) {
  const ratio = (figure, own) => `${figure} (${own === 0 ? '-' : (figure / own).toFixed(1)})`;
  const row = {
    name: TYPO_TOLERANT.has(one.name) ? one.name : `${one.name}, no typos`,
    'index cpu ms': ratio(one.indexing.cpuMs, ours.indexing.cpuMs),
    'held MiB': ratio(one.heldMiB, ours.heldMiB),
  };
  // medians, which other work on the machine changes least; the JSON has means and slowest ones, too
  for (const [kind, { p50 }] of Object.entries(one.searchMs)) {
    row[`${kind} median ms`] = ratio(p50, ours.searchMs[kind].p50);
  }
  row['typos found'] = one.found.typo;
  row['restart ms'] = one.restartMs;
  return row;
}
