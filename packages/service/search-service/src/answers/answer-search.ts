import {
  type FACET_SEARCH_BODY,
  type Received,
  type SearchBody,
  toFacetSearchRequest,
  toSearchRequest,
} from '@fossick/api';
import { own } from '@fossick/base';
import { type Access, callerHeaders } from '@fossick/instance/access';
import type { FacetSearchResponse } from '@fossick/search';
import type { FacetSearchRequest } from '@fossick/settings/parameters';
import { requireInfo } from '../indexes/index-info.js';
import type { JobResult } from '../jobs/kinds/job.js';
import { facetHitsOf } from '../jobs/kinds/networked-lists.js';
import { runJob } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import type { AnswerReservation } from '../network/answer-memory.js';
import { readNetwork } from '../network/network.js';
import { type AnswerOptions, type CarriedHeaders, noteSearch } from '../parts/answered-search.js';
import { needsNoEmbedding } from './embedding-need.js';
import { answerNetworkSearch } from './network-search.js';
import { askOthers, settledValue } from './other-instances.js';
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
  { withMetadata, isWarmUp = false, ...options }: AnswerOptions,
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
  return runJob(instance, { kind: 'search', indexUid: uid, request, extras, ruleBook, scope, isWarmUp });
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
  if (body.useNetwork === true) {
    const search = { access, indexUid: uid, body, request: wanted, carried };
    return instance.remotes.holding((reservation) => answerNetworkFacets(instance, search, reservation));
  }
  // vectors do not affect which documents are counted; a purely semantic search still fails without one
  const spares = () => Promise.resolve(true);
  const request = await queryVectors.embedded(wanted, body.media, () => engine.settings(uid), spares);
  return (await runJob(instance, { kind: 'facets', indexUid: uid, request, scope: access.scope })).value;
}

interface NetworkFacetSearch {
  readonly access: Access;
  readonly indexUid: string;
  readonly body: Received<typeof FACET_SEARCH_BODY>;
  readonly request: FacetSearchRequest;
  readonly carried: CarriedHeaders | undefined;
}

/**
 * Searches the values of a facet on every instance of the network and sums the counts of equal values. As JSON bytes.
 * Failed instances are left out and named in `remoteErrors`.
 */
async function answerNetworkFacets(
  context: SearchContext,
  { access, indexUid, body, request, carried }: NetworkFacetSearch,
  reservation: AnswerReservation,
): Promise<Buffer> {
  const startedMs = performance.now();
  const { engine, values } = context;
  const end = new AbortController();
  const call = {
    path: `/indexes/${indexUid}/facet-search`,
    body: { ...body, filter: request.filter, useNetwork: false },
    headers: { ...carried, 'meili-proxy-search': 'true', ...callerHeaders(access.scope) },
    reservation,
    read: facetHitsOf,
  };
  const others = askOthers(context, call, [end.signal]);
  others.catch(() => undefined); // handled below, unless the search fails here first
  // this instance belongs to the network even if its list of remotes does not name it
  const ownJob = { kind: 'facets', indexUid, request, scope: access.scope } as const;
  const found = await runJob(context, ownJob).catch((error: unknown) => {
    end.abort();
    throw error;
  });
  const ownHits = (JSON.parse(found.value.toString('utf8')) as FacetSearchResponse).facetHits;
  const answers = await others;
  const faceting = engine.settings(indexUid).faceting;
  const merged = await runJob(context, {
    kind: 'networkedFacets',
    ownHits,
    answers,
    isByCount: (own(faceting.sortFacetValuesBy, request.facetName) ?? faceting.sortFacetValuesBy['*']) !== 'alpha',
    maxValues: faceting.maxValuesPerFacet,
    facetQuery: request.facetQuery,
    waitedMs: performance.now() - startedMs,
    isNetworked: Object.keys(readNetwork(values).remotes).length > 0,
  });
  return settledValue(context, merged);
}
