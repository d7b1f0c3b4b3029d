import { apiError, type DocIds } from '@fossick/base';
import { evaluateFilter } from '@fossick/columns';
import type { Filter } from '@fossick/filter';
import { type RowSource, readerOf } from '@fossick/format';
import type { IndexReader } from '../view/index-reader.js';

/** Matching documents in ascending order, read from the rows of an open transaction. Closes `index`. */
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

/** Filters of writes cannot use other indexes: the server refuses such filters before. */
export function refuseForeign(uid: string): never {
  throw apiError('invalid_document_filter', 'foreignIndex', uid);
}
