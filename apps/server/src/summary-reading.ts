import type { EngineReader } from '@fossick/engine';

/** For so long at a time, and so much later once more: a twentieth of this thread, which answers requests meanwhile. */
const SLICE_MS = 5;
const PAUSE_MS = 100;

/**
 * Reads what statistics and listings tell of all indexes in slices behind the start, so that the first who asks does not wait until thousands of
 * files are read. `onEnd` is called when all were. `stop` ends it.
 */
export function startSummaryReading(
  engine: EngineReader,
  onFault: (error: unknown) => void,
  onEnd: () => void,
): { stop(): void } {
  let timer: NodeJS.Timeout;
  const slice = (): void => {
    try {
      if (engine.readSummaries(SLICE_MS)) next();
      else onEnd();
    } catch (error) {
      // whoever asks reads them, and hears of it
      onFault(error);
    }
  };
  const next = (): void => {
    timer = setTimeout(slice, PAUSE_MS).unref();
  };
  next();
  return { stop: () => clearTimeout(timer) };
}
