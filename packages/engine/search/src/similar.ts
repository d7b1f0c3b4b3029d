/** Documents similar to a given one. */
import { ApiError, apiError, type DocId } from '@fossick/base';
import { evaluateFilter } from '@fossick/columns';
import { type Filter, readFilter } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { DEFAULT_SEARCH, type SimilarRequest } from '@fossick/settings/parameters';
import { givenVectors, NearestDocuments, vectorRulesOf } from '@fossick/vectors';
import { hitMaker } from './hits.js';
import { requireEmbedder, targetOf } from './ranked/query-target.js';
import type { RankedDocument } from './ranking/bucket-sort.js';
import { filterDeadlineMs } from './request/search-cutoff.js';
import type { SearchHit } from './request/search-response.js';
import { elapsedMs, type StageClock } from './request/stage-clock.js';

export interface SimilarResponse {
  readonly hits: readonly SearchHit[];
  readonly id: string;
  readonly processingTimeMs: number;
  readonly limit: number;
  readonly offset: number;
  readonly estimatedTotalHits: number;
}

/**
 * The documents whose vectors are nearest to those of one document, without the document itself. O(candidates *
 * dimensions).
 * @throws ApiError invalid_similar_embedder, not_found_similar_id, invalid_similar_filter
 */
export function similarDocuments(view: IndexView, request: SimilarRequest, clock: StageClock): SimilarResponse {
  return clock.time('similar', () => {
    const startedMs = performance.now();
    const mark = view.kernel.memory.mark();
    try {
      const { id, limit, offset } = request;
      const { documents, candidateCount } = rankSimilar(view, request);
      // hits of a search without words: nothing is highlighted or cropped
      const search = { ...DEFAULT_SEARCH, ...request };
      const hits = clock.time('format', () => documents.map(hitMaker(view, search, { terms: () => [] })));
      const processingTimeMs = elapsedMs(startedMs);
      const estimatedTotalHits = Math.min(candidateCount, view.settings.pagination.maxTotalHits);
      return { hits, id, processingTimeMs, limit, offset, estimatedTotalHits };
    } finally {
      view.kernel.memory.release(mark);
    }
  });
}

interface RankedSimilar {
  readonly documents: readonly RankedDocument[];
  readonly candidateCount: number;
}

function rankSimilar(view: IndexView, request: SimilarRequest): RankedSimilar {
  const { kernel } = view;
  const { id, embedder, offset, limit, rankingScoreThreshold } = request;
  requireEmbedder(view, embedder, 'invalid_similar_embedder');
  const visible = universeOf(view, request.tenantFilter);
  const docId = view.docIdOf(id);
  if (docId === undefined || !kernel.bitmaps.has(visible, docId)) throw apiError('not_found_similar_id', view.uid, id);
  kernel.bitmaps.and(visible, universeOf(view, request.filter));
  kernel.bitmaps.unset(visible, docId);
  const candidateCount = kernel.bitmaps.count(visible);
  const vectors = vectorsOf(view, docId, embedder);
  if (vectors.length === 0)
    return { documents: [], candidateCount: rankingScoreThreshold === null ? candidateCount : 0 };
  const target = targetOf(view, embedder, vectors);
  const wanted = Math.min(offset + limit, candidateCount);
  const nearest = new NearestDocuments(view, target, visible, wanted);
  const isNear = (distance: number): boolean => target.similarityOf(distance) >= (rankingScoreThreshold ?? 0);
  // hits below the threshold never count, whatever the page
  const total = rankingScoreThreshold === null ? candidateCount : countOf(nearest.within(isNear));
  const documents: RankedDocument[] = [];
  while (documents.length < wanted) {
    const next = nearest.take();
    if (next === null) break;
    // later documents are no nearer
    if (rankingScoreThreshold !== null && !isNear(next.distance)) break;
    const similarity = target.similarityOf(next.distance);
    documents.push({ docId: next.docId, details: [{ kind: 'vector', similarity }] });
  }
  return { documents: documents.slice(offset), candidateCount: total };
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count += 1;
  return count;
}

/** A scratch bitmap of the documents that satisfy a filter. */
function universeOf(view: IndexView, given: unknown): Bitmap {
  try {
    const filter: Filter | null = readFilter(given, 'invalid_search_filter');
    return view.kernel.bitmaps.copy(
      filter === null
        ? view.documents
        : evaluateFilter(view, filter, 'invalid_search_filter', filterDeadlineMs(view, performance.now())),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_search_filter') throw error;
    throw new ApiError('invalid_similar_filter', error.message);
  }
}

/** The document's vectors of the embedder's dimension. */
function vectorsOf(view: IndexView, docId: DocId, embedder: string): Float32Array[] {
  const found = new Map(givenVectors(view.document(docId)?._vectors)).get(embedder) ?? [];
  const dimCount = vectorRulesOf(view.settings).get(embedder)?.dimCount ?? found[0]?.length;
  return found.filter(({ length }) => length === dimCount).map((vector) => Float32Array.from(vector));
}
