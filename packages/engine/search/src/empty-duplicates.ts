import { createDistinct } from '@fossick/columns';
import type { IndexView } from '@fossick/index';
import type { RankedPage } from './ranking/bucket-sort.js';

/**
 * The ranked documents with at most one whose value is "" or white space. Facet columns have no such value, so ranking
 * keeps all of them; a `distinct` of the request compares the returned documents once more, and there "" is a value like
 * any other (recorded behaviour). Dropped documents are no candidates either, and no others move up: `page` must start at
 * rank 0. O(documents * log blanks).
 */
export function dropEmptyDuplicates<Page extends RankedPage>(view: IndexView, field: string, page: Page): Page {
  const distinct = createDistinct(view, field);
  if (!distinct.hasBlanks) return page;
  let isTaken = false;
  const documents = page.documents.filter(({ docId }) => {
    if (!distinct.isBlank(docId)) return true;
    if (isTaken) view.kernel.bitmaps.unset(page.candidates, docId);
    const isFirst = !isTaken;
    isTaken = true;
    return isFirst;
  });
  return { ...page, documents };
}
