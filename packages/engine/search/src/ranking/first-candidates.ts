/** Candidates as far as an answer needs them: lists of typos and of dropped words are read only if the better documents are too few. */
import type { Bitmap } from '@fossick/kernel';
import { graphOfPaths, type QueryGraph } from '../query/query-graph.js';
import { NO_TYPO, type QueryTerm } from '../query/query-term.js';
import type { TermDocs } from './terms/term-docs.js';

/** The rules that rank first in an index with default settings. */
export type FirstRule = 'words' | 'typo';

export interface FirstCandidates {
  /** Documents that rank before all others; owned by the caller. */
  readonly docs: Bitmap;
  /** What the rules after the applied ones start with. */
  readonly graph: QueryGraph;
  /** The rules for which these documents are equal. */
  readonly applied: readonly FirstRule[];
}

/**
 * The documents of `universe` that have all words of the query without typos, for a search that ranks by `words` and then by `typo`. Null when they are
 * fewer than `enough`. Each document has the terms of single words, so the ranking reaches all terms; joined words count as typos.
 */
export function findFirstCandidates(
  docs: TermDocs,
  terms: readonly QueryTerm[],
  universe: Bitmap,
  enough: number,
): FirstCandidates | null {
  const { pool } = docs;
  const { bitmaps } = pool.kernel;
  const single = terms.filter(({ kind }) => kind !== 'ngram');
  const found = pool.copyOf(universe);
  for (const term of single) {
    bitmaps.and(found, docs.ofSet(term, NO_TYPO));
    if (bitmaps.count(found) < enough) {
      pool.release(found);
      return null;
    }
  }
  const path = single.map((term) => ({ term, set: NO_TYPO, isMandatory: false }));
  return { docs: found, graph: graphOfPaths([path]), applied: ['words', 'typo'] };
}
