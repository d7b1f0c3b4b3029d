import { apiError, type DocIds } from '@fossick/base';
import { type RowSource, readerOf } from '@fossick/format';
import type { Bitmap } from '@fossick/kernel';
import type { IndexReader } from '../view/index-reader.js';
import type { IndexView } from '../view/index-view.js';

/**
 * The documents of the bitmap that `match` makes, in ascending order, read from the rows of an open transaction. Closes
 * `index`.
 */
export function matchDocuments(
  index: IndexReader,
  uid: string,
  rows: RowSource,
  match: (view: IndexView) => Bitmap,
): DocIds {
  const { kernel } = index;
  const mark = kernel.memory.mark();
  try {
    const matching = match(index.enter(uid, readerOf(rows)));
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
