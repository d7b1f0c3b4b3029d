import type { EngineReader } from '@fossick/engine';
import type { TaskLog } from '@fossick/scheduler';

/** Lets other requests go first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What an instance is asked for when its metrics are read. */
export interface MetricsContext {
  readonly options: { readonly searchQueueCapacity: number };
  readonly engine: EngineReader;
  readonly tasks: TaskLog;
  readonly searches: { readonly waitingCount: number };
  readonly searchers: { readonly runningCount: number; readonly waitingCount: number };
  readonly writer: { progress(batchUid: number): unknown };
  /** Bytes of every store of the instance but the engine's. */
  readonly storeSize: () => { readonly diskBytes: number; readonly usedBytes: number };
}
