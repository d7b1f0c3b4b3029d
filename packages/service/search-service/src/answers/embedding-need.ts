import type { Access } from '@fossick/instance/access';
import type { SearchRequest } from '@fossick/search';
import { runJob } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import type { SearchJob } from '../jobs/search-jobs.js';
import { ruleBookOf } from './rule-book.js';

/**
 * Whether keywords alone decide a hybrid search in its index, so that its query need not be embedded. `run`: how a job
 * is run; in its own turn when absent. @throws ApiError
 */
export function needsNoEmbedding(
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
