import type { FieldNames } from '@fossick/documents';
import type { RequestReport } from '@fossick/embedders';
import type { SegmentWriter } from '@fossick/segments';
import type { IndexSettings } from '@fossick/settings';

export interface WriteContext {
  /** True once the batch is to be abandoned: the engine stops at the next document and commits nothing. */
  readonly isCanceled: () => boolean;
  /** Names the running step in the words of the API's progress; any other name counts `done` of `total` inside it. */
  readonly onProgress: (step: string, done: number, total: number) => void;
  readonly maxIndexingBytes: number;
  /** Hears of every request that an embedder's provider was sent. */
  readonly onEmbedderRequest?: (report: RequestReport) => void;
  /** False when no other batch waits: memory kept for the next one is then given back while this one is written. */
  readonly isMoreWaiting?: () => boolean;
}

export interface IndexTransactionOptions {
  /** Begins a segment; one that was begun before is dropped. */
  readonly segmentWriterOf: (settings: IndexSettings, fields: FieldNames) => SegmentWriter;
  readonly context: WriteContext;
  /** Where what has to be kept and does not fit in memory may go; absent: it stays in memory. */
  readonly folder?: string;
}
