/** Parts of answers that only some requests have. */
import type { FacetLevel, NumberSummary } from '@fossick/columns';
import type { ExactNumber } from '@fossick/documents';
import type { SearchRequest } from '@fossick/settings/parameters';

type Numbers = Readonly<Record<string, ExactNumber | null>>;
/** Computed from the numbers of a field. */
export interface ComputedNumbers {
  readonly stats?: Numbers;
  readonly histogram?: NumberSummary['histogram'];
}
/** What was computed of one field; with `by`, also for the documents of each value, those with most documents first. */
export interface AggregationAnswer extends ComputedNumbers {
  readonly groups?: readonly ({
    readonly value: ExactNumber | string;
    readonly documentCount: number;
  } & ComputedNumbers)[];
}

/** A value with its best hits. */
export interface AnswerGroup<H> {
  readonly value: ExactNumber | string;
  /** Documents found that have the value. */
  readonly documentCount: number;
  readonly hits: readonly H[];
}

/** The steps under a path of each hierarchical facet. */
export type FacetLevelsAnswer = Readonly<Record<string, readonly FacetLevel[]>>;

/** What one rule did in a search. */
export interface RuleTrace {
  /** The ranking rule of the settings, a part of it, or what is sorted by. */
  readonly rule: string;
  /** How many buckets of the rules before it it divided. */
  starts: number;
  /** Documents of these buckets in sum. */
  divided: number;
  /** Buckets that it made. */
  buckets: number;
}

/** How a document may match a term: by the word or phrase itself, by a longer word, a synonym, a word that contains it, or with typos. */
export type TermMatch = 'exact' | 'prefix' | 'synonym' | 'substring' | 'oneTypo' | 'twoTypos';

export interface ExplainedTerm {
  readonly text: string;
  /** `ngram`: words of the query that are written as one. */
  readonly kind: 'word' | 'phrase' | 'ngram';
  readonly isPrefix: boolean;
  /** Typos that a word may have, 0 to 2. */
  readonly typos: number;
  /** Documents found that match it, by the way they match; those with typos are absent where nobody looked for them. */
  readonly documents: Readonly<Partial<Record<TermMatch, number>>>;
}

/** A query: a boolean one has several, a search by words and vectors one of each. */
export interface ExplainedQuery {
  /** By vectors instead of words. */
  readonly byVector: boolean;
  readonly matchingStrategy: SearchRequest['matchingStrategy'];
  readonly terms: readonly ExplainedTerm[];
  /** Documents found. */
  readonly found: number;
  /** Whether all documents that match were looked for; else those with typos or fewer words were not, because there were enough. */
  readonly foundAll: boolean;
  /** Documents that are ranked: those that rank before all others, or all that were found. */
  readonly ranked: number;
  /** Rules for which all ranked documents are equal: they do not run. */
  readonly settledRules: readonly string[];
  readonly rules: readonly RuleTrace[];
}

/** The plan of a search and how it went. */
export interface SearchExplanation {
  readonly kind: 'placeholder' | 'keyword' | 'semantic' | 'hybrid';
  readonly page: { readonly from: number; readonly length: number };
  /** What the answer needs: the number of documents in order, and the number that has to be found; null: all. */
  readonly needs: { readonly ranked: number | null; readonly found: number | null };
  /** Documents that satisfy the filter, which are all that the search may find. */
  readonly filtered: number;
  readonly queries: readonly ExplainedQuery[];
}
