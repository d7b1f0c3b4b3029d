import { ApiError } from '@fossick/base';
import { evaluateFilter } from '@fossick/columns';
import { FilterError, parseFilter } from '@fossick/filter';
import { type RowSource, readerOf } from '@fossick/segments';
import type { OpenIndex } from '@fossick/views';

type Filter = NonNullable<ReturnType<typeof parseFilter>>;

/** The filter of an operation; null where it says nothing. Throws ApiError invalid_document_filter. */
export function parseDocumentFilter(filter: unknown): Filter | null {
  try {
    return parseFilter(filter);
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError('invalid_document_filter', error.message);
    throw error;
  }
}

/** Documents that match, in ascending order, as the rows of an open transaction have them. `index` is closed by this. */
export function matchDocuments(index: OpenIndex, uid: string, rows: RowSource, filter: Filter): Uint32Array {
  const { kernel } = index;
  const mark = kernel.mark();
  try {
    const matching = evaluateFilter(index.enter(uid, readerOf(rows)), filter, 'invalid_document_filter');
    return kernel.members(matching, 0, kernel.count(matching));
  } finally {
    kernel.release(mark);
    index.close();
  }
}

/** Writes do not look into other indexes: the server refuses such filters before they get here (spec 01 section 4). */
export function refuseForeign(uid: string): never {
  throw new ApiError('invalid_document_filter', `A write cannot look into the index \`${uid}\`.`);
}
