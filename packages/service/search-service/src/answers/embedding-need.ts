import type { InlineRule } from '@fossick/api';
import type { Access } from '@fossick/instance/access';
import type { SearchRequest } from '@fossick/settings/parameters';
import type { JobResult } from '../jobs/kinds/job.js';
import type { WordsJob } from '../jobs/kinds/words-job.js';
import { runJob } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import { ruleBookOf } from './rule-book.js';

/**
 * Whether keywords alone decide a hybrid search in its index, so that its query need not be embedded. `run`: how a job
 * is run; in its own turn when absent. @throws ApiError
 */
export function needsNoEmbedding(
  context: SearchContext,
  { scope }: Access,
  indexUid: string,
  run = (job: WordsJob): Promise<JobResult<boolean>> => runJob(context, job),
  inlineRule: InlineRule | null = null,
): (request: SearchRequest) => Promise<boolean> {
  return async (request) => {
    const ruleBook = ruleBookOf(context, inlineRule);
    const { value } = await run({ kind: 'words', indexUid, request, ruleBook, scope });
    return value;
  };
}
