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

/** A UUIDv7: 48 bits of milliseconds, then random, so that uids sort by time (RFC 9562 section 5.7). */
export function newRequestUid(nowMs = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let at = 0; at < 6; at++) bytes[at] = Math.floor(nowMs / 256 ** (5 - at)) % 256;
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
