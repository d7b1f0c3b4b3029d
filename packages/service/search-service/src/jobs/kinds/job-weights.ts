/** When reads of an index are too long for the thread of requests. */

import { MAX_FILTER_CONDITIONS, MAX_GROUPS } from '@fossick/base';
import type { IndexWeight } from '@fossick/index';
import type { FederationRequest } from '@fossick/search';
import type { SearchRequest } from '@fossick/settings/parameters';
import { heavyIf, type JobWeight, type SizeOf } from './job.js';

type Queries = Pick<FederationRequest, 'queries' | 'facetsByIndex' | 'window'>;

/**
 * Bytes of documents in an answer above which a search thread makes it: a few milliseconds of work as text, and some
 * 100 ms where they are tens of thousands of nested objects.
 */
const LIGHT_ANSWER_BYTES = 512 * 1024;
/** The same where texts are highlighted, cropped or searched for matches, which takes several times as long. */
const LIGHT_FORMATTED_BYTES = 128 * 1024;
/** Documents of a page, or ids to look up. */
export const LIGHT_DOCUMENTS = 1_000;
/** Characters of a filter. */
const LIGHT_FILTER_UNITS = 16_384;
/** Characters of a filter times documents: conditions that match many documents or values take up to 0.2 ns for each, so some 40 ms. */
const LIGHT_FILTER_WORK = 200_000_000;
/**
 * Passes over the documents of an index, times documents, for groups, sums, levels, exact counts and scores: a pass takes about a
 * microsecond for each document, so some 40 ms.
 */
const LIGHT_PASSED_DOCUMENTS = 40_000;
/** Passes that sums by the values of another field are worth: their values are counted, and then each has its sums. */
const PASSES_BY_VALUE = 20;
/** Passes that the sums of one field are worth, and the steps of one field: each different value is read. */
const PASSES_OF_VALUES = 5;
/** Characters of a score that are worth a pass. */
const SCORE_UNITS_PER_PASS = 20;
/** Passes that the distance of a document by its vectors is worth: they are found, read and sorted. */
const PASSES_BY_VECTOR = 10;
/** Passes that the order by distance from a point is worth, for all hits, and again for each rank: documents that are alike before it may be there. */
const PASSES_BY_POINT = 0.1;
const PASSES_BY_POINT_AND_RANK = 0.01;
/** Passes that a condition on the distance from a point, or on a box, is worth. */
const PASSES_BY_AREA = 0.2;
/** The same for a polygon: a large one is compared with each whole shape, some milliseconds long. */
const PASSES_BY_POLYGON = 5_000;
/** Settings beyond this take long to prepare for the first search after a commit. */
const LIGHT_SETTINGS_BYTES = 512 * 1024;
/** Documents whose facet values are searched: normalised forms are computed at the first such search. */
export const LIGHT_FACET_DOCUMENTS = 20_000;
/** Queries of a federated search, which runs as one piece: of one commit for each index. */
const LIGHT_QUERIES = 8;
/** Facet values that are counted, formatted and shown: some 5 µs each. */
const LIGHT_FACET_VALUES = 4_000;
/** Number of fields that a pattern among the facets is assumed to match. */
const PATTERN_FIELDS = 20;

/** The weight of several searches in one piece. */
export function weightOfQueries(request: Queries, sizes: SizeOf): JobWeight {
  if (request.queries.length > LIGHT_QUERIES) return 'long';
  return heavyIf(
    hasManyValuesByIndex(request, sizes) ||
      request.queries.some(({ indexUid, request: query }) => {
        const size = sizes(indexUid);
        return (
          isHeavyOn(size, request.window.length, { isFormatted: isFormatted(query) }) ||
          isLongFilter(query.filter, size) ||
          isLongQuery(query) ||
          isComputed(query, size, request.window.from + request.window.length)
        );
      }),
  );
}

type Computed = Pick<SearchRequest, 'group' | 'aggregations' | 'facetLevels' | 'exactDistinctCounts' | 'limit'> &
  Ranked &
  Measured &
  Paged;
