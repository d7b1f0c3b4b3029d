import { ApiError, errorToJson, own } from '@fossick/base';
import { elapsedMs, type FacetSearchRequest, type FacetSearchResponse, facetSearch } from '@fossick/engine';
import type { Access } from '../auth/access.js';
import { callerHeaders } from '../auth/caller-scope.js';
import { indexAccess } from '../auth/index-scope.js';
import type { ServerContext } from '../context.js';
import { type Remote, readNetwork } from '../network/network.js';
import { badResponse } from '../network/remote-answer.js';
import { isJsonObject, type Received } from '../wire/fields.js';
import type { FACET_SEARCH_BODY } from './search-fields.js';

type FacetHits = FacetSearchResponse['facetHits'];
type RemoteFacets = { readonly facetHits: FacetHits } | { readonly name: string; readonly error: object };

/**
 * Searches the values of a facet on every instance of the network; counts of one value are summed (spec 14 section 5).
 * Instances that fail are left out and named in `remoteErrors`.
 */
export async function answerNetworkFacets(
  { engine, values, remotes: client }: ServerContext,
  access: Access,
  indexUid: string,
  body: Received<typeof FACET_SEARCH_BODY>,
  request: FacetSearchRequest,
): Promise<object> {
  const startedMs = performance.now();
  const { self, remotes } = readNetwork(values);
  const signal = AbortSignal.timeout(client.timeoutMs);
  const sent = { ...body, filter: request.filter, useNetwork: false };
  const ask = async ([name, remote]: [string, Remote]): Promise<RemoteFacets> => {
    try {
      const facetHits = await client.post(remote, {
        path: `/indexes/${indexUid}/facet-search`,
        body: sent,
        headers: { 'meili-proxy-search': 'true', ...callerHeaders(access.scope) },
        signal,
        read: facetHitsOf,
      });
      return { facetHits };
    } catch (error) {
      if (error instanceof ApiError) return { name, error: errorToJson(error.code, error.message) };
      throw error;
    }
  };
  const others = Promise.all(
    Object.entries(remotes)
      .filter(([name]) => name !== self)
      .map(ask),
  );
  others.catch(() => undefined); // heard of below, unless the search fails here first
  // this instance is of the network, whether the list of remotes names it or not
  const ownHits = engine.withView(indexUid, (view) => facetSearch(view, request), indexAccess(access.scope)).facetHits;
  const outcomes = await others;
  const faceting = engine.settings(indexUid).faceting;
  const isByCount = (own(faceting.sortFacetValuesBy, request.facetName) ?? faceting.sortFacetValuesBy['*']) === 'count';
  const lists = [ownHits, ...outcomes.flatMap((outcome) => ('facetHits' in outcome ? [outcome.facetHits] : []))];
  const failed = outcomes.flatMap((outcome) => ('error' in outcome ? [[outcome.name, outcome.error]] : []));
  return {
    facetHits: summed(lists, isByCount).slice(0, faceting.maxValuesPerFacet),
    facetQuery: request.facetQuery,
    processingTimeMs: elapsedMs(startedMs),
    ...(Object.keys(remotes).length === 0 ? {} : { remoteErrors: Object.fromEntries(failed) }),
  };
}

function summed(lists: readonly FacetHits[], isByCount: boolean): FacetHits {
  const counts = new Map<string, number>();
  for (const { value, count } of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + count);
  const byValue = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)));
  return isByCount ? byValue.reverse().sort((a, b) => b.count - a.count) : byValue;
}

const isCount = (count: unknown): count is number => Number.isSafeInteger(count) && (count as number) >= 0;

function facetHitsOf(answer: unknown): FacetHits {
  const hits = isJsonObject(answer) ? answer.facetHits : undefined;
  if (!Array.isArray(hits)) throw badResponse('The answer is no facet search: it has no `facetHits`.');
  return hits.map((hit, i) => {
    if (isJsonObject(hit) && typeof hit.value === 'string' && isCount(hit.count))
      return { value: hit.value, count: hit.count };
    throw badResponse(`\`.facetHits[${i}]\` lacks its value or count.`);
  });
}
