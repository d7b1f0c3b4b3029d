import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { answerJson, StageClock, similarDocuments } from '@fossick/search';
import type { SimilarRequest } from '@fossick/settings/parameters';
import { asBuffer } from '../../parts/as-buffer.js';
import { found, type JobKind, placeOfSearch } from './job.js';

/** A search for similar documents, as plain data. */
export interface SimilarJob {
  readonly kind: 'similar';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly request: SimilarRequest;
  readonly withPerformanceDetails: boolean;
}

export const SIMILAR: JobKind<SimilarJob, Buffer> = {
  place: placeOfSearch,
  run: (engine, job) => found(answerSimilarJob(engine, job)),
};

/** The answer is JSON bytes. @throws ApiError for an invalid request */
function answerSimilarJob(
  engine: EngineReader,
  { indexUid, scope, request, withPerformanceDetails }: SimilarJob,
): Buffer {
  const clock = new StageClock();
  const similar = engine.withView(indexUid, (view) => similarDocuments(view, request, clock), indexAccess(scope));
  const details = withPerformanceDetails ? { performanceDetails: clock.toJson() } : {};
  return asBuffer(answerJson({ ...similar, ...details }, 'invalid_similar_limit'));
}
