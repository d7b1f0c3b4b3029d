import {
  FACET_SEARCH_BODY,
  readFields,
  SEARCH_BODY,
  type SearchFeatures,
  toFacetSearchRequest,
  toSearchRequest,
} from '@fossick/api/requests';
import { utf8Bytes } from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import { type EngineReader, WHOLE_ACCESS } from '@fossick/index/memory';
import { facetSearch, searchBytes } from '@fossick/search';
import { newRequestUid } from './request-uid.js';

/** What answers are made from: indexes, and the features that are on. */
export interface AnswerContext {
  readonly engine: EngineReader;
  readonly features: SearchFeatures;
}

/** Answers a search as the route POST /indexes/{uid}/search does, as JSON bytes. @throws ApiError */
export function searchAnswer({ engine, features }: AnswerContext, uid: string, body: object): Uint8Array {
  const request = toSearchRequest(readFields(body, SEARCH_BODY), null, features);
  const extras = { ruleBook: null, hydrates: features.isOn('foreignKeys') };
  const more = (): object => ({ requestUid: newRequestUid() });
  return engine.withView(uid, (view) => searchBytes(view, request, extras, more), WHOLE_ACCESS);
}

/** The same of POST /indexes/{uid}/facet-search. @throws ApiError */
export function facetAnswer({ engine, features }: AnswerContext, uid: string, body: object): Uint8Array {
  const request = toFacetSearchRequest(readFields(body, FACET_SEARCH_BODY), null, features);
  const answer = engine.withView(uid, (view) => facetSearch(view, request), WHOLE_ACCESS);
  return utf8Bytes(toJsonText(answer));
}
