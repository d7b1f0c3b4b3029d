/** The part of a search that determines candidates and order. */
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import type { FacetSearchRequest, SearchRequest } from '@fossick/settings/parameters';
import type { VectorTarget } from '@fossick/vectors';
import type { DistinctField } from '../ranking/bucket-sort.js';
import type { RuleBook } from '../search-rules/search-rule.js';

/** The parameters of every search that determine which documents are found. */
type Matched = Pick<SearchRequest & FacetSearchRequest, keyof SearchRequest & keyof FacetSearchRequest>;

/** Whether hits may be left out by their score: counts are exact then. */
export const hasThreshold = (request: Matched): boolean => request.rankingScoreThreshold !== null;

/** Whether `distinct` counts exactly: where it is asked for, and in searches with vectors, whose counts are those of all pages. */
export const countsDistinct = (request: Pick<SearchRequest, 'exactDistinctCounts' | 'hybrid'>): boolean =>
  request.exactDistinctCounts === true || request.hybrid != null;

/** With `distinct`, at least this many documents are ranked, so that documents of several values are counted alike on each of these pages. */
const DISTINCT_LENGTH_MIN = 1000;

/** How many documents are compared for counts that do not depend on the page, of which `needed` are the first ones. */
export const distinctLength = ({ settings }: IndexView, needed: number): number =>
  Math.max(needed, Math.min(DISTINCT_LENGTH_MIN, settings.pagination.maxTotalHits));

/** Which of the documents found are ranked, and how. */
interface Order {
  readonly sort: SearchRequest['sort'];
  readonly distinct: SearchRequest['distinct'];
  readonly from: number;
  readonly length: number;
  readonly withDetails: boolean;
  /** Whether counts must be exact: in page mode and for exhaustive facet counts. */
  readonly isExhaustive: boolean;
  /** Start of the cutoff on the clock of performance.now(); absent: now. */
  readonly startedMs?: number | undefined;
  /** Whether messages about the filter begin with the index; they do when absent. */
  readonly namesIndex?: boolean | undefined;
  /** The value of `now` in scores, in seconds since 1970; absent: the minute that begins the search. */
  readonly nowSeconds?: number | undefined;
  /** Whether counts are those of the documents that `distinct` leaves. */
  readonly exactDistinct?: boolean | undefined;
  /** Whether values of the documents found are counted. */
  readonly countsValues?: boolean | undefined;
  /** How many of the documents that match have to be found, if those of the page are enough to rank; null or absent: they are not. */
  readonly enough?: number | null | undefined;
  /** Whether the documents are wanted that may match by vectors, if not by words. */
  readonly countsAll?: boolean | undefined;
  /** Rules that may pin documents. */
  readonly ruleBook?: RuleBook | null | undefined;
  /** Whether the rules note what they divide. */
  readonly explains?: boolean | undefined;
}

/** The part of a request that determines candidates and order. */
export interface RankingRequest
  extends Order,
    Pick<
      Matched,
      | 'q'
      | 'filter'
      | 'matchingStrategy'
      | 'attributesToSearchOn'
      | 'locales'
      | 'typoTolerance'
      | 'rankingRules'
      | 'attributeWeights'
      | 'maxQueryWords'
      | 'queryMode'
    > {
  /** 0 to 1: documents below it are left out; null: none are. */
  readonly threshold: number | null;
  /** Replaces `distinct` and the setting; null: no document is left out. */
  readonly distinctBy?: DistinctField | null;
  /** The documents that satisfy the filter, or some of them: the filter is not evaluated. */
  readonly within?: Bitmap;
  /** Ranks all documents that satisfy the filter by similarity to this vector; `q` then only selects pins. */
  readonly target?: VectorTarget;
}

/** Written out instead of spread: an object of twenty members that begins with a spread costs 13 µs. */
export const rankingRequestOf = (request: Matched, order: Order): RankingRequest => ({
  q: request.q,
  filter: request.filter,
  matchingStrategy: request.matchingStrategy,
  attributesToSearchOn: request.attributesToSearchOn,
  locales: request.locales,
  // programs in JavaScript that write requests out may lack the newer members
  typoTolerance: request.typoTolerance ?? null,
  rankingRules: request.rankingRules ?? null,
  attributeWeights: request.attributeWeights ?? null,
  maxQueryWords: request.maxQueryWords ?? null,
  queryMode: request.queryMode,
  threshold: request.rankingScoreThreshold,
  sort: order.sort,
  distinct: order.distinct,
  from: order.from,
  length: order.length,
  withDetails: order.withDetails,
  isExhaustive: order.isExhaustive,
  startedMs: order.startedMs,
  namesIndex: order.namesIndex,
  nowSeconds: order.nowSeconds,
  exactDistinct: order.exactDistinct,
  countsValues: order.countsValues,
  enough: order.enough,
  ruleBook: order.ruleBook,
  explains: order.explains,
});