type Ranked = Pick<SearchRequest, 'rankingRules'>;
type Measured = Pick<SearchRequest, 'hybrid' | 'rankingScoreThreshold' | 'distinct' | 'sort'>;
type Paged = Pick<SearchRequest, 'offset' | 'limit' | 'page' | 'hitsPerPage'>;

/**
 * Whether the answer needs groups, sums, levels, exact counts, scores or distances of many documents. `ranks`: how many documents have to be in order, those
 * before the page included. O(members)
 */
export function isComputed(request: Computed, size: IndexWeight, ranks: number = ranksOf(request)): boolean {
  const { group, aggregations, facetLevels, exactDistinctCounts, limit, sort } = request;
  let passes = scorePasses(request, size) + pointPasses(sort, Math.min(ranks, size.documentCount));
  if (exactDistinctCounts) passes += PASSES_BY_VALUE;
  if (group !== null) passes += Math.max(1, Math.min(limit, MAX_GROUPS));
  if (facetLevels !== null) passes += PASSES_OF_VALUES * Object.keys(facetLevels).length;
  for (const { by } of Object.values(aggregations ?? {})) passes += by === null ? PASSES_OF_VALUES : PASSES_BY_VALUE;
  return passes * size.documentCount > LIGHT_PASSED_DOCUMENTS || isFarByVectors(request, size, ranks);
}

/** The ranks of a search up to the end of its page. */
function ranksOf({ offset, limit, page, hitsPerPage }: Paged): number {
  return page === null && hitsPerPage === null ? offset + limit : (page ?? 1) * (hitsPerPage ?? limit);
}

/**
 * Whether a search by vectors orders many documents. All are counted by their distance with a threshold, and any may be left out with `distinct`.
 */
export function isFarByVectors(
  { hybrid, rankingScoreThreshold, distinct }: Pick<Measured, 'hybrid' | 'rankingScoreThreshold' | 'distinct'>,
  { documentCount }: Pick<IndexWeight, 'documentCount'>,
  ranks: number,
): boolean {
  if (!hybrid || hybrid.semanticRatio === 0) return false;
  const isOfAll = rankingScoreThreshold !== null || distinct !== null;
  return PASSES_BY_VECTOR * (isOfAll ? documentCount : Math.min(ranks, documentCount)) > LIGHT_PASSED_DOCUMENTS;
}

/** The passes that the points among the sorts are worth. O(sorts) */
function pointPasses(sort: SearchRequest['sort'], ranks: number): number {
  const points = (sort ?? []).filter((entry) => entry.trimStart().startsWith('_geoPoint')).length;
  return points * (PASSES_BY_POINT + PASSES_BY_POINT_AND_RANK * ranks);
}

/** Whether scores are computed of many documents. */
export function hasManyScores(request: Ranked, size: IndexWeight): boolean {
  return scorePasses(request, size) * size.documentCount > LIGHT_PASSED_DOCUMENTS;
}

function scorePasses({ rankingRules }: Ranked, { scoreUnits }: IndexWeight): number {
  if (rankingRules === null) return Math.ceil(scoreUnits / SCORE_UNITS_PER_PASS);
  let passes = 0;
  for (const rule of rankingRules)
    if (typeof rule !== 'string') passes += Math.ceil(rule.score.length / SCORE_UNITS_PER_PASS);
  return passes;
}

/** Facets of an index without a query count nothing, and the index need not exist. */
function hasManyValuesByIndex({ queries, facetsByIndex }: Queries, sizes: SizeOf): boolean {
  const uids = [...facetsByIndex.keys()].filter((uid) => queries.some(({ indexUid }) => indexUid === uid));
  return uids.some((uid) => hasManyValues(facetsByIndex.get(uid)!, sizes(uid)));
}

/**
 * Whether the facets may show many values: without a look each document is assumed to have at least one value of a
 * field.
 */
export function hasManyValues(
  facets: readonly string[] | null,
  { documentCount, facetValuesMax }: IndexWeight,
): boolean {
  if (facets === null || facets.length === 0) return false;
  const valueCount = Math.min(facetValuesMax, documentCount);
  // a list this long cannot consist of names of fields only
  const entries = facets.slice(0, LIGHT_FACET_VALUES);
  const fieldCount = entries.reduce((count, entry) => count + (entry.includes('*') ? PATTERN_FIELDS : 1), 0);
  return fieldCount * valueCount > LIGHT_FACET_VALUES;
}

