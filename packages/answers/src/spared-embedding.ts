import type { Access } from '@fossick/access';
import type { SearchRequest } from '@fossick/search';
import { ruleBookOf } from './rule-book.js';
import { runJob } from './run-job.js';
import type { SearchContext } from './search-context.js';
import type { SearchJob } from './search-jobs.js';

/**
 * Asks an index whether a hybrid search is decided by its words, so that its query need not be embedded. `run`: how a job is answered; at a turn of its own
 * when absent. @throws ApiError
 */
export function sparedByWords(
  context: SearchContext,
  { scope }: Access,
  indexUid: string,
  run = (job: SearchJob): Promise<Buffer> => runJob(context, job),
): (request: SearchRequest) => Promise<boolean> {
  return async (request) => {
    const [isEnough] = await run({ kind: 'words', indexUid, request, ruleBook: ruleBookOf(context), scope });
    return isEnough === 1;
  };
}
