import { type FieldId, MAX_STORED_WORD_COUNT } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { Bitmap, None } from '@fossick/kernel';
import type { GraphNode, QueryGraph } from '../../query/query-graph.js';
import { EXACT, hasExact, idCount, type QueryTerm, SYNONYMS } from '../../query/query-term.js';
import { isIndexedWord } from '../../query/query-terms.js';
import type { StepSource } from '../paths/finder.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { FieldWeights } from '../terms/field-scope.js';
import type { TermDocs } from '../terms/term-docs.js';
import { POSITION_BUCKETS } from '../terms/term-positions.js';
import { graphRule } from './graph-rule.js';
import type { RankedBucket, RankingRule, RuleCursor } from './ranking-rule.js';

/** Second half of `exactness`: more words exactly as typed rank first. */
export function exactWordsRule(docs: TermDocs): RankingRule {
  const steps = new ExactSteps(docs);
  return graphRule(docs.pool, {
    steps: () => steps,
    detail: (cost, max) => ({ kind: 'exactWords', matchingWords: max - cost - 1, maxMatchingWords: max - 1 }),
  });
}

/** Costs of the exact word and of anything else, by the number of words that a term covers. */
const EXACT_COSTS: readonly (readonly number[])[] = [0, 1, 2, 3].map((count) => [0, count]);

class ExactSteps implements StepSource {
  private readonly docsOf: TermDocs;

  constructor(docsOf: TermDocs) {
    this.docsOf = docsOf;
  }

  costs(_from: GraphNode, to: GraphNode): readonly number[] {
    return EXACT_COSTS[idCount(to.term!)]!;
  }

  docs(_from: GraphNode, to: GraphNode, alternative: number): Bitmap | None {
    if (alternative === 1) return this.docsOf.ofSet(to.term!, to.set);
    // N-grams never count as exact: they score nothing here, even when the joined word itself is indexed.
    const isPossible = to.term!.kind !== 'ngram' && hasExact(to.term!, to.set);
    return isPossible ? this.docsOf.ofSet(to.term!, EXACT) : 0;
  }

  /** Synonyms score nothing, but stay in the graph for later rules. */
  narrowed(to: GraphNode, alternative: number): GraphNode {
    return alternative === 0 ? { term: to.term, set: to.set & (EXACT | SYNONYMS), isMandatory: true } : to;
  }
}

/**
 * First half of `exactness`: fields that equal the query, then fields that start with it. It leaves the graph
 * unchanged.
 */
export function exactAttributeRule(view: IndexView, docs: TermDocs, fields: FieldWeights): RankingRule {
  return {
    readsGraph: true,
    isScored: true,
    start: (universe, graph) => {
      const [exact, starting] = findExactFields(view, docs, fields, graph!, universe);
      return new ExactAttributeCursor(docs.pool, graph!, exact, starting);
    },
  };
}

class ExactAttributeCursor implements RuleCursor {
  private readonly pool: BitmapPool;
  private readonly graph: QueryGraph;
  private readonly exact: Bitmap | None;
  private readonly starting: Bitmap | None;
  private rank: 3 | 2 | 1 | 0 = 3;

  constructor(pool: BitmapPool, graph: QueryGraph, exact: Bitmap | None, starting: Bitmap | None) {
    this.pool = pool;
    this.graph = graph;
    this.exact = exact;
    this.starting = starting;
  }

  next(universe: Bitmap): RankedBucket | null {
    while (this.rank > 0) {
      const rank = this.rank as 1 | 2 | 3;
      this.rank = (rank - 1) as 0 | 1 | 2;
      const matching = rank === 3 ? this.exact : rank === 2 ? this.starting : universe;
      const docs = matching === 0 ? 0 : this.pool.intersection(universe, matching);
      if (docs !== 0) return { docs, graph: this.graph, detail: { kind: 'exactAttribute', rank } };
    }
    return null;
  }

  close(): void {
    for (const bitmap of [this.exact, this.starting]) if (bitmap !== 0) this.pool.release(bitmap);
  }
}

/** A word and its required position in the field. */
interface LocatedWord {
  readonly word: string;
  readonly position: number;
}

