/** The part of a search that interprets the query: from its text to terms, graph and candidates. */

import { compareUtf8, MAX_EXCLUDED_WORDS, MAX_QUERY_UNITS } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { Bitmap, None } from '@fossick/kernel';
import type { IndexSettings } from '@fossick/settings';
import type { LocatedTerm } from '../highlight/matching-terms.js';
import { alternativesOf, sharedExclusions, tooManyExcluded } from '../query/boolean-query.js';
import type { Lexicon } from '../query/lexicon.js';
import { buildQueryGraph, END, type MatchingStrategy, type QueryGraph, removalGroups } from '../query/query-graph.js';
import {
  ALL_EXPANSIONS,
  hasInfixes,
  NO_TYPO,
  ONE_TYPO,
  phrasesOf,
  type QueryTerm,
  TWO_TYPOS,
  wordsOf,
} from '../query/query-term.js';
import { isIndexedWord, lemmasOf, type ParsedQuery, parseQuery } from '../query/query-terms.js';
import { buildSynonyms, type SynonymTable } from '../query/synonyms.js';
import { expandTerms } from '../query/term-expansion.js';
import type { TypoRules } from '../query/typo-rules.js';
import { type FirstRule, findFirstCandidates, type NeededCandidates } from './first-candidates.js';
import { graphDocs, withoutNodes } from './rules/words.js';
import { SearchOverdue } from './terms/bitmap-pool.js';
import type { TermDocs } from './terms/term-docs.js';

export interface KeywordQuery {
  readonly terms: readonly QueryTerm[];
  /** What the first rule starts with. */
  readonly graph: QueryGraph;
  /** Groups of nodes that the matching strategy removes in turn until enough documents match. */
  readonly removals: readonly (readonly number[])[];
  /** Weight of an original term in the order of removal. */
  readonly weightOf: (id: number) => number;
  /** Candidates that rank before all others, enough for the page: the only ones to rank; 0: all are ranked. */
  readonly first: Bitmap | None;
  /** The rules for which these are equal. */
  readonly applied: readonly FirstRule[];
  /** Whether the deadline passed before all documents were found. */
  readonly isPartial: boolean;
  /** Whether all documents that match were looked for; else there were enough without typos and dropped words. */
  readonly foundAll: boolean;
}

/** The inputs of parsing and expanding a query. */
export interface KeywordScope {
  readonly view: IndexView;
  readonly lexicon: Lexicon;
  readonly docs: TermDocs;
  readonly typos: TypoRules;
  /** Deadline for finding documents, on the clock of performance.now(). */
  readonly untilMs: number;
  /** What a search needs that ranks by `words` and then by `typo`; null: all documents. */
  readonly needed: NeededCandidates | null;
}

/** How the text of a query is read. */
export interface QueryReading {
  readonly locales: readonly string[] | undefined;
  /** Words and phrases that are searched for; null: as many as the reference does. */
  readonly maxTerms: number | null;
}

/** Tokenises and parses `q` with the stop words and prefix rule of the settings. */
export function parseQueryText(view: IndexView, q: string, { locales, maxTerms }: QueryReading): ParsedQuery {
  return parseQuery(
    view.queryTokenizer.tokenize(q.slice(0, MAX_QUERY_UNITS), locales),
    view.settings.prefixSearch !== 'disabled',
    maxTerms ?? undefined,
  );
}

/** A query, with the sets of words and phrases that none of its documents has; queries of one search share sets. */
export interface ReadQuery {
  readonly parsed: ParsedQuery;
  readonly exclusions: readonly Exclusions[];
}
export type Exclusions = Pick<ParsedQuery, 'negativeWords' | 'negativePhrases'>;

/**
 * The alternatives of a boolean query. Those of stop words only are left out, as plain queries leave out stop words. Excluded words of
 * the same alternatives are one set, so brackets do not multiply them.
 * @throws ApiError invalid_search_boolean_query
 */
export function readBooleanText(view: IndexView, q: string, reading: QueryReading): readonly ReadQuery[] {
  const alternatives = alternativesOf(q.slice(0, MAX_QUERY_UNITS));
  const queries = alternatives.map(({ text }) => ({
    parsed: parseQueryText(view, text, reading),
    exclusions: [] as Exclusions[],
  }));
  let wordCount = 0;
  for (const { texts, places } of sharedExclusions(alternatives)) {
    const negativePhrases = texts.flatMap((text) =>
      parseQueryText(view, `"${text}"`, reading).terms.map(({ phrase }) => phrase),
    );
    for (const phrase of negativePhrases) wordCount += phrase.length;
    if (wordCount > MAX_EXCLUDED_WORDS) throw tooManyExcluded();
    const shared = { negativeWords: [], negativePhrases };
    for (const place of places) queries[place]!.exclusions.push(shared);
  }
  const withWords = queries.filter(({ parsed }) => parsed.terms.length > 0);
  return withWords.length > 0 ? withWords : queries.slice(0, 1);
}

