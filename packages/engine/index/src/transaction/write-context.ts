import type { FieldNames } from '@fossick/documents';
import type { RequestReport } from '@fossick/embedders';
import type { IndexSettings } from '@fossick/settings';
import type { SegmentWriter } from '../segment/segment-writer.js';
import type { UndoFile } from './undo-log.js';

export interface WriteContext {
  /** True once the batch is to be abandoned: the engine stops at the next document and commits nothing. */
  readonly isCanceled: () => boolean;
  /**
   * Names the running step in the words of the API's progress; any other name counts `done` of `total` within that
   * step.
   */
  readonly onProgress: (step: string, done: number, total: number) => void;
  readonly maxIndexingBytes: number;
  /** Called for every request that was sent to an embedder's provider. */
  readonly onEmbedderRequest?: (report: RequestReport) => void;
  /** False when no other batch waits: memory kept for the next batch is then returned during the write. */
  readonly isMoreWaiting?: () => boolean;
}

export interface IndexTransactionOptions {
  /** Begins a segment; an unfinished one is dropped. */
  readonly segmentWriterOf: (settings: IndexSettings, fields: FieldNames) => SegmentWriter;
  readonly context: WriteContext;
  /** Opens a temporary file for data that does not fit in memory; absent: it stays in memory. */
  readonly undoFile?: (() => UndoFile) | undefined;
}