/** Whether texts of its hits are highlighted, cropped or searched for matches. */
export function isFormatted({ attributesToHighlight, attributesToCrop, showMatchesPosition }: SearchRequest): boolean {
  return attributesToHighlight !== null || attributesToCrop !== null || showMatchesPosition;
}

/** Whether `limit` hits or documents of an index are too much to be searched or shown. */
export function isHeavyOn(
  { isLarge, documentCount, documentBytes, settingsBytes }: IndexWeight & { readonly isLarge: boolean },
  limit: number,
  { isSearch = true, isFormatted = false }: { readonly isSearch?: boolean; readonly isFormatted?: boolean } = {},
): boolean {
  const shownBytes = documentCount === 0 ? 0 : (Math.min(limit, documentCount) * documentBytes) / documentCount;
  const lightBytes = isFormatted ? LIGHT_FORMATTED_BYTES : LIGHT_ANSWER_BYTES;
  return (isLarge && isSearch) || settingsBytes > LIGHT_SETTINGS_BYTES || shownBytes > lightBytes;
}

/** Words of a query, as many as the reference uses. */
const LIGHT_QUERY_WORDS = 10;
/** Ranking rules of a request: settings have about ten. */
const LIGHT_RANKING_RULES = 20;
/** Words of `disableOnWords` of a request, which are tokenised. */
const LIGHT_TYPO_WORDS = 100;

/** Whether the words of a query may take long although the index is small: several queries in one, or more than the reference allows. */
export function isLongQuery({
  queryMode,
  maxQueryWords,
  rankingRules,
  typoTolerance,
}: Pick<SearchRequest, 'queryMode' | 'maxQueryWords' | 'rankingRules' | 'typoTolerance'>): boolean {
  const exactWords = typeof typoTolerance === 'object' ? typoTolerance?.disableOnWords : null;
  return (
    queryMode === 'boolean' ||
    (maxQueryWords !== null && maxQueryWords > LIGHT_QUERY_WORDS) ||
    (rankingRules !== null && rankingRules.length > LIGHT_RANKING_RULES) ||
    (exactWords ?? []).length > LIGHT_TYPO_WORDS
  );
}

/** A condition on elements of an array, or what may look like one: not the list of an `IN` or a pair of coordinates. */
const ELEMENT = /(?<!\bIN\s*|[(,]\s*)\[/;

/** A condition on where a document is. */
const AREA = /_geo(?:Polygon)?/g;

/**
 * Whether parsing a filter takes long, or evaluating it on the documents of an index, or documents are read for it.
 * O(LIGHT_FILTER_UNITS)
 */
export function isLongFilter(filter: unknown, { documentCount }: Pick<IndexWeight, 'documentCount'>): boolean {
  const lightUnits = Math.min(LIGHT_FILTER_UNITS, LIGHT_FILTER_WORK / documentCount);
  if (!Array.isArray(filter)) return typeof filter === 'string' && isLongText([filter], lightUnits, documentCount);
  if (filter.length > MAX_FILTER_CONDITIONS) return false; // it will be refused at once
  const texts: string[] = [];
  let units = 0;
  for (const item of filter) {
    const conditions: readonly unknown[] = Array.isArray(item) ? item.slice(0, LIGHT_FILTER_UNITS) : [item];
    for (const condition of conditions) {
      units += typeof condition === 'string' ? condition.length + 1 : 1;
      if (typeof condition === 'string') texts.push(condition);
    }
    if (units > lightUnits) return true;
  }
  return isLongText(texts, lightUnits, documentCount);
}

/** Whether conditions of a filter take long: their length is looked at first. */
function isLongText(texts: readonly string[], lightUnits: number, documentCount: number): boolean {
  if (texts.some((text) => text.length > lightUnits || ELEMENT.test(text))) return true;
  let passes = 0;
  for (const text of texts)
    for (const [area] of text.matchAll(AREA)) passes += area === '_geo' ? PASSES_BY_AREA : PASSES_BY_POLYGON;
  return passes * documentCount > LIGHT_PASSED_DOCUMENTS;
}
