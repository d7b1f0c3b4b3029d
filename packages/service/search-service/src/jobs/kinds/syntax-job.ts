import { readFilter } from '@fossick/filter';
import { found, heavyIf, type JobKind } from './job.js';
import { isLongFilter } from './job-weights.js';

/** Whether a filter can be parsed: it throws if not. */
export interface SyntaxJob {
  readonly kind: 'syntax';
  readonly filter: unknown;
}

export const SYNTAX: JobKind<SyntaxJob, null> = {
  kind: 'syntax',
  weigh: ({ filter }) => heavyIf(isLongFilter(filter)),
  run(_engine, { filter }) {
    readFilter(filter, 'invalid_search_filter');
    return found(null);
  },
};
