import { StageClock, similarDocuments, spelledAnswer } from '@fossick/search';
import type { Access } from '../auth/access-to.js';
import { indexAccess } from '../auth/index-scope.js';
import { requireInfo } from '../indexes/index-info.js';
import type { Received } from '../wire/fields.js';
import type { SearchContext } from './search-context.js';
import { type SIMILAR_BODY, toSimilarRequest } from './similar-fields.js';

/** Documents like a given one, as the object that is answered. @throws ApiError */
export async function answerSimilar(
  { engine, features, searches }: SearchContext,
  access: Access,
  indexUid: string,
  body: Received<typeof SIMILAR_BODY>,
): Promise<object> {
  const { uid } = requireInfo(engine, indexUid);
  const request = toSimilarRequest(body, access.tenantFilter(indexUid), features);
  const clock = new StageClock();
  const find = () => engine.withView(uid, (view) => similarDocuments(view, request, clock), indexAccess(access.scope));
  const response = await searches.run(find);
  const details = body.showPerformanceDetails === true ? { performanceDetails: clock.toJson() } : {};
  return { ...spelledAnswer(response), ...details };
}
