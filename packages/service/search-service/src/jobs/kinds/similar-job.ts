import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { answerJson, StageClock, similarDocuments } from '@fossick/search';
import type { SimilarRequest } from '@fossick/settings/parameters';
import { asBuffer } from '../../parts/as-buffer.js';
import { found, heavyIf, type JobKind } from './job.js';
import { isHeavyOn, isLongFilter } from './job-weights.js';

/** A search for similar documents, as plain data. */
export interface SimilarJob {
  readonly kind: 'similar';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly request: SimilarRequest;
  readonly withPerformanceDetails: boolean;
}

export const SIMILAR: JobKind<SimilarJob, Buffer> = {
  kind: 'similar',
  weigh({ indexUid, request }, sizes) {
    const size = sizes(indexUid);
    const { filter, tenantFilter, limit } = request;
    return heavyIf(isLongFilter(filter, size) || isLongFilter(tenantFilter, size) || isHeavyOn(size, limit));
  },
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
