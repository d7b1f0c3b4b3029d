import { expect } from 'vitest';
import { pause, type ServerProcess } from '../e2e/server-process.test-support.js';

/** How much longer than usual a probe may wait, on an otherwise idle machine. */
export const BUDGET_MS = 200;
/**
 * Milliseconds of a loop that measures the share of a core that this process gets: on a loaded machine the budget grows
 * accordingly.
 */
const SHARE_LOOP_MS = 60;
/** One of this many tries must meet the budget: the others may be disturbed by other work of the machine. */
const TRIES = 3;
/** Pause between two tries, doubled before the last one: other work of the machine comes in bursts of seconds. */
const TRY_AGAIN_MS = 2_000;

/**
 * Expects that /health and a search in the index `probe` are answered within the budget while the work that `prepare`
 * returns is running.
 */
export async function expectShortWaits(
  server: ServerProcess,
  prepare: () => Promise<() => Promise<unknown>>,
): Promise<void> {
  const waits: string[] = [];
  for (let round = 0; round < TRIES; round++) {
    await pause(round * TRY_AGAIN_MS);
    const go = await prepare();
    const idleMs = await longestWait(server, pause(100));
    const share = coreShare();
    const waitMs = await longestWait(server, go());
    if (waitMs <= idleMs + BUDGET_MS / Math.min(share, coreShare())) return;
    waits.push(`${Math.round(waitMs)} ms (${Math.round(idleMs)} ms beside nothing, ${share.toFixed(2)} of a core)`);
  }
  expect.fail(`a probe waited for ${waits.join(', ')}`);
}

/** The longest wait of a probe until `work` was done, in ms. */
export async function longestWait(server: ServerProcess, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  let longestMs = 0;
  while (!isDone) {
    const startedMs = performance.now();
    await Promise.all([server.call('GET', '/health'), server.call('POST', '/indexes/probe/search', { q: 'probe' })]);
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    await pause(2);
  }
  await end;
  return longestMs;
}

/** The share of a core that this process gets, 0 to 1. */
export function coreShare(): number {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  while (performance.now() - startedMs < SHARE_LOOP_MS);
  const { user, system } = process.cpuUsage(before);
  return Math.min(1, Math.max(0.05, (user + system) / 1_000 / (performance.now() - startedMs)));
}
