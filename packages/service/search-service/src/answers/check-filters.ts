import type { MultiSearchQuery } from '@fossick/api';
import { readFilter } from '@fossick/filter';
import { inQuery } from '@fossick/search';
import type { SearchContext } from '../jobs/search-context.js';
import { TimeSlices } from '../queue/time-slices.js';

/**
 * Parses the filters of queries, one after another; whether they fit their index is checked later, with the index. A
 * long filter is parsed in a search thread. @throws ApiError invalid_search_filter, naming the query, for the first one
 * that cannot be parsed
 */
export async function checkFilters(
  { searches, searchers }: Pick<SearchContext, 'searches' | 'searchers'>,
  queries: readonly MultiSearchQuery[],
): Promise<void> {
  const turns = new TimeSlices(searches);
  for (const [i, { filter = null }] of queries.entries()) {
    await turns.yieldIfDue();
    const job = { kind: 'syntax', filter } as const;
    if (searchers.takes(job)) await inQueryLater(i, () => searchers.run(job));
    else inQuery(i, () => readFilter(filter, 'invalid_search_filter'));
  }
}

/** `inQuery` for asynchronous work. */
export async function inQueryLater<T>(position: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return inQuery(position, () => {
      throw error;
    });
  }
}
