import type { DocIds } from '@fossick/base';
import type { VectorMaker } from '../embedding/vector-maker.js';
import type { WriteContext } from '../transaction/write-context.js';

/** Options for applying the operations of a batch. */
export interface ApplyOptions {
  readonly context: WriteContext;
  /** The batch also adds documents. */
  readonly isMixed: boolean;
  /** Docids that match a filter, in the state after all changes so far. Throws ApiError invalid_document_filter. */
  readonly matchFilter: (filter: unknown) => DocIds;
  /** The lines of a payload, whose absence is an error. */
  readonly linesOf: (payloadFile: string) => Iterable<string>;
  /** Docids of documents that have expired by a time, in the state after all changes so far. */
  readonly matchExpired: (untilMs: number) => DocIds;
  readonly vectorMaker: VectorMaker | undefined;
}
