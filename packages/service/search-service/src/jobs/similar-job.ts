import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { answerJson, type SimilarRequest, StageClock, similarDocuments } from '@fossick/search';

/** A search for similar documents, as plain data. */
export interface SimilarJob {
  readonly kind: 'similar';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly request: SimilarRequest;
  readonly withPerformanceDetails: boolean;
}

/** Runs it in any thread with an engine; the answer is JSON bytes. @throws ApiError for an invalid request */
export function answerSimilarJob(
  engine: EngineReader,
  { indexUid, scope, request, withPerformanceDetails }: SimilarJob,
): Buffer {
  const clock = new StageClock();
  const found = engine.withView(indexUid, (view) => similarDocuments(view, request, clock), indexAccess(scope));
  const details = withPerformanceDetails ? { performanceDetails: clock.toJson() } : {};
  return answerJson({ ...found, ...details }, 'invalid_similar_limit');
}
