import { callerHeaders, type IndexScope } from '@fossick/instance/access';
import { withTimeLimit } from '@fossick/outbound';
import type { FederationRequest } from '@fossick/search';
import { type RemoteOutcome, toSuccess } from '../jobs/kinds/networked-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import type { AnswerReservation } from '../network/answer-memory.js';
import { failureOf } from '../network/remote-answer.js';
import type { RequestedPart } from '../network/remote-part.js';
import type { CarriedHeaders } from '../parts/answered-search.js';
import type { RemoteGroup } from './federation-plan.js';

export type RemoteFederation = Pick<FederationRequest, 'window' | 'facetsByIndex' | 'distinct'> & {
  /** What the caller may access. */
  readonly scope: IndexScope;
};

/** What aborts the requests, the account of their answers' memory, and headers of the request that they belong to. */
interface RemoteBounds {
  readonly carried: CarriedHeaders | undefined;
  readonly signal: AbortSignal;
  readonly hold: AnswerReservation;
}

/** Sends every group to its remote at once. The promises never reject: a remote's failure is part of the answer. */
export function startRemoteSearch(
  context: SearchContext,
  groups: readonly RemoteGroup[],
  federation: RemoteFederation,
  withMetadata: boolean,
  { signal: aborted, ...bounds }: RemoteBounds,
): readonly Promise<RemoteOutcome>[] {
  return groups.map((group) =>
    withTimeLimit(context.remotes.timeoutMs, [aborted], (signal) =>
      requestRemote(context, group, federation, withMetadata, { ...bounds, signal }),
    ),
  );
}

/** A placeholder until the bytes are known. */
const NOTHING = new Uint8Array();

async function requestRemote(
  { engine, remotes }: SearchContext,
  { name, remote, queries }: RemoteGroup,
  federation: RemoteFederation,
  withMetadata: boolean,
  { signal, hold, carried }: RemoteBounds,
): Promise<RemoteOutcome> {
  try {
    const uids = new Set(queries.map(({ indexUid }) => indexUid));
    const body = { queries: queries.map((query) => query.body), federation: forwarded(federation, uids) };
    const requested: RequestedPart = {
      positions: new Set(queries.map(({ position }) => position)),
      uids,
      distinct: federation.distinct,
      hitCount: federation.window.from + federation.window.length,
    };
    const answered = await remotes.post(remote, {
      path: '/multi-search',
      body,
      headers: {
        ...carried,
        'meili-proxy-search': 'true',
        ...(withMetadata ? { 'meili-include-metadata': 'true' } : {}),
        ...callerHeaders(federation.scope),
      },
      signal,
      hold,
      read: (answer) => toSuccess(engine, { name, bytes: NOTHING, requested }, answer),
    });
    const sent = { name, bytes: answered.bytes, requested };
    return answered.kind === 'unread' ? sent : { ...answered.value, sent };
  } catch (error) {
    return failureOf(name, error);
  }
}

/** The federation for the remote: everything up to the end of the window, facets only of its own indexes. */
function forwarded({ window, facetsByIndex, distinct }: RemoteFederation, uids: ReadonlySet<string>): object {
  const needed = window.from + window.length;
  const facets = [...facetsByIndex].filter(([uid]) => uids.has(uid));
  return {
    ...(window.isPaged ? { page: 1, hitsPerPage: needed } : { offset: 0, limit: needed }),
    ...(facets.length === 0 ? {} : { facetsByIndex: Object.fromEntries(facets) }),
    ...(distinct === null ? {} : { distinct }),
  };
}
