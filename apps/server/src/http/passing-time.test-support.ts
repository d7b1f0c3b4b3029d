import { vi } from 'vitest';

/** Turns of the event loop after which what has not happened does not happen. */
const TURNS_MAX = 100_000;

/** From now on intervals and the date stand still; `passing` moves them. Connections and other timers go on. */
export function stopIntervals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
}

/** Lets time pass in steps of so many milliseconds until something has happened. */
export async function passing<T>(stepMs: number, event: Promise<T>): Promise<T> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  event.then(end, end);
  for (let turn = 0; !isOver; turn++) {
    if (turn === TURNS_MAX) throw new Error(`Nothing has happened for ${TURNS_MAX * stepMs} ms`);
    vi.advanceTimersByTime(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return event;
}
