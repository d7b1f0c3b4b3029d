/** The best hits of each value of an attribute. */
import { apiError, MAX_GROUP_HITS, MAX_GROUPS } from '@fossick/base';
import { type FieldValue, GroupWalk, ValueDocs } from '@fossick/columns';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { featuresOf, rulePatterns } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';
import { type KindRanking, rankByKind } from '../ranked/rank-by-kind.js';
import { type RankedSearch, rankDocuments } from '../ranked/ranked-search.js';
import type { RankingRequest } from '../ranked/ranking-request.js';
import type { PageRange, SearchKind } from '../ranked/search-plan.js';
import type { RankedDocument } from '../ranking/bucket-sort.js';
import type { AnswerGroup } from '../request/answer-parts.js';
import { formatDeadlineMs, rankingDeadlineMs } from '../request/search-cutoff.js';
import type { RuleBook } from '../search-rules/search-rule.js';

/** A page of groups. */
export interface FoundGroups<H> {
  readonly groups: readonly AnswerGroup<H>[];
  /** Groups in all. */
  readonly total: number;
  /** All documents found, for facets. */
  readonly ranked: KindRanking;
  readonly isDegraded: boolean;
}
export interface GroupInputs<H> {
  readonly view: IndexView;
  readonly request: SearchRequest;
  readonly kind: SearchKind;
  readonly range: PageRange;
  /** The ranking of all hits, without `distinct`. */
  readonly ranking: RankingRequest;
  readonly startedMs: number;
  /** Makes the hits of one group. */
  readonly maker: (
    view: IndexView,
    request: SearchRequest,
    ranked: RankedSearch,
    deadlineMs: number,
  ) => (document: RankedDocument) => H;
}

/** @throws ApiError invalid_search_group */
function checkGroup(view: IndexView, request: SearchRequest, range: PageRange): void {
  const { by, limit } = request.group!;
  if (request.distinct !== null) throw apiError('invalid_search_group', 'withDistinct');
  if (featuresOf(view.settings, by)?.isFilterable !== true) {
    const patterns = rulePatterns(view.settings, 'filter');
    throw apiError('invalid_search_group', 'notFilterable', view.uid, by, patterns);
  }
  if (range.length > MAX_GROUPS || range.length * limit > MAX_GROUP_HITS)
    throw apiError('invalid_search_group', 'tooLarge', range.length, limit, MAX_GROUPS, MAX_GROUP_HITS);
}

/**
 * The groups of the page, in the order of their best hits; those of a document with several values in the order of these. A search by
 * vectors, with operators or with rules that scale scores has groups of its best `maxTotalHits` hits: its order is made of several lists.
 * @throws ApiError invalid_search_group, and as rankByKind
 */
export function findGroups<H>(inputs: GroupInputs<H>): FoundGroups<H> {
  const { view, request, kind, range, startedMs } = inputs;
  checkGroup(view, request, range);
  const { kernel, settings } = view;
  const { maxTotalHits } = settings.pagination;
  const ruleBook = withoutPins(inputs.ranking.ruleBook ?? null);
  const all: RankingRequest = { ...inputs.ranking, ruleBook, distinctBy: null, isExhaustive: false, startedMs };
  const values = new ValueDocs(view, request.group!.by);
  const isByWords = kind.kind === 'keyword' && request.queryMode !== 'boolean' && ruleBook === null;
  const listed = { ...all, from: 0, length: isByWords ? 0 : maxTotalHits };
  const ranked = rankByKind(view, kind, request.vector, listed);
  const walk = new GroupWalk(view, values, rankingDeadlineMs(view, startedMs));
  const until = range.from + range.length;
  let isDegraded = ranked.isDegraded;
  if (isByWords) {
    const mark = kernel.memory.mark();
    isDegraded ||= rankDocuments(view, { ...all, distinctBy: walk, from: 0, length: until }).isDegraded;
    kernel.memory.release(mark);
  } else for (const { docId } of ranked.documents) walk.takeNew(docId);
  const total = isByWords ? values.countValues(ranked.candidates) : walk.found.length;
  const groups = walk.found.slice(range.from, until).map((value) => {
    const mark = kernel.memory.mark();
    try {
      const { group, isCut } = groupOf(inputs, all, values, value, ranked.candidates);
      isDegraded ||= isCut;
      return group;
    } finally {
      kernel.memory.release(mark);
    }
  });
  return { groups, total: Math.min(total, maxTotalHits), ranked, isDegraded };
}

/** The rules that scale scores; null without any. A group has no place for pins. */
function withoutPins(book: RuleBook | null): RuleBook | null {
  const rules = (book?.rules ?? []).filter(({ scales }) => scales.length > 0).map((rule) => ({ ...rule, pins: [] }));
  return book === null || rules.length === 0 ? null : { ...book, rules };
}

function groupOf<H>(
  { view, request, kind, maker, startedMs }: GroupInputs<H>,
  all: RankingRequest,
  values: ValueDocs,
  value: FieldValue,
  candidates: Bitmap,
): { readonly group: AnswerGroup<H>; readonly isCut: boolean } {
  const { bitmaps } = view.kernel;
  const within = bitmaps.create(view.bitCount);
  values.addDocs(value, within);
  bitmaps.and(within, candidates);
  const shown = values.shown(value, within);
  const documentCount = bitmaps.count(within);
  const deadlineMs = formatDeadlineMs(view, startedMs, performance.now());
  const best = rankByKind(view, kind, request.vector, { ...all, within, from: 0, length: request.group!.limit });
  view.needDocuments?.(best.documents.map(({ docId }) => docId));
  return {
    group: { value: shown, documentCount, hits: best.documents.map(maker(view, request, best, deadlineMs)) },
    isCut: best.isDegraded,
  };
}