/** Expands the terms and restricts the universe to the documents that the matching strategy allows. */
export function buildKeywordQuery(
  { view, lexicon, docs, typos, untilMs, needed }: KeywordScope,
  parsed: ParsedQuery,
  strategy: MatchingStrategy,
  universe: Bitmap,
): KeywordQuery {
  if (parsed.terms.some(({ phrase }) => !phrase.every(isIndexedWord))) docs.limitReading(universe);
  const terms = expandTerms(parsed, { view, lexicon, synonyms: synonymsOf(view), typos });
  const { bitmaps } = docs.pool.kernel;
  const first =
    needed === null
      ? null
      : inTime(
          docs,
          untilMs,
          () => findFirstCandidates(docs, terms, strategy, universe, needed),
          () => null,
        ).result;
  if (first !== null && first.counted !== 0) {
    bitmaps.and(universe, first.counted);
    if (first.counted !== first.docs) docs.pool.release(first.counted);
    const weightOf = byOrder(parsed.terms.length);
    return {
      terms,
      graph: first.graph,
      removals: [],
      weightOf,
      first: first.docs,
      applied: first.applied,
      isPartial: false,
      foundAll: false,
    };
  }
  // N-grams that no document has match nothing. Their costs would affect scores if the rule `words` did not remove them anyway.
  const graph = buildQueryGraph(strategy === 'all' ? terms : findOccurring(terms));
  const weightOf = inTime(
    docs,
    untilMs,
    () => weights(terms, parsed.terms.length, strategy, docs),
    () => byOrder(parsed.terms.length),
  ).result;
  const removals = strategy === 'all' ? [] : removalGroups(graph, weightOf);
  const reduced = removals.length === 0 ? graph : withoutNodes(graph, new Set(removals.flat()));
  const { result: candidates, isInTime } = inTime(
    docs,
    untilMs,
    () => graphDocs(docs, reduced, universe),
    () => {
      docs.settle();
      return graphDocs(docs, reduced, universe);
    },
  );
  if (candidates === 0) bitmaps.clear(universe);
  else {
    bitmaps.and(universe, candidates);
    docs.pool.release(candidates);
  }
  if (first !== null && !isInTime) bitmaps.or(universe, first.docs); // it may lack some
  return {
    terms,
    graph: first?.graph ?? graph,
    removals: first === null ? removals : [],
    weightOf,
    first: first?.docs ?? 0,
    applied: first?.applied ?? [],
    isPartial: !isInTime,
    foundAll: true,
  };
}

/** The result of `find`, or of `settle` when the deadline passes first. */
function inTime<T>(
  { pool }: TermDocs,
  untilMs: number,
  find: () => T,
  settle: () => T,
): { readonly result: T; readonly isInTime: boolean } {
  try {
    return { result: pool.withDeadline(untilMs, find), isInTime: true };
  } catch (error) {
    if (!(error instanceof SearchOverdue)) throw error;
    return { result: settle(), isInTime: false };
  }
}

/** Terms without the n-grams that no document has. */
function findOccurring(terms: readonly QueryTerm[]): readonly QueryTerm[] {
  return terms.filter(({ kind, expansions }) => {
    const { exact, prefixTable, prefixWords, synonyms } = expansions;
    if (kind !== 'ngram' || exact !== null || prefixTable !== null || prefixWords.length + synonyms.length > 0)
      return true;
    const { oneTypo, split, twoTypos } = expansions.loadMistyped();
    return split !== null || oneTypo.length + twoTypos.length > 0;
  });
}

/** The last terms go first. */
const byOrder =
  (idCount: number) =>
  (id: number): number =>
    idCount - id;

