/** All kinds of jobs of search threads. */
import { type EngineReader, type IndexWeight, withDictionariesSync } from '@fossick/index';
import { answerJob, isHeavy, isLong, type SearchJob } from '../jobs/search-jobs.js';
import { answerSettings, isHeavySettings, type SettingsJob } from '../settings/settings-job.js';

export type ThreadJob = SearchJob | SettingsJob;

const isOfSettings = (job: ThreadJob): job is SettingsJob =>
  job.kind === 'receivedSettings' || job.kind === 'shownSettings';

/** The answer to a job as JSON bytes in a buffer of their own. @throws ApiError for an invalid request */
export function answerThreadJob(engine: EngineReader, job: ThreadJob): Buffer {
  return withDictionariesSync(() => (isOfSettings(job) ? answerSettings(engine, job) : answerJob(engine, job)));
}

/**
 * Whether a job may block its thread for longer than other requests should wait. `isLarge`: the operator's limit for
 * the index's documents.
 */
export function isHeavyJob(
  job: ThreadJob,
  weightOf: (uid: string) => IndexWeight & { readonly isLarge: boolean },
): boolean {
  return isOfSettings(job) ? isHeavySettings(job, weightOf) : isHeavy(job, weightOf);
}

/** Whether a job takes a thread for so long that it must not have the last one. */
export function isLongJob(job: ThreadJob): boolean {
  return !isOfSettings(job) && isLong(job);
}
