import type { EngineReader } from '@fossick/index';
import type { TaskLog } from '@fossick/tasks';

/** Of the names of all series, so that dashboards made for others of its kind work. */
export const PREFIX = 'meilisearch_';

/** Lets other requests run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The parts of an instance that its metrics are read from. */
export interface MetricsContext {
  readonly options: { readonly searchQueueCapacity: number };
  readonly engine: EngineReader;
  readonly tasks: TaskLog;
  readonly searches: { readonly waitingCount: number };
  readonly counts: { readonly degraded: number };
  readonly searchers: { readonly runningCount: number; readonly waitingCount: number };
  readonly writer: { progress(batchUid: number): unknown };
  /** Bytes of every store of the instance except the engine's. */
  readonly storeSize: () => { readonly diskBytes: number; readonly usedBytes: number };
}
