/** A search up to its ranked documents, by words, by vectors or by both. */

import { ApiError } from '@fossick/base';
import { readFilter } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import { queryTarget } from './query-target.js';
import { rankHybrid, rankSemantic } from './rank-hybrid.js';
import { parsedSort, type RankedSearch, rankDocuments } from './ranked-search.js';
import type { RankingRequest } from './ranking-request.js';
import type { SearchKind } from './search-plan.js';

export interface KindRanking extends RankedSearch {
  /** Documents found by their vector; null for a keyword search. */
  readonly semanticIds: ReadonlySet<number> | null;
  /** The query vector as given; `singlePrecision` formats its numbers. */
  readonly queryVector: readonly number[] | null;
}

/**
 * Ranks as rankDocuments does, with vectors when the kind needs them. Ranks of a hybrid search always start at 0,
 * because both lists are merged from their heads.
 * @throws ApiError for an invalid filter, sort, distinct or attributesToSearchOn, invalid_vector_dimensions,
 *   vector_embedding_error
 */
export function rankByKind(
  view: IndexView,
  kind: SearchKind,
  vector: SearchRequest['vector'],
  request: RankingRequest,
): KindRanking {
  if (kind.kind === 'keyword') return byWords(rankDocuments(view, request));
  if (request.sort) parsedSort(view, request.sort);
  readFilter(request.filter, 'invalid_search_filter');
  const target = queryTarget(view, kind.embedder, vector);
  const queryVector = vector ?? null;
  if (kind.kind === 'hybrid') return rankHybrid(view, kind.semanticRatio, target, queryVector, request);
  if (target instanceof ApiError) throw target;
  const ranked = rankSemantic(view, target, request);
  const semanticIds = new Set(ranked.documents.map(({ docId }) => docId));
  return { ...ranked, semanticIds, queryVector };
}

/** Written out instead of spread, because it is on the path of most searches. */
function byWords(ranked: RankedSearch): KindRanking {
  const { documents, candidates, isDegraded, terms, sort, matching, pins, explain } = ranked;
  return {
    documents,
    candidates,
    isDegraded,
    terms,
    sort,
    matching,
    pins,
    explain,
    semanticIds: null,
    queryVector: null,
  };
}
