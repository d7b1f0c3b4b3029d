import type { MultiSearchQuery } from '@fossick/api';
import { inQuery } from '@fossick/search';
import { runJobAtOnce } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import { TimeSlices } from '../queue/time-slices.js';

/**
 * Parses the filters of queries, one after another; whether they fit their index is checked later, with the index.
 * @throws ApiError invalid_search_filter, naming the query, for the first one
 * that cannot be parsed
 */
export async function checkFilters(context: SearchContext, queries: readonly MultiSearchQuery[]): Promise<void> {
  const turns = new TimeSlices(context.searches);
  for (const [i, { filter = null }] of queries.entries()) {
    if (filter === null) continue;
    await turns.yieldIfDue();
    await inQueryLater(i, () => runJobAtOnce(context, { kind: 'syntax', filter }));
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
