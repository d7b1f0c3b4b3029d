import type { DocIds } from '@fossick/base';
import type { VectorMaker } from '../embedding/vector-maker.js';
import type { WriteContext } from '../transaction/write-context.js';

/** What the operations of a batch are applied with. */
export interface ApplyOptions {
  readonly context: WriteContext;
  /** Docids that match a filter, in the state after all changes so far. Throws ApiError invalid_document_filter. */
  readonly matchFilter: (filter: unknown) => DocIds;
  readonly vectorMaker: VectorMaker | undefined;
}
