import type { FACET_SEARCH_BODY, Received } from '@fossick/api';
import { ApiError, errorToJson, own } from '@fossick/base';
import { type Access, callerHeaders } from '@fossick/instance/access';
import { withTimeLimit } from '@fossick/outbound';
import type { FacetSearchResponse } from '@fossick/search';
import type { FacetSearchRequest } from '@fossick/settings/parameters';
import { facetHitsOf, type ListAnswer } from '../jobs/kinds/networked-lists.js';
import { runJob } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import type { AnswerReservation } from '../network/answer-memory.js';
import { type Remote, readNetwork } from '../network/network.js';
import type { CarriedHeaders } from '../parts/answered-search.js';

/**
 * Searches the values of a facet on every instance of the network and sums the counts of equal values. As JSON bytes.
 * Failed instances are left out and named in `remoteErrors`.
 */
export async function answerNetworkFacets(context: SearchContext, search: NetworkFacetSearch): Promise<Buffer> {
  return context.remotes.holding((hold) => requestAndMerge(context, search, hold));
}

interface NetworkFacetSearch {
  readonly access: Access;
  readonly indexUid: string;
  readonly body: Received<typeof FACET_SEARCH_BODY>;
  readonly request: FacetSearchRequest;
  readonly carried: CarriedHeaders | undefined;
}

async function requestAndMerge(
  context: SearchContext,
  { access, indexUid, body, request, carried }: NetworkFacetSearch,
  hold: AnswerReservation,
): Promise<Buffer> {
  const startedMs = performance.now();
  const { engine, values, remotes: client } = context;
  const { self, remotes } = readNetwork(values);
  const end = new AbortController();
  const sent = { ...body, filter: request.filter, useNetwork: false };
  const requestFacets = async ([name, remote]: [string, Remote], signal: AbortSignal): Promise<ListAnswer> => {
    try {
      const { bytes } = await client.post(remote, {
        path: `/indexes/${indexUid}/facet-search`,
        body: sent,
        headers: { ...carried, 'meili-proxy-search': 'true', ...callerHeaders(access.scope) },
        signal,
        hold,
        read: facetHitsOf,
      });
      return { name, bytes };
    } catch (error) {
      if (error instanceof ApiError) return { name, error: errorToJson(error.code, error.message) };
      throw error;
    }
  };
  const otherRemotes = Object.entries(remotes).filter(([name]) => name !== self);
  const others = withTimeLimit(client.timeoutMs, [end.signal], (signal) =>
    Promise.all(otherRemotes.map((remote) => requestFacets(remote, signal))),
  );
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
  const { value, failedRemotes } = await runJob(context, {
    kind: 'networkedFacets',
    ownHits,
    answers,
    isByCount: (own(faceting.sortFacetValuesBy, request.facetName) ?? faceting.sortFacetValuesBy['*']) !== 'alpha',
    maxValues: faceting.maxValuesPerFacet,
    facetQuery: request.facetQuery,
    waitedMs: performance.now() - startedMs,
    isNetworked: Object.keys(remotes).length > 0,
  });
  for (const [name, { url }] of otherRemotes) if (failedRemotes.includes(name)) client.health.failed(url);
  return value;
}
