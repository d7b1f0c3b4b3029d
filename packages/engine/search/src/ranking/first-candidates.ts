/** Candidates as far as an answer needs them: lists of typos and of dropped words are read only if the better documents are too few. */
import type { Bitmap, None } from '@fossick/kernel';
import { graphOfPaths, type MatchingStrategy, type QueryGraph } from '../query/query-graph.js';
import { NO_TYPO, type QueryTerm } from '../query/query-term.js';
import type { TermDocs } from './terms/term-docs.js';

/** The rules that rank first in an index with default settings. */
export type FirstRule = 'words' | 'typo';

/** What a request needs of its candidates. */
export interface NeededCandidates {
  /** How many documents are ranked: those up to the end of the page. */
  readonly ranked: number;
  /** How many documents have to be found. */
  readonly counted: number;
}

export interface FirstCandidates {
  /** Documents that rank before all others, at least as many as are ranked; owned by the caller. */
  readonly docs: Bitmap;
  /** Documents that match, at least as many as have to be found, `docs` among them, or the same bitmap; 0: all have to be found. Owned by the caller. */
  readonly counted: Bitmap | None;
  /** What the rules after the applied ones start with. */
  readonly graph: QueryGraph;
  /** The rules for which `docs` are equal. */
  readonly applied: readonly FirstRule[];
}

/**
 * The documents of `universe` that have all words of the query without typos, for a search that ranks by `words` and then by `typo`. Null when they are
 * too few for the page. Each document has the terms of single words, so the ranking reaches all terms; joined words count as typos.
 */
export function findFirstCandidates(
  docs: TermDocs,
  terms: readonly QueryTerm[],
  strategy: MatchingStrategy,
  universe: Bitmap,
  { ranked, counted }: NeededCandidates,
): FirstCandidates | null {
  const { pool } = docs;
  const { bitmaps } = pool.kernel;
  const single = terms.filter(({ kind }) => kind !== 'ngram');
  const kept = keptTerms(single, strategy);
  const others = single.filter((term) => !kept.includes(term));
  let found = universe;
  let foundCount = Number.POSITIVE_INFINITY;
  let matching: Bitmap | None = 0;
  const narrow = (narrowing: readonly QueryTerm[]): boolean =>
    narrowing.every((term) => {
      const wider = found;
      found = pool.intersection(wider, docs.ofSet(term, NO_TYPO)) || pool.empty();
      if (wider !== universe && wider !== matching) pool.release(wider);
      foundCount = bitmaps.count(found);
      return foundCount >= ranked;
    });
  const hasPage = narrow(kept);
  if (hasPage && foundCount >= counted) matching = found;
  if (hasPage && narrow(others)) {
    const path = single.map((term) => ({ term, set: NO_TYPO, isMandatory: false }));
    return { docs: found, counted: matching, graph: graphOfPaths([path]), applied: ['words', 'typo'] };
  }
  for (const unused of new Set([found, matching])) if (unused !== 0 && unused !== universe) pool.release(unused);
  return null;
}

/** Words and phrases that every document has that matches: the others are dropped when documents are too few. Which words are frequent is not known yet. */
function keptTerms(single: readonly QueryTerm[], strategy: MatchingStrategy): readonly QueryTerm[] {
  if (strategy !== 'last') return single;
  const phrases = single.filter(({ kind }) => kind === 'phrase');
  return phrases.length > 0 ? phrases : single.slice(0, 1);
}
