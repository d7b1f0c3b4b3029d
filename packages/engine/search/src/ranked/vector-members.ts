/** Members of an answer about vectors. */

import type { SearchRequest } from '@fossick/settings/parameters';
import { singlePrecision } from '@fossick/vectors';
import type { KindRanking } from './rank-by-kind.js';

/** `queryVector`, when vectors are requested and one was used. */
export function queryVectorOf(
  { retrieveVectors }: SearchRequest,
  { queryVector }: KindRanking,
): { queryVector?: readonly number[] } {
  return retrieveVectors && queryVector !== null ? { queryVector: queryVector.map(singlePrecision) } : {};
}

/** `semanticHitCount`, when vectors could be used: the number of hits found by their vectors. */
export function semanticCount({ documents, semanticIds }: KindRanking): { semanticHitCount?: number } {
  if (semanticIds === null) return {};
  return { semanticHitCount: documents.filter(({ docId }) => semanticIds.has(docId)).length };
}
