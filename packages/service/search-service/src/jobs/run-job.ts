import { withDictionariesAsync } from '@fossick/index';
import type { SearchContext } from './search-context.js';
import { answerJob, type SearchJob } from './search-jobs.js';

/**
 * Answers a job as JSON bytes: in its turn in this thread, or in a search thread when it may take long. @throws
 * ApiError
 */
export async function runJob({ engine, searches, searchers }: SearchContext, job: SearchJob): Promise<Buffer> {
  if (searchers.takes(job)) return searchers.run(job);
  return searches.run(() => withDictionariesAsync(() => answerJob(engine, job)));
}
