#!/usr/bin/env node
/**
 * Compares two servers of this API on generated corpora, settings and queries:
 *
 *   node tools/compare/run.mjs --left URL --right URL [--queries 5000] [--seed 1] [--round-queries 50] [--shrink] [--show 20]
 *        [--leave-out SETTING,...] [--left-key KEY] [--right-key KEY]
 *
 * Prints the cases that differ, a count of each kind, and last `N queries, N differ (P %)`; see README.md.
 */
import { misused, readOptions } from '../run/options.mjs';
import { comparedPart } from './decided.mjs';
import { findDifferences, kindOf } from './differences.mjs';
import { whoseHistory } from './history.mjs';
import { makeRound } from './rounds.mjs';
import { onBoth, Server } from './servers.mjs';
import { shrinkCase } from './shrink.mjs';

const OPTIONS = {
  left: { type: 'string' },
  right: { type: 'string' },
  'left-key': { type: 'string' },
  'right-key': { type: 'string' },
  queries: { type: 'string', default: '5000' },
  'round-queries': { type: 'string', default: '50' },
  seed: { type: 'string', default: '1' },
  'leave-out': { type: 'string', default: '' },
  show: { type: 'string', default: '20' },
  shrink: { type: 'boolean', default: false },
};

await main(readOptions({ options: OPTIONS }).values);

async function main(options) {
  if (options.left === undefined || options.right === undefined) misused('--left URL and --right URL, please');
  const servers = [new Server(options.left, options['left-key']), new Server(options.right, options['right-key'])];
  const [total, perRound, firstSeed] = [options.queries, options['round-queries'], options.seed].map(Number);
  const tally = { queryCount: 0, kinds: new Map(), cases: [], histories: { left: 0, right: 0 } };
  for (let round = 0; tally.queryCount < total; round++) {
    await playRound(servers, firstSeed + round, Math.min(perRound, total - tally.queryCount), tally, options);
  }
  report(tally);
}

/** Plays all steps of a round on both servers and counts what differs. */
async function playRound(servers, seed, queryCount, tally, options) {
  const uid = `compare-${seed}`;
  const writes = [];
  await removeIndex(servers, uid);
  for (const { write, query } of makeRound(seed, uid, queryCount, options['leave-out'].split(','))) {
    if (write !== undefined) {
      writes.push(write);
      const [left, right] = await onBoth(servers, (server) => server.write(write));
      if (left.status !== right.status || left.code !== right.code) note(tally, options, seed, { write, left, right });
      continue;
    }
    tally.queryCount += 1;
    const differences = await compareQuery(servers, query, writes);
    if (differences.length === 0) continue;
    const state = stateAfter(writes);
    const side = await whoseHistory(
      servers,
      uid,
      query,
      (left, right) => compareAnswers(query, [left, right], state).length > 0,
    );
    if (side === undefined) {
      note(tally, options, seed, { writes: [...writes], query, differences });
      continue;
    }
    tally.histories[side] += 1;
    console.log(
      `\nseed ${seed}: history of ${side}, ${differences[0].path} of ${query.path}\n  ${JSON.stringify(query.body)}`,
    );
  }
  await removeIndex(servers, uid);
  if (!options.shrink) return;
  for (const found of tally.cases.filter((one) => one.seed === seed && one.query !== undefined)) {
    await showSmall(servers, found);
  }
}

async function removeIndex(servers, uid) {
  await onBoth(servers, (server) => server.write({ method: 'DELETE', path: `/indexes/${uid}` }));
}

async function compareQuery(servers, query, writes) {
  const answers = await onBoth(servers, (server) => server.ask(query));
  return compareAnswers(query, answers, stateAfter(writes));
}

function compareAnswers(query, answers, state) {
  const [left, right] = answers.map((answer) => comparedPart(query, answer, state));
  return findDifferences(left, right);
}

/** The relevant state of the index after the writes of a round. */
function stateAfter(writes) {
  const ofSettings = writes.filter(({ path }) => path.endsWith('/settings'));
  return {
    settings: Object.assign({}, ...ofSettings.map(({ body }) => body)),
    isOneBatch: ofSettings.length === 1 && writes.filter(({ path }) => path.includes('/documents')).length === 1,
  };
}

function note(tally, options, seed, found) {
  const kind = found.write === undefined ? kindOf(found.differences[0]) : 'write';
  tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1);
  tally.cases.push({ seed, ...found });
  if (tally.cases.length > Number(options.show)) return;
  const { path, left, right } = found.differences?.[0] ?? { path: 'write', left: found.left, right: found.right };
  const { path: to, body } = found.query ?? found.write;
  console.log(`\nseed ${seed} ${to}\n  ${JSON.stringify(body).slice(0, 600)}`);
  console.log(`  ${path}\n    left  ${short(left)}\n    right ${short(right)}`);
}

function short(value) {
  return (JSON.stringify(value) ?? 'absent').slice(0, 600);
}

/** Prints the smallest form of a case: its writes and its query. */
async function showSmall(servers, { writes, query }) {
  const uid = writes[0].body.uid;
  let last = [];
  const differs = async (candidate) => {
    await removeIndex(servers, uid);
    for (const write of candidate.writes) await onBoth(servers, (server) => server.write(write));
    const differences = await compareQuery(servers, candidate.query, candidate.writes);
    const isDifferent = differences.length > 0 && differences[0].path !== 'status';
    if (isDifferent) last = differences;
    return isDifferent;
  };
  if (!(await differs({ writes, query }))) return console.log('  not again from the beginning');
  const small = await shrinkCase({ writes, query }, differs);
  console.log('\n  SMALL');
  for (const write of small.writes.slice(1))
    console.log(`  ${write.method} ${write.path} ${JSON.stringify(write.body)}`);
  console.log(`  ${small.query.path} ${JSON.stringify(small.query.body)}`);
  for (const { path, left, right } of last.slice(0, 3))
    console.log(`  ${path}\n    left  ${short(left)}\n    right ${short(right)}`);
  await removeIndex(servers, uid);
}

function report({ queryCount, kinds, cases, histories }) {
  console.log('\nkinds of differences');
  for (const [kind, count] of [...kinds].sort((a, b) => b[1] - a[1]))
    console.log(`  ${String(count).padStart(5)}  ${kind}`);
  const { left, right } = histories;
  if (left + right > 0) console.log(`answers that a fresh index would not have given: left ${left}, right ${right}`);
  const differing = cases.filter((found) => found.query !== undefined).length;
  console.log(`${queryCount} queries, ${differing} differ (${((100 * differing) / queryCount).toFixed(3)} %)`);
  process.exitCode = differing === 0 ? 0 : 1;
}
