import type { EngineReader } from '@fossick/index';

/** Length of a slice, and the factor of the pause after it: a twentieth of this thread, which also answers requests. */
const SLICE_MS = 5;
const PAUSE_MS = 100;

/**
 * Reads the figures of all indexes for statistics and listings in slices after the start, so that the first request for
 * them does not wait for thousands of files. `onEnd` is called when all were read. `stop` ends it.
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
      // the request that needs them reads them, and reports the error
      onFault(error);
    }
  };
  const next = (): void => {
    timer = setTimeout(slice, PAUSE_MS).unref();
  };
  next();
  return { stop: () => clearTimeout(timer) };
}