/** Documents with a field that equals the query, and with one that starts with it; 0 for none. */
function findExactFields(
  view: IndexView,
  docs: TermDocs,
  fields: FieldWeights,
  graph: QueryGraph,
  universe: Bitmap,
): [exact: Bitmap | None, starting: Bitmap | None] {
  const { pool } = docs;
  const terms = exactTerms(graph);
  if (!terms) return [0, 0];
  const located = terms.flatMap((term) =>
    term.phrase.flatMap((word, offset): LocatedWord[] =>
      isIndexedWord(word) ? [{ word, position: term.startPosition + offset }] : [],
    ),
  );
  const candidates = pool.copyOf(universe);
  for (const { word, position } of located)
    if (!docs.positions.keepAt(docs.occurrencesOf(word).lists, positionBucket(position), candidates)) {
      pool.release(candidates);
      return [0, 0];
    }
  const exact = pool.empty();
  const starting = pool.empty();
  const wordCount = terms.reduce((sum, term) => sum + (term.endPosition - term.startPosition + 1), 0);
  const byField = fieldsWithAll(docs, located, fields.weights, candidates);
  byField.forEach((inField, fieldId) => {
    if (inField === 0) return;
    if (!pool.kernel.bitmaps.isEmpty(inField)) {
      pool.kernel.bitmaps.or(starting, inField);
      if (wordCount <= MAX_STORED_WORD_COUNT) {
        const whole = pool.empty();
        for (const segment of view.segments) segment.orWordCount(whole, fieldId as FieldId, wordCount);
        pool.kernel.bitmaps.and(inField, whole);
        pool.kernel.bitmaps.or(exact, inField);
        pool.release(whole);
      }
    }
    pool.kernel.pools.releaseWithin(pool.ptr, inField, candidates);
  });
  pool.release(candidates);
  return [exact, starting];
}

/**
 * By field: the candidates that have all the words in it, as bitmaps owned by the caller; 0 where the field is not
 * searched.
 */
function fieldsWithAll(
  docs: TermDocs,
  words: readonly LocatedWord[],
  weights: Int32Array,
  candidates: Bitmap,
): (Bitmap | None)[] {
  const { pool } = docs;
  const targets = pool.kernel.bitmaps.row(Array.from(weights, () => 0 as const));
  const scatter = (word: string): (Bitmap | None)[] => {
    pool.checkTime();
    const bitmaps = Array.from(weights, (weight) => (weight < 0 ? 0 : pool.empty()));
    pool.kernel.bitmaps.fillRow(targets, bitmaps);
    docs.positions.scatterFields(docs.occurrencesOf(word), candidates, bitmaps, targets);
    return bitmaps;
  };
  const all = scatter(words[0]!.word);
  for (const { word } of words.slice(1)) {
    const ofWord = scatter(word);
    all.forEach((bitmap, fieldId) => {
      const other = ofWord[fieldId]!;
      if (bitmap === 0 || other === 0) return;
      pool.kernel.bitmaps.and(bitmap, other);
      pool.kernel.pools.releaseWithin(pool.ptr, other, candidates);
    });
  }
  return all;
}

/**
 * The terms whose own word (or phrase) is still allowed, one for each id; null when they do not cover the query from its
 * start.
 */
function exactTerms(graph: QueryGraph): QueryTerm[] | null {
  const byId = new Map<number, QueryTerm>();
  for (const { term, set } of graph.nodes) {
    if (term && term.kind !== 'ngram' && hasExact(term, set) && !byId.has(term.firstId)) byId.set(term.firstId, term);
  }
  const terms = [...byId.values()].sort((a, b) => a.firstId - b.firstId);
  if (terms.length === 0 || terms.some((term, id) => term.firstId !== id)) return null;
  return terms;
}

/** The bucket that excludes its upper bound: position 24 belongs to the bucket up to 32. */
const OPEN_BUCKET = 24;

/** The index of a field position in POSITION_BUCKETS. */
export function positionBucket(position: number): number {
  return POSITION_BUCKETS.findIndex((limit) => position < limit || (position === limit && limit !== OPEN_BUCKET));
}
