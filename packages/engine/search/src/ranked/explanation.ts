/** What a search did, in a form for people: the plan, its terms, and what each rule divided. */
import type { Bitmap } from '@fossick/kernel';
import {
  EXACT,
  type ExpansionSet,
  INFIXES,
  ONE_TYPO,
  PREFIXES,
  type QueryTerm,
  SYNONYMS,
  TWO_TYPOS,
} from '../query/query-term.js';
import type { KeywordQuery } from '../ranking/keyword-query.js';
import { SearchOverdue } from '../ranking/terms/bitmap-pool.js';
import type { TermDocs } from '../ranking/terms/term-docs.js';
import type { ExplainedQuery, ExplainedTerm, SearchExplanation, TermMatch } from '../request/answer-parts.js';
import type { SearchPlan } from './search-plan.js';

const TYPOS: readonly (readonly [TermMatch, ExpansionSet])[] = [
  ['oneTypo', ONE_TYPO],
  ['twoTypos', TWO_TYPOS],
];
const NO_TYPOS: readonly (readonly [TermMatch, ExpansionSet])[] = [
  ['exact', EXACT],
  ['prefix', PREFIXES],
  ['synonym', SYNONYMS],
  ['substring', INFIXES],
];

/** What a ranking tells of itself. */
export type ExplainedRanking = Pick<SearchExplanation, 'filtered' | 'queries'>;

/** @param ranked what the ranking tells of itself: call it before scratch memory is released */
export function explained({ kind, range, ranking }: SearchPlan, ranked: ExplainedRanking): SearchExplanation {
  const isPlaceholder = kind.kind === 'keyword' && ranked.queries.every(({ terms }) => terms.length === 0);
  return {
    kind: isPlaceholder ? 'placeholder' : kind.kind,
    page: { from: range.from, length: range.length },
    needs: {
      ranked: range.enough === null ? null : ranking.from + ranking.length,
      found: Number.isFinite(range.enough) ? range.enough : null,
    },
    filtered: ranked.filtered,
    queries: ranked.queries,
  };
}

/** What is explained of a query with its documents. */
interface Explainable {
  readonly query: KeywordQuery | null;
  readonly docs: TermDocs;
  readonly candidates: Bitmap;
}

/** A query, with the counts of its terms unless the deadline passes first. O(terms) look-ups */
export function explainedQuery(
  { query, docs, candidates }: Explainable,
  how: Pick<ExplainedQuery, 'byVector' | 'matchingStrategy' | 'rules'>,
  deadlineMs: number,
): ExplainedQuery {
  const { pool } = docs;
  const { bitmaps } = pool.kernel;
  const found = bitmaps.count(candidates);
  let terms: readonly ExplainedTerm[] = [];
  try {
    if (query !== null) terms = pool.withDeadline(deadlineMs, () => explainedTerms(docs, query, candidates));
  } catch (error) {
    if (!(error instanceof SearchOverdue)) throw error;
  }
  return {
    byVector: how.byVector,
    matchingStrategy: how.matchingStrategy,
    terms,
    found,
    foundAll: query?.foundAll ?? true,
    ranked: query === null || query.first === 0 ? found : bitmaps.count(query.first),
    settledRules: query?.applied ?? [],
    rules: how.rules,
  };
}

function explainedTerms(docs: TermDocs, { terms, foundAll }: KeywordQuery, found: Bitmap): ExplainedTerm[] {
  const { pool } = docs;
  const countOf = (term: QueryTerm, set: ExpansionSet): number => {
    const both = pool.intersection(found, docs.ofSet(term, set));
    if (both === 0) return 0;
    const count = pool.kernel.bitmaps.count(both);
    pool.release(both);
    return count;
  };
  const ways = foundAll ? [...NO_TYPOS, ...TYPOS] : NO_TYPOS;
  const counted = terms.map((term): ExplainedTerm => {
    const { text, kind, isPrefix, typoBudget: typos } = term;
    const counts = ways.flatMap(([name, set]) => {
      const count = countOf(term, set);
      return count > 0 || name === 'exact' ? [[name, count]] : [];
    });
    return { text, kind, isPrefix, typos, documents: Object.fromEntries(counts) };
  });
  // joined words that no document has are left out
  return counted.filter(({ kind, documents }) => kind !== 'ngram' || Object.values(documents).some((n) => n > 0));
}
