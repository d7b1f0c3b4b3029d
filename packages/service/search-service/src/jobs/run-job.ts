import { TimeBudgetSpent } from '@fossick/base';
import { withDictionariesAsync } from '@fossick/index';
import type { SearchContext } from './search-context.js';
import { isWarmUp, type ResultOf, runHere, type SearchJob } from './search-jobs.js';

/** How the jobs of a request run: in their turn or at once. */
export type RunJob = typeof runJob;

/**
 * Runs a job: in its turn in this thread, or in a search thread when it takes long, or when it would have to wait
 * here and one is free. @throws ApiError
 */
export async function runJob<J extends SearchJob>(context: SearchContext, job: J): Promise<ResultOf<J['kind']>> {
  const { searches, searchers } = context;
  if (searchers.takes(job)) return runInThread(context, job);
  const handedOver = searches.isBusy ? searchers.offer(job, searches.waitingCount > 0) : undefined;
  if (handedOver !== undefined) return counted(context, await handedOver);
  return begun(context, job, (work) => searches.run(work));
}

/** The same for work that has its turn already, or needs none. @throws ApiError */
export async function runJobAtOnce<J extends SearchJob>(context: SearchContext, job: J): Promise<ResultOf<J['kind']>> {
  if (context.searchers.takes(job)) return runInThread(context, job);
  return begun(context, job, (work) => work());
}

/** Runs a job in a search thread, if there is one. @throws ApiError */
export async function runInThread<J extends SearchJob>(
  context: Pick<SearchContext, 'searchers' | 'counts'>,
  job: J,
): Promise<ResultOf<J['kind']>> {
  return counted(context, await context.searchers.run(job));
}

/** Begins a job in this thread; when it takes too long, a search thread begins it again. */
async function begun<J extends SearchJob>(
  context: SearchContext,
  job: J,
  inTurn: <T>(work: () => T) => T | Promise<T>,
): Promise<ResultOf<J['kind']>> {
  const { engine, searchers } = context;
  try {
    const work = (): ResultOf<J['kind']> => searchers.begin(job, () => runHere(engine, job));
    return counted(context, await inTurn(() => withDictionariesAsync(work, !isWarmUp(job))));
  } catch (error) {
    if (!(error instanceof TimeBudgetSpent) || isWarmUp(job)) throw error;
    return runInThread(context, job);
  }
}

function counted<R extends { readonly degraded: number }>({ counts }: Pick<SearchContext, 'counts'>, result: R): R {
  counts.degraded += result.degraded;
  return result;
}
