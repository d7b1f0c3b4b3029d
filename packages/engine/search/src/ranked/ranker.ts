/** The keyword queries of one search: a plain query is one, a boolean query one for each alternative. */
import { matchesPattern, type SortEntry } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { type RankingRuleSetting, readRankingRule } from '@fossick/settings';
import type { LocatedTerm } from '../highlight/matching-terms.js';
import { Lexicon } from '../query/lexicon.js';
import type { MatchingStrategy } from '../query/query-graph.js';
import type { ParsedQuery } from '../query/query-terms.js';
import { type TypoRules, typoRules } from '../query/typo-rules.js';
import { bucketSort, type DistinctField, type RankedPage } from '../ranking/bucket-sort.js';
import { ExcludedDocs } from '../ranking/excluded-docs.js';
import type { NeededCandidates } from '../ranking/first-candidates.js';
import {
  buildKeywordQuery,
  type Exclusions,
  type KeywordQuery,
  locatedStopWords,
  locatedTerms,
  parseQueryText,
  type ReadQuery,
  reachedTerms,
  readBooleanText,
} from '../ranking/keyword-query.js';
import { onlyNode } from '../ranking/paths/single-finder.js';
import { buildRules } from '../ranking/rule-list.js';
import { detailsOf } from '../ranking/rules/score-details.js';
import type { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import type { FieldWeights, RestrictedFields } from '../ranking/terms/field-scope.js';
import { TermDocs } from '../ranking/terms/term-docs.js';
import type { ExplainedQuery, RuleTrace } from '../request/answer-parts.js';
import { currentMinute } from '../request/current-minute.js';
import { candidatesDeadlineMs, filterDeadlineMs, rankingDeadlineMs } from '../request/search-cutoff.js';
import { type WeightGroup, weightedPage } from '../search-rules/weight-groups.js';
import { explainedQuery } from './explanation.js';
import { mergePages } from './merge-ranked.js';
import type { RankingRequest } from './ranking-request.js';

/** What the request means on this view. */
export interface RankingScope {
  readonly startedMs: number;
  readonly pool: BitmapPool;
  /** The fields to search; null when unrestricted. */
  readonly restricted: RestrictedFields | null;
  readonly fields: FieldWeights;
  readonly rankingRules: readonly RankingRuleSetting[];
  readonly sort: readonly SortEntry[];
  readonly distinct: DistinctField | null;
}

/** A query with the documents that match it. */
export interface PreparedQuery {
  readonly parsed: ParsedQuery | null;
  /** Null when there are no words to search for. */
  readonly query: KeywordQuery | null;
  readonly docs: TermDocs;
  readonly candidates: Bitmap;
  /** What search rules multiply the scores of these documents by. */
  readonly weight: number;
  /** What its rules do; null where the request does not ask. */
  readonly traces: RuleTrace[] | null;
}

/** The documents to rank, how many of them, and whether with details. */
type Wanted = Pick<RankingRequest, 'from' | 'length' | 'withDetails'>;

export class Ranker {
  private readonly view: IndexView;
  private readonly request: RankingRequest;
  private readonly scope: RankingScope;
  private readonly lexicon: Lexicon;
  private readonly typos: TypoRules;
  private readonly strategy: MatchingStrategy;
  /** Made with the first excluded word. */
  private excluded: ExcludedDocs | undefined;
  private read: readonly ReadQuery[] | undefined;

  /** @throws ApiError invalid_search_typo_tolerance */
  constructor(view: IndexView, request: RankingRequest, scope: RankingScope) {
    this.view = view;
    this.request = request;
    this.scope = scope;
    this.lexicon = new Lexicon(view);
    this.typos = typoRules(view, request.typoTolerance);
    // the operators say which words may be missing
    this.strategy = request.queryMode === 'boolean' ? 'all' : request.matchingStrategy;
  }

  /**
   * The queries of the request, at least one, with their documents among the candidates, which are used up. `isOnly`: no other candidates are ranked besides.
   * @throws ApiError invalid_search_boolean_query, and invalid_search_q when excluded words take too long
   */
  prepare({ docs: candidates, weight }: WeightGroup, isOnly: boolean): readonly PreparedQuery[] {
    this.read ??= this.parse();
    const { read } = this;
    if (read.length <= 1) {
      const needed = isOnly ? this.needed() : null;
      return [{ ...this.prepared(read[0] ?? null, candidates, needed), weight }];
    }
    const queries = read.map((each) => ({
      ...this.prepared(each, this.scope.pool.copyOf(candidates), null),
      weight,
    }));
    this.scope.pool.release(candidates);
    return queries;
  }

  /** The page of the documents that match any of the queries, each ranked by the one that ranks it best. */
  rank(queries: readonly PreparedQuery[]): RankedPage {
    const { request } = this;
    const { distinct, pool } = this.scope;
    const [only, ...others] = queries;
    const page =
      others.length === 0
        ? this.ranked(only!, request)
        : mergePages(
            { pool, distinct, from: request.from, length: request.length },
            queries.map((query) => ({
              page: this.ranked(query, { from: 0, length: request.from + request.length, withDetails: true }),
              weight: query.weight,
            })),
          );
    if ((request.isExhaustive || request.exactDistinct === true) && distinct)
      keepRepresentatives(pool, distinct, page.candidates);
    return page;
  }

  /** Terms of a query for the formatter. */
  termsOf({ query, parsed, docs, candidates }: PreparedQuery, deadlineMs: number): LocatedTerm[] {
    const { pool } = this.scope;
    const reached = query && pool.withDeadline(deadlineMs, () => reachedTerms(docs, query, candidates));
    return [
      ...(query && reached ? locatedTerms(query.terms, reached) : []),
      ...(parsed ? locatedStopWords(parsed) : []),
    ];
  }

  /** What a query matched and how it was ranked. Term counts are left out when the deadline passes first. */
  explain(prepared: PreparedQuery, deadlineMs: number): ExplainedQuery {
    const how = { byVector: this.request.target !== undefined, matchingStrategy: this.strategy };
    return explainedQuery(prepared, { ...how, rules: prepared.traces ?? [] }, deadlineMs);
  }

  private parse(): readonly ReadQuery[] {
    const { view, request } = this;
    const { q } = request;
    if (request.target || q === null || q.trim() === '') return [];
    const locales = queryLocales(view, request.locales, this.scope.restricted?.names ?? null);
    const reading = { locales, maxTerms: request.maxQueryWords };
    if (request.queryMode === 'boolean') return readBooleanText(view, q, reading);
    const parsed = parseQueryText(view, q, reading);
    return [{ parsed, exclusions: [parsed] }];
  }

  /** Which candidates the request needs; null: all, because it needs more of them than their count, or ranks otherwise first. */
  private needed(): NeededCandidates | null {
    const { rankingRules, sort } = this.scope;
    const { enough = null, from, length } = this.request;
    const [first, second] = rankingRules.filter((rule) => rule !== 'sort' || sort.length > 0);
    const ranksByTypo = first === 'typo' || (first === 'words' && second === 'typo');
    if (!ranksByTypo || enough === null) return null;
    const dividesAll = rankingRules.some((rule) => {
      const entry = readRankingRule(rule);
      return entry?.kind === 'score' && entry.buckets !== null;
    });
    return { ranked: from + length, counted: dividesAll ? Number.POSITIVE_INFINITY : enough };
  }

  private prepared(
    read: ReadQuery | null,
    candidates: Bitmap,
    needed: NeededCandidates | null,
  ): Omit<PreparedQuery, 'weight'> {
    const { view, lexicon, typos } = this;
    const { pool, restricted, startedMs } = this.scope;
    const docs = new TermDocs(view, lexicon, pool, restricted);
    const parsed = read?.parsed ?? null;
    for (const set of read?.exclusions ?? []) this.removeExcluded(candidates, set);
    const untilMs = candidatesDeadlineMs(view, startedMs);
    const query =
      parsed !== null && parsed.terms.length > 0
        ? buildKeywordQuery({ view, lexicon, docs, typos, untilMs, needed }, parsed, this.strategy, candidates)
        : null;
    return { parsed, query, docs, candidates, traces: this.request.explains === true ? [] : null };
  }

  private removeExcluded(candidates: Bitmap, set: Exclusions): void {
    if (set.negativeWords.length + set.negativePhrases.length === 0) return;
    const { pool, restricted, startedMs } = this.scope;
    this.excluded ??= new ExcludedDocs(
      new TermDocs(this.view, this.lexicon, pool, restricted),
      filterDeadlineMs(this.view, startedMs),
    );
    this.excluded.removeFrom(candidates, set);
  }

  private ranked({ query, docs, candidates, weight, traces }: PreparedQuery, wanted: Wanted): RankedPage {
    const { view, request, strategy } = this;
    const { pool, fields, rankingRules, sort, distinct, startedMs } = this.scope;
    const { from, length, withDetails } = wanted;
    const threshold = request.threshold === null ? null : request.threshold / weight;
    const wantedCount = from + length;
    // an empty page needs no rule: what matches is known
    if (wantedCount === 0 && threshold === null && distinct === null)
      return { documents: [], candidates: pool.copyOf(candidates), isDegraded: false };
    const isOneTerm =
      query !== null && onlyNode(query.graph) !== null && !withDetails && threshold === null && distinct === null;
    const rules = buildRules({
      view,
      docs,
      fields,
      rankingRules,
      sort,
      nowSeconds: request.nowSeconds ?? currentMinute(),
      candidates,
      wantedCount,
      vector: request.target ? { target: request.target, batchSize: wantedCount } : null,
      keyword: query ? { strategy, weightOf: query.weightOf, applied: query.applied, isOneTerm } : null,
      traces,
    });
    // a search by vectors finds every document: its counts do not depend on the order
    const isExactByWords = request.exactDistinct === true && request.target === undefined;
    const isExhaustive = distinct !== null && (threshold !== null || isExactByWords);
    const graph = query?.graph ?? null;
    const range = { from, length, threshold, withDetails, isExhaustive };
    const page = pool.withDeadline(rankingDeadlineMs(view, startedMs), () =>
      bucketSort({
        pool,
        rules,
        universe: query?.first || candidates,
        matching: candidates,
        graph,
        distinct,
        ...range,
      }),
    );
    const valued = rankingRules.some((rule) => typeof rule !== 'string') ? withValues(page) : page;
    return weight === 1 || !withDetails ? valued : weightedPage(valued, weight);
  }
}

/** The page with the score of each document, which its bucket does not have. */
const withValues = (page: RankedPage): RankedPage => ({
  ...page,
  documents: page.documents.map(({ docId, details }) => ({ docId, details: detailsOf(docId, details) })),
});

/** Keeps one document of each distinct value, the first in docid order. O(candidates). */
export function keepRepresentatives(pool: BitmapPool, distinct: DistinctField, candidates: Bitmap): void {
  const [firsts, excluded] = [pool.empty(), pool.empty()];
  distinct.markFirsts(candidates, firsts, excluded);
  pool.release(firsts);
  pool.kernel.bitmaps.andNot(candidates, excluded);
  pool.release(excluded);
}

/** Possible languages of the query: the request's, else those of the rules that match a searched field. */
function queryLocales(
  view: IndexView,
  requested: readonly string[] | null,
  restricted: readonly string[] | null,
): readonly string[] | undefined {
  if (requested) return requested.length > 0 ? requested : undefined;
  const rules = view.settings.localizedAttributes;
  if (!rules || rules.length === 0) return undefined;
  const { searchableAttributes } = view.settings;
  const fields = restricted ?? (searchableAttributes.includes('*') ? view.fieldNames : searchableAttributes);
  const locales = new Set<string>();
  for (const field of fields) {
    for (const { attributePatterns, locales: ofRule } of rules)
      if (attributePatterns.some((pattern) => matchesPattern(pattern, field)))
        for (const locale of ofRule) locales.add(locale);
  }
  return locales.size > 0 ? [...locales].sort() : undefined;
}
