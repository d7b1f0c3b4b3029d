import { type ApiError, apiError, MAX_FOREIGN_DOCUMENTS } from '@fossick/base';
import { externalIdOf } from '@fossick/documents';
import { type Filter, type FilterNode, type FilterValue, filterOf, readFilter } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';

import { type ColumnView, type ForeignScope, liveDocument } from '../port.js';

type ForeignNode = Extract<FilterNode, { kind: 'foreign' }>;
/** Evaluates a filter on a view: a new scratch bitmap. */
export type EvaluateForeign = (view: ColumnView, filter: Filter) => Bitmap;

/**
 * The filter with every `_foreign(field, condition)` replaced by `field IN [ids]`: the ids of the documents that satisfy the condition in
 * the index of the first foreign key of `field`. Every condition is evaluated, also one that the rest of the filter makes irrelevant.
 * @throws ApiError invalid_search_filter for a field without a foreign key, for a nested foreign condition, for more than MAX_FOREIGN_DOCUMENTS
 *   of one index; invalid_api_key for an index that the request may not see; index_not_found; what `evaluate` throws
 */
export function withoutForeign(view: ColumnView, filter: Filter, evaluate: EvaluateForeign): Filter {
  if (!hasForeign(filter.node)) return filter;
  const found = new Map<string, Set<string>>();
  const node = rewritten(filter.node, (foreign) => idsOf(view, foreign, evaluate, found));
  return filterOf(node, (token) => filter.contextOf(token));
}

function hasForeign(node: FilterNode): boolean {
  if (node.kind === 'and' || node.kind === 'or') return node.items.some(hasForeign);
  return node.kind === 'not' ? hasForeign(node.item) : node.kind === 'foreign';
}

function rewritten(node: FilterNode, idsOfNode: (node: ForeignNode) => readonly string[]): FilterNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { kind: node.kind, items: node.items.map((item) => rewritten(item, idsOfNode)) };
    case 'not':
      return { kind: 'not', item: rewritten(node.item, idsOfNode) };
    case 'foreign':
      return { kind: 'in', field: node.field, values: idsOfNode(node).map(withoutOffsets) };
    default:
      return node;
  }
}

/** The caller adds offsets of the whole text. */
const withoutOffsets = (text: string): FilterValue => ({ text, start: 0, end: 0 });

/** @param foundByIndex ids that the filter's conditions matched so far, by foreign index */
function idsOf(
  view: ColumnView,
  { field, condition }: ForeignNode,
  evaluate: EvaluateForeign,
  foundByIndex: Map<string, Set<string>>,
): readonly string[] {
  const key = view.settings.foreignKeys.find(({ fieldName }) => fieldName === field.text);
  if (key === undefined) throw apiError('invalid_search_filter', 'noForeignKey', view.uid, field.text);
  if (hasForeign(condition)) throw apiError('invalid_search_filter', 'foreignInForeign', view.uid);
  const uid = key.foreignIndexUid;
  const ids = view.withForeign(uid, (scope) => {
    if (!scope.isAllowed) throw notAllowed(uid);
    const foreign = scope.view;
    const { kernel, primaryKey } = foreign;
    const matching = evaluate(foreign, filterOf(condition));
    kernel.bitmaps.and(matching, visibleDocuments(scope, evaluate));
    // one more than allowed, to detect too many
    const docIds = [...kernel.bitmaps.members(matching, 0, MAX_FOREIGN_DOCUMENTS + 1)];
    return docIds.map((docId) => externalIdOf(liveDocument(foreign, docId), primaryKey!));
  });
  const found = new Set([...(foundByIndex.get(uid) ?? []), ...ids]);
  foundByIndex.set(uid, found);
  if (found.size > MAX_FOREIGN_DOCUMENTS)
    throw apiError('invalid_search_filter', 'tooManyForeign', uid, MAX_FOREIGN_DOCUMENTS);
  return ids;
}

/**
 * A bitmap, in kernel scratch, of the documents of a foreign index that the request may see. The filter that decides it, which is not part
 * of the request, must not have foreign conditions.
 * @throws ApiError invalid_search_filter
 */
export function visibleDocuments(scope: Extract<ForeignScope, { isAllowed: true }>, evaluate: EvaluateForeign): Bitmap {
  const { view, filter } = scope;
  const parsed = readFilter(filter, 'invalid_search_filter');
  return parsed === null ? view.documents : evaluate(view, parsed);
}

function notAllowed(uid: string): ApiError {
  return apiError('invalid_api_key', 'foreignIndex', uid);
}
