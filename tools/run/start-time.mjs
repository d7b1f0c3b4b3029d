#!/usr/bin/env node
/**
 * Measures `npm start` in a fresh clone, with npm's cache as it is: `node tools/run/start-time.mjs [--runs 2]`. Clones
 * the committed state into a temporary folder, starts it, and reports when "star wrs" finds Star Wars and when `/` is
 * the dashboard.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from './server-process.mjs';
import { rootFolder } from './workspace.mjs';

const LOOK_MS = 100;
const GIVE_UP_MS = 240_000;
const at = process.argv.indexOf('--runs');
const runs = at < 0 ? 2 : Number(process.argv[at + 1]);
for (let run = 1; run <= runs; run++) console.log(`run ${run}:`, await measure());

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-clone-'));
  const clone = join(folder, 'clone');
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${rootFolder}`, clone]);
  const address = `127.0.0.1:${await findFreePort()}`;
  const startedMs = performance.now();
  const args = ['start', '--', '--http-addr', address, '--no-analytics', '--log-level', 'ERROR'];
  // a process group of its own, so that all of it can be ended
  const child = spawn('npm', args, { cwd: clone, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  try {
    const found = waitFor(startedMs, async () => {
      const answer = await fetch(`http://${address}/indexes/movies/search?q=star+wrs&limit=1`);
      return (await answer.json()).hits?.[0]?.title === 'Star Wars';
    });
    const shown = waitFor(startedMs, async () => {
      const answer = await fetch(`http://${address}/`, { headers: { accept: 'text/html' } });
      return (await answer.text()).includes('dashboard/');
    });
    return { foundSeconds: await found, dashboardSeconds: await shown };
  } finally {
    process.kill(-child.pid, 'SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Seconds until a condition holds. */
async function waitFor(startedMs, isSo) {
  for (;;) {
    if (await isSo().catch(() => false)) return Number(((performance.now() - startedMs) / 1000).toFixed(1));
    if (performance.now() - startedMs > GIVE_UP_MS) throw new Error('it does not come');
    await sleep(LOOK_MS);
  }
}
