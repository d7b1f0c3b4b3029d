/** The longest delay a timer of Node takes, in milliseconds; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Calls `register` every so many seconds, first after one period; does nothing for null. What it throws goes to `onFault`, and the next
 * period comes all the same. Periods are measured by a clock that nobody sets: one that jumps would make them long or short.
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
