/** The longest delay a timer of Node takes, in milliseconds; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Calls `register` every so many seconds, first after one period. Does nothing for null. */
export function repeatSnapshots(everySeconds: number | null, register: () => void): { stop(): void } {
  if (everySeconds === null) return { stop: () => undefined };
  const periodMs = everySeconds * 1000;
  let dueMs = Date.now() + periodMs;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(tick, Math.min(Math.max(dueMs - Date.now(), 0), MAX_DELAY_MS)).unref();
  };
  const tick = (): void => {
    const nowMs = Date.now();
    if (nowMs >= dueMs) {
      register();
      dueMs = nowMs + periodMs;
    }
    wait();
  };
  wait();
  return { stop: () => clearTimeout(timer) };
}
