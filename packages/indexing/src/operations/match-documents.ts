import { apiError, type DocIds } from '@fossick/base';
import { evaluateFilter } from '@fossick/columns';
import type { Filter } from '@fossick/filter';
import { type RowSource, readerOf } from '@fossick/segments';
import type { IndexReader } from '@fossick/views';

/** Documents that match, in ascending order, as the rows of an open transaction have them. `index` is closed by this. */
export function matchDocuments(index: IndexReader, uid: string, rows: RowSource, filter: Filter): DocIds {
  const { kernel } = index;
  const mark = kernel.memory.mark();
  try {
    const matching = evaluateFilter(index.enter(uid, readerOf(rows)), filter, 'invalid_document_filter');
    return kernel.bitmaps.members(matching, 0, kernel.bitmaps.count(matching));
  } finally {
    kernel.memory.release(mark);
    index.close();
  }
}

/** Writes do not look into other indexes: the server refuses such filters before they get here. */
export function refuseForeign(uid: string): never {
  throw apiError('invalid_document_filter', 'foreignIndex', uid);
}
