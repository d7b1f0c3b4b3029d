/** The longest delay of Node's timers, in milliseconds; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Calls `register` every N seconds, first after one period; does nothing for null. Its errors go to `onFault`,
 * and the next period follows all the same. Periods are measured by a monotonic clock, because a clock that is set
 * would make them longer or shorter.
 */
export function repeatSnapshots(
  everySeconds: number | null,
  register: () => void,
  onFault: (error: unknown) => void,
): { stop(): void } {
  if (everySeconds === null) return { stop: () => undefined };
  const periodMs = everySeconds * 1000;
  let dueMs = performance.now() + periodMs;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(tick, Math.min(Math.max(dueMs - performance.now(), 0), MAX_DELAY_MS)).unref();
  };
  const tick = (): void => {
    const nowMs = performance.now();
    if (nowMs >= dueMs) {
      dueMs = nowMs + periodMs;
      try {
        register();
      } catch (error) {
        onFault(error);
      }
    }
    wait();
  };
  wait();
  return { stop: () => clearTimeout(timer) };
}
