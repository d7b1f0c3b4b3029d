import { type Received, type SIMILAR_BODY, toSimilarRequest } from '@fossick/api';
import type { Access } from '@fossick/instance/access';
import { requireInfo } from '../indexes/index-info.js';
import { runJob } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';

/** Documents similar to a given one, as JSON bytes; in a search thread where that may take long. @throws ApiError */
export async function answerSimilar(
  instance: SearchContext,
  access: Access,
  indexUid: string,
  body: Received<typeof SIMILAR_BODY>,
): Promise<Buffer> {
  const { uid } = requireInfo(instance.engine, indexUid);
  const request = toSimilarRequest(body, access.tenantFilter(indexUid), instance.features);
  const withPerformanceDetails = body.showPerformanceDetails === true;
  const { scope } = access;
  return (await runJob(instance, { kind: 'similar', indexUid: uid, request, withPerformanceDetails, scope })).value;
}
