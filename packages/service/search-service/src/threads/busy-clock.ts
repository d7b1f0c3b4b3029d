/** How long a job may wait for the processor and for the disk before that counts, in milliseconds: others wait as well. */
const UNCOUNTED_MS = 150;
/** Between two looks at the processor time, which take a microsecond each. */
const LOOK_MS = 1;

/** Processor time of all threads of this process, in milliseconds. */
export const processMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/**
 * A clock for one job: it stands still while other processes have the processor, so that a busy machine makes no job
 * long. It looks at the processor time of this process only where more than `aheadMs` have passed, and is right from
 * then on.
 */
export function busyClock(aheadMs: number, now = (): number => performance.now(), usedMs = processMs): () => number {
  const startedMs = now();
  const startedUsedMs = usedMs();
  let idleMs = 0;
  let nextLookMs = startedMs + aheadMs;
  return () => {
    const atMs = now() - idleMs;
    if (atMs < nextLookMs) return atMs;
    const passedMs = atMs + idleMs - startedMs;
    idleMs = Math.min(UNCOUNTED_MS, Math.max(idleMs, passedMs - (usedMs() - startedUsedMs)));
    const rightMs = startedMs + passedMs - idleMs;
    nextLookMs = rightMs + LOOK_MS;
    return rightMs;
  };
}
