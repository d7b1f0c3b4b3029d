import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { pause, type ServerProcess } from '../e2e/server-process.test-support.js';

/** What a probe may wait longer than on an idle server, on a machine of its own. */
const BUDGET_MS = 200;
/** How long a loop runs that tells what share of a core one gets: on a loaded machine the budget grows by as much as that falls short. */
const SHARE_LOOP_MS = 60;
/** One of this many tries has to keep to the budget: the others met other work of the machine. */
const TRIES = 5;
/** Other work of the machine comes in bursts of seconds: so long between the first and the second try, twice that before the third. */
const TRY_AGAIN_MS = 2_000;

/** How long a probe waited at most, in milliseconds. */
export interface LongestWait {
  readonly waitMs: number;
  /** Without the time for which the HTTP thread, or the thread that measures, was ready to run and no core was; Linux only. */
  readonly servedMs: number;
}

/**
 * Expects that /health and a search in the index `probe` are answered while what `prepare` makes ready is under way, with no wait longer than
 * the budget.
 */
export async function expectShortWaits(
  server: ServerProcess,
  prepare: () => Promise<() => Promise<unknown>>,
): Promise<void> {
  const waits: string[] = [];
  for (let round = 0; round < TRIES; round++) {
    await pause(round * TRY_AGAIN_MS);
    const go = await prepare();
    const idle = await longestWait(server, pause(100));
    const share = coreShare();
    const wait = await longestWait(server, go());
    if (isShort(wait, idle, Math.min(share, coreShare()))) return;
    waits.push(waitText(wait, idle, share));
  }
  expect.fail(`a probe waited for ${waits.join(', ')}`);
}

/** Whether a wait keeps to the budget, given that of an idle server and the share of a core that there was for this process. */
export function isShort(wait: LongestWait, idle: LongestWait, share: number): boolean {
  return wait.waitMs <= idle.waitMs + BUDGET_MS / share || wait.servedMs <= idle.servedMs + BUDGET_MS;
}

function waitText({ waitMs, servedMs }: LongestWait, idle: LongestWait, share: number): string {
  const [wait, served, beside] = [waitMs, servedMs, idle.waitMs].map(Math.round);
  return `${wait} ms (${served} of them with a core, ${beside} ms beside nothing, ${share.toFixed(2)} of a core)`;
}

const PROBES: readonly Probe[] = [
  (server) => server.call('GET', '/health'),
  (server) => server.call('POST', '/indexes/probe/search', { q: 'probe' }),
];
export type Probe = (server: ServerProcess) => Promise<unknown>;

/** How long a probe waited at most until `work` was done. */
export async function longestWait(
  server: ServerProcess,
  work: Promise<unknown>,
  probes: readonly Probe[] = PROBES,
): Promise<LongestWait> {
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  let [waitMs, servedMs] = [0, 0];
  const coreless = (): number => corelessMs(server.pid) + corelessMs(process.pid);
  while (!isDone) {
    const [startedMs, before] = [performance.now(), coreless()];
    await Promise.all(probes.map((ask) => ask(server)));
    const tookMs = performance.now() - startedMs;
    waitMs = Math.max(waitMs, tookMs);
    servedMs = Math.max(servedMs, tookMs - (coreless() - before));
    await pause(2);
  }
  await end;
  return { waitMs, servedMs };
}

/** How long the first thread of a process has been ready to run without a core so far, in milliseconds; 0 where the system does not tell. */
function corelessMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The share of a core that this process gets when it wants one, 0 to 1. */
export function coreShare(): number {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  while (performance.now() - startedMs < SHARE_LOOP_MS);
  const { user, system } = process.cpuUsage(before);
  return Math.min(1, Math.max(0.05, (user + system) / 1_000 / (performance.now() - startedMs)));
}
