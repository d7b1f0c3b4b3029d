import type { FACET_SEARCH_BODY, Received, SearchBody } from '@fossick/api';
import { toFacetSearchRequest, toSearchRequest } from '@fossick/api';
import type { Access } from '@fossick/instance/access';
import { requireInfo } from '../indexes/index-info.js';
import type { JobResult } from '../jobs/kinds/job.js';
import { runJob } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import { type AnswerOptions, type CarriedHeaders, noteSearch } from '../parts/answered-search.js';
import { needsNoEmbedding } from './embedding-need.js';
import { answerNetworkFacets } from './network-facets.js';
import { answerNetworkSearch } from './network-search.js';
import { ruleBookOf } from './rule-book.js';

/** Answers a search in one index, or by the whole network, as JSON bytes. @throws ApiError for an invalid request */
export async function answerSearch(
  instance: SearchContext,
  access: Access,
  indexUid: string,
  body: SearchBody,
  answerOptions: AnswerOptions,
): Promise<Buffer> {
  const startedMs = performance.now();
  const { value, facts } = await searchResult(instance, access, indexUid, body, answerOptions);
  noteSearch(answerOptions, body, { indexUid, facts, startedMs });
  return value;
}

async function searchResult(
  instance: SearchContext,
  access: Access,
  indexUid: string,
  body: SearchBody,
  { withMetadata, ...options }: AnswerOptions,
): Promise<JobResult<Buffer>> {
  const { engine, features, queryVectors, searches } = instance;
  const plain = toSearchRequest(body, access.tenantFilter(indexUid), features);
  const { uid } = requireInfo(engine, indexUid);
  const withPerformanceDetails = body.showPerformanceDetails === true;
  const inlineUid = body.inlineRule?.uid ?? null;
  const extras = { withMetadata, withPerformanceDetails, hydrates: features.isOn('foreignKeys'), inlineUid };
  if (body.useNetwork === true)
    return searches.run(() => answerNetworkSearch(instance, access, uid, body, { ...extras, ...options }));
  const isSpared = needsNoEmbedding(instance, access, uid, undefined, body.inlineRule);
  const request = await queryVectors.embedded(plain, body.media, () => engine.settings(uid), isSpared);
  const ruleBook = ruleBookOf(instance, body.inlineRule);
  const { scope } = access;
  return runJob(instance, { kind: 'search', indexUid: uid, request, extras, ruleBook, scope });
}

/** Answers a search among the values of a facet as JSON bytes. @throws ApiError for an invalid request */
export async function answerFacetSearch(
  instance: SearchContext,
  access: Access,
  indexUid: string,
  body: Received<typeof FACET_SEARCH_BODY>,
  carried?: CarriedHeaders,
): Promise<Buffer> {
  const { engine, features, queryVectors } = instance;
  const wanted = toFacetSearchRequest(body, access.tenantFilter(indexUid), features);
  const { uid } = requireInfo(engine, indexUid);
  if (body.useNetwork === true)
    return answerNetworkFacets(instance, { access, indexUid: uid, body, request: wanted, carried });
  // vectors do not affect which documents are counted; a purely semantic search still fails without one
  const spares = () => Promise.resolve(true);
  const request = await queryVectors.embedded(wanted, body.media, () => engine.settings(uid), spares);
  return (await runJob(instance, { kind: 'facets', indexUid: uid, request, scope: access.scope })).value;
}
