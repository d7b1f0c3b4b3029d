/** Parts of answers that only some requests have. */
import type { FacetLevel, NumberSummary } from '@fossick/columns';
import type { ExactNumber } from '@fossick/documents';

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
