import type { RequestReport } from '@fossick/embedders';

export interface WriteContext {
  /** True once the batch is to be abandoned: the engine stops at the next document and commits nothing. */
  readonly isCanceled: () => boolean;
  /** Names the running step in the words of spec 03 section 6; any other name counts `done` of `total` inside it. */
  readonly onProgress: (step: string, done: number, total: number) => void;
  readonly maxIndexingBytes: number;
  /** Hears of every request that an embedder's provider was sent. */
  readonly onEmbedderRequest?: (report: RequestReport) => void;
  /** False when no other batch waits: memory kept for the next one is then given back while this one is written. */
  readonly isMoreWaiting?: () => boolean;
}
