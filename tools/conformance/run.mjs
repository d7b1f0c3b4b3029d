#!/usr/bin/env node
/**
 * `npm run conformance`: replays the recorded answers of the reference engine (../shared) against the built server,
 * and compares each figure with tools/conformance/baseline.json: a figure may rise, never fall.
 *
 *   npm run conformance -- [--raise] [--only movies,cities,traces] [--show N]
 *   npm run conformance -- --third            every third session; which third changes with the commit
 *   npm run conformance -- --only cluster     the sessions against three nodes and a proxy that takes them in turn
 *
 * `--raise` writes the figures that rose into the baseline. Ends with `N passed, N failed`, one per figure.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageTestServer } from '../run/test-server.mjs';
import { ensureBuilt, ensureInstalled, rootFolder } from '../run/workspace.mjs';
import { compareFigures, printTable, raiseBaseline, readBaseline } from './baseline.mjs';
import { measureRelevancy, measureTraces } from './measure.mjs';

const sharedFolder = join(rootFolder, '..', 'shared');
const parts = {
  movies: { suite: 'movies.json.gz', timeoutMs: 120_000 },
  cities: { suite: 'cities.json.gz', timeoutMs: 90_000 },
  traces: { timeoutMs: 900_000 },
  // only when it is asked for: it starts 1,500 servers
  cluster: { timeoutMs: 7_200_000 },
};
const usualParts = ['movies', 'cities', 'traces'];

await main(process.argv.slice(2));

async function main(args) {
  if (!existsSync(sharedFolder)) {
    console.log('conformance: SKIPPED, ../shared (recorded answers) is not next to this checkout');
    console.log('0 passed, 0 failed');
    return;
  }
  await ensureInstalled();
  await ensureBuilt();
  const only = args.includes('--only') ? args[args.indexOf('--only') + 1].split(',') : usualParts;
  const showCount = args.includes('--show') ? Number(args[args.indexOf('--show') + 1]) : 3;
  const workFolder = mkdtempSync(join(tmpdir(), 'fossick-conformance-'));
  const third = args.includes('--third') ? thirdOfCommit() : undefined;
  const figures = [];
  const broken = [];
  const command = await stageTestServer();
  try {
    for (const name of only) {
      console.log(`\n== ${name}`);
      const options = { name, sharedFolder, workFolder, showCount, command, third, ...parts[name] };
      const { error, figures: found } = await (parts[name].suite === undefined
        ? measureTraces(options)
        : measureRelevancy(options));
      figures.push(...found);
      if (error !== undefined) broken.push(`${name}: ${error}`);
    }
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
  report(figures, broken, { only, third, isRaising: args.includes('--raise') });
}

/** 0, 1 or 2. */
function thirdOfCommit() {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: rootFolder, encoding: 'utf8' });
  const third = Number.parseInt(commit.slice(0, 8), 16) % 3;
  console.log(`sessions ${third}, ${third + 3}, ${third + 6} and so on of commit ${commit.trim()}`);
  return third;
}

function report(figures, broken, { only, third, isRaising }) {
  // a third of the sessions may have none of an area
  const whole = third === undefined ? only : only.filter((name) => parts[name].suite !== undefined);
  const rows = compareFigures(figures, readBaseline(), whole);
  printTable(rows);
  for (const line of broken) console.log(`BROKEN ${line}`);
  if (isRaising) console.log(`baseline: ${raiseBaseline(figures)} figures raised`);
  const failedCount = rows.filter((row) => !row.isHeld).length + broken.length;
  console.log(`${rows.length + broken.length - failedCount} passed, ${failedCount} failed`);
  process.exitCode = failedCount === 0 ? 0 : 1;
}