function weights(
  terms: readonly QueryTerm[],
  idCount: number,
  strategy: MatchingStrategy,
  docs: TermDocs,
): (id: number) => number {
  if (strategy !== 'frequency') return byOrder(idCount);
  const counts = Array.from({ length: idCount }, (_, id) => {
    const covering = docs.pool.empty();
    for (const term of terms)
      if (term.firstId <= id && id <= term.lastId)
        docs.pool.kernel.bitmaps.or(covering, docs.ofSet(term, ALL_EXPANSIONS));
    const count = docs.pool.kernel.bitmaps.count(covering);
    docs.pool.release(covering);
    return count === 0 ? Number.POSITIVE_INFINITY : count;
  });
  const ordered = [...new Set(counts)].sort((a, b) => b - a);
  return (id) => ordered.indexOf(counts[id]!) + 1;
}

/**
 * Indexes of the terms that the ranking reaches: those that follow terms which some candidate has all of. Typos of the others are
 * never looked up. O(terms) bitmap operations.
 */
export function reachedTerms(
  docs: TermDocs,
  { terms, graph, removals, applied }: KeywordQuery,
  universe: Bitmap,
): ReadonlySet<number> {
  if (applied.length > 0) return new Set(terms.map(({ index }) => index));
  const met = new Set<number>();
  if (docs.pool.kernel.bitmaps.isEmpty(universe)) return met;
  try {
    findMetTerms(met, docs, { graph, removals }, universe);
  } catch (error) {
    if (!(error instanceof SearchOverdue)) throw error; // typos of terms that were not reached are not highlighted
  }
  return met;
}

function findMetTerms(
  met: Set<number>,
  docs: TermDocs,
  { graph, removals }: Pick<KeywordQuery, 'graph' | 'removals'>,
  universe: Bitmap,
): void {
  addMetTerms(met, docs, graph, universe);
  const removed = new Set<number>();
  for (const group of removals) {
    if (met.size === graph.nodes.length - 2) break;
    for (const node of group) removed.add(node);
    addMetTerms(met, docs, withoutNodes(graph, removed), universe);
  }
}

function addMetTerms(met: Set<number>, docs: TermDocs, graph: QueryGraph, universe: Bitmap): void {
  const { pool } = docs;
  // Documents that match a path from the start to the node, without the node itself. Terms are in topological order.
  const before = new Map<number, Bitmap>();
  graph.nodes.forEach(({ term, set }, id) => {
    if (id === END) return;
    let through = universe;
    if (term) {
      const reached = before.get(id);
      if (reached === undefined) return;
      met.add(term.index);
      const meeting = pool.intersection(reached, docs.ofSet(term, set));
      if (meeting === 0) return;
      through = meeting;
    }
    for (const to of graph.next[id]!) {
      const known = before.get(to);
      if (known === undefined) before.set(to, pool.copyOf(through));
      else pool.kernel.bitmaps.or(known, through);
    }
    if (term) pool.release(through);
  });
  for (const bitmap of before.values()) pool.release(bitmap);
}

/** The terms for the formatter: expansions of every term, but typos and split pair only of the terms in `met`. */
export function locatedTerms(terms: readonly QueryTerm[], reached: ReadonlySet<number>): LocatedTerm[] {
  return terms.map((term) => ({
    words: [
      ...wordsOf(term, NO_TYPO),
      ...(reached.has(term.index) ? wordsOf(term, ONE_TYPO | TWO_TYPOS).sort(compareUtf8) : []),
    ],
    phrases: phrasesOf(term, reached.has(term.index) ? ALL_EXPANSIONS : NO_TYPO).map(lemmasOf),
    firstPosition: term.startPosition,
    lastPosition: term.endPosition,
    isPrefix: term.isPrefix,
    infix: reached.has(term.index) && hasInfixes(term, ALL_EXPANSIONS) ? term.text : null,
    originalWordChars: [...term.text].length,
  }));
}

/**
 * The query's stop words, which the formatter highlights like other words though the ranking ignores them. A query of stop
 * words only is a placeholder search and, as recorded, highlights nothing.
 */
export function locatedStopWords({ terms, stopWords }: ParsedQuery): LocatedTerm[] {
  if (terms.length === 0) return [];
  return stopWords.map(({ text, position }) => ({
    words: [text],
    phrases: [],
    firstPosition: position,
    lastPosition: position,
    isPrefix: false,
    isStopWord: true,
    originalWordChars: [...text].length,
  }));
}

const synonymsBySettings = new WeakMap<IndexSettings, SynonymTable>();

function synonymsOf(view: IndexView): SynonymTable {
  let found = synonymsBySettings.get(view.settings);
  if (found === undefined) {
    found = buildSynonyms(view);
    synonymsBySettings.set(view.settings, found);
  }
  return found;
}
