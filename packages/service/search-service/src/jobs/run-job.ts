import { withDictionariesAsync } from '@fossick/index';
import type { SearchContext } from './search-context.js';
import { type ResultOf, runHere, type SearchJob } from './search-jobs.js';

/** How the jobs of a request run: in their turn or at once. */
export type RunJob = typeof runJob;

/**
 * Runs a job: in its turn in this thread, or in a search thread when it may take long, or when it would have to wait
 * here and one is free. @throws ApiError
 */
export async function runJob<J extends SearchJob>(context: SearchContext, job: J): Promise<ResultOf<J['kind']>> {
  const { engine, searches, searchers } = context;
  if (searchers.takes(job)) return runInThread(context, job);
  const handedOver = searches.isBusy ? searchers.offer(job, searches.waitingCount > 0) : undefined;
  if (handedOver !== undefined) return counted(context, await handedOver);
  return counted(context, await searches.run(() => withDictionariesAsync(() => runHere(engine, job))));
}

/** The same for work that has its turn already, or needs none. @throws ApiError */
export async function runJobAtOnce<J extends SearchJob>(context: SearchContext, job: J): Promise<ResultOf<J['kind']>> {
  if (context.searchers.takes(job)) return runInThread(context, job);
  return counted(context, await withDictionariesAsync(() => runHere(context.engine, job)));
}

/** Runs a job that search threads take. @throws ApiError */
export async function runInThread<J extends SearchJob>(
  context: Pick<SearchContext, 'searchers' | 'counts'>,
  job: J,
): Promise<ResultOf<J['kind']>> {
  return counted(context, await context.searchers.run(job));
}

function counted<R extends { readonly degraded: number }>({ counts }: Pick<SearchContext, 'counts'>, result: R): R {
  counts.degraded += result.degraded;
  return result;
}
