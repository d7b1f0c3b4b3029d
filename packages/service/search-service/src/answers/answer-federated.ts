import { type Federation, type MultiSearchQuery, requirePersonalization } from '@fossick/api';
import { TimeBudgetSpent } from '@fossick/base';
import { type EngineReader, withDictionariesAsync } from '@fossick/index';
import { type Access, callerHeaders, type IndexScope, indexAccess } from '@fossick/instance/access';
import { withTimeLimit } from '@fossick/outbound';
import { type FederatedAnswer, type FederatedPart, type FederationRequest, inQuery, StageClock } from '@fossick/search';
import { type AnswerShape, shapedBytes } from '../jobs/kinds/answer-shape.js';
import { type FederatedJob, factsOf } from '../jobs/kinds/federated-job.js';
import { found, type JobResult, watchedRules } from '../jobs/kinds/job.js';
import {
  hasHeavyRemotes,
  mergedAnswer,
  type NetworkedJob,
  plainOutcome,
  type RemoteOutcome,
  restOf,
  searchHere,
  toSuccess,
} from '../jobs/kinds/networked-job.js';
import { type RunJob, runInThread, runJob } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import type { AnswerReservation } from '../network/answer-memory.js';
import { failureOf } from '../network/remote-answer.js';
import type { RequestedPart } from '../network/remote-part.js';
import { type AnswerOptions, type CarriedHeaders, noteSearch } from '../parts/answered-search.js';
import { rangeOf } from '../parts/hit-range.js';
import { inlineOutcomes } from '../parts/inline-outcomes.js';
import { metadataOf, type QueryLocations } from '../parts/networked-metadata.js';
import { checkFilters } from './check-filters.js';
import { type FederationPlan, type LocalQuery, planFederation, type RemoteGroup } from './federation-plan.js';
import { ruleBookOf } from './rule-book.js';

/** A placeholder until the bytes are known. */
const NOTHING = new Uint8Array();

/** Context of a federated search in addition to its body. */
export interface FederatedExtras extends AnswerOptions {
  /** Another instance sent the request and merges the answer further. */
  readonly isProxied: boolean;
}
/** Answers queries whose hits become one list, as JSON bytes. A long search leaves this thread. */
export async function answerFederated(
  context: SearchContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  extras: FederatedExtras,
): Promise<Buffer> {
  const prepared = await prepare(context, access, queries, federation, extras);
  const { value, facts } = await federatedResult(context, prepared, federation);
  const { startedMs } = prepared;
  for (const [position, { indexUid, q }] of queries.entries())
    noteSearch(extras, { q }, { indexUid: indexUid!, facts, startedMs, position });
  return value;
}

async function federatedResult(
  context: SearchContext,
  prepared: PreparedSearch,
  federation: Federation,
): Promise<JobResult<Buffer>> {
  const job = jobOf(context, prepared, federation);
  if (job !== null) return runJob(context, job);
  const shape = { kind: 'federated', federation } as const;
  return context.searches.run(() =>
    withDictionariesAsync(() =>
      context.remotes.holding((reservation) => runPrepared(context, prepared, federation, shape, reservation)),
    ),
  );
}

/** A federated search ready to run. */
interface PreparedSearch {
  readonly startedMs: number;
  readonly plan: FederationPlan;
  readonly request: FederationRequest;
  readonly scope: IndexScope;
  readonly locations: QueryLocations;
  readonly carried: CarriedHeaders | undefined;
}

async function prepare(
  context: SearchContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  extras: FederatedExtras,
): Promise<PreparedSearch> {
  const startedMs = performance.now();
  const clock = new StageClock();
  await checkFilters(context, queries);
  const planned = clock.time('search > partition queries', () => planFederation(context, access, queries, federation));
  if (federation.personalize !== undefined && federation.personalize !== null) requirePersonalization();
  const { groups, self, isNetworked } = planned;
  const plan = { groups, self, isNetworked, local: await withVectors(context, planned.local) };
  const request = requestOf(context, access, plan, federation, { ...extras, clock });
  const locations = queryLocations(plan, queries, extras);
  return { startedMs, plan, request, scope: access.scope, locations, carried: extras.carried };
}

/** The search as a job for any thread; null when remotes take part in it, or an index does not exist. */
function jobOf(
  context: SearchContext,
  { plan, request, scope, locations }: PreparedSearch,
  federation: Federation,
): FederatedJob | null {
  if (plan.groups.length > 0 || plan.isNetworked || !areHere(context, plan)) return null;
  const metadata = metadataOf(context.engine, locations, new Map());
  return { kind: 'federated', request: plain(request), scope, federation, metadata };
}

const areHere = ({ engine }: SearchContext, { local }: FederationPlan): boolean =>
  local.every(({ indexUid }) => engine.index(indexUid) !== undefined);

function plain({ clock: _clock, access: _access, ...rest }: FederationRequest): FederatedJob['request'] {
  return rest;
}

/**
 * Runs the queries here and on their remotes, and merges everything, as JSON bytes. The hits of a failed remote are
 * missing.
 * @throws ApiError for an invalid request, in the order of the queries
 */
export async function runFederated(
  context: SearchContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  { shape, ...extras }: FederatedExtras & { readonly shape: AnswerShape },
): Promise<JobResult<Buffer>> {
  const prepared = await prepare(context, access, queries, federation, extras);
  return withDictionariesAsync(() =>
    context.remotes.holding((reservation) => runPrepared(context, prepared, federation, shape, reservation)),
  );
}

/**
 * Short searches run while remotes are awaited. A long search, or one with long answers of remotes, ends in a search
 * thread.
 */
async function runPrepared(
  context: SearchContext,
  { startedMs, plan, request, scope, locations, carried }: PreparedSearch,
  federation: Federation,
  shape: AnswerShape,
  reservation: AnswerReservation,
): Promise<JobResult<Buffer>> {
  const { clock } = request;
  const { ruleBook, fired } = watchedRules(request.ruleBook);
  const { engine, searchers } = context;
  const job: NetworkedJob = {
    kind: 'networked',
    request: plain(request),
    scope,
    remotes: [],
    queries: locations,
    shape,
  };
  const abort = new AbortController();
  const remoteRequest = { ...request, facetsByIndex: facetsOf(federation), scope };
  const withMetadata = locations.queries !== null;
  const remotes = Promise.all(
    startRemoteSearch(context, plan.groups, remoteRequest, withMetadata, {
      signal: abort.signal,
      reservation,
      carried,
    }),
  );
  remotes.catch(() => undefined); // handled below, unless the search fails here first
  const isLong = areHere(context, plan) && searchers.takes(job);
  const local = isLong
    ? null
    : inBudget(context, job, () => searchBeside(engine, { ...request, ruleBook }, plan, abort));
  const waitedFromMs = performance.now();
  const outcomes = await remotes;
  const whole: NetworkedJob = { ...job, remotes: outcomes.map(plainOutcome) };
  if (local === null) return finish(context, plan, whole, runInThread);
  if (hasHeavyRemotes(outcomes)) return finish(context, plan, whole, runJob);
  const waitedMs = plan.groups.length === 0 ? 0 : performance.now() - waitedFromMs;
  if (plan.groups.length > 0) clock.add('search > wait for remote results', waitedMs);
  const merged = inBudget(context, job, () => {
    const answer = mergedAnswer(local, outcomes, request);
    const ownMs = performance.now() - startedMs - waitedMs;
    clock.add('search', performance.now() - startedMs);
    const rest = restOf(engine, locations, outcomes, ownMs);
    return found(shapedBytes(shape, answer, { ...rest, clock }), { facts: factsOf(answer, fired, rest.metadata) });
  });
  return merged ?? finish(context, plan, whole, runInThread);
}

/** The result of the work, or null when a search thread is to begin the job again. */
function inBudget<T>({ searchers }: SearchContext, job: NetworkedJob, work: () => T): T | null {
  try {
    return searchers.begin(job, work);
  } catch (error) {
    if (error instanceof TimeBudgetSpent) return null;
    throw error;
  }
}

/** A failing search aborts the requests to remotes; one that takes too long is begun again, and they go on. */
function searchBeside(
  engine: EngineReader,
  request: FederationRequest,
  plan: FederationPlan,
  abort: AbortController,
): FederatedAnswer | readonly FederatedPart[] {
  try {
    return request.clock.time('search > execute local search', () =>
      searchHere(engine, request, plan.groups.length > 0),
    );
  } catch (error) {
    if (!(error instanceof TimeBudgetSpent)) abort.abort();
    throw error;
  }
}

/** Remotes with invalid answers count as failed from then on. */
async function finish(
  context: SearchContext,
  plan: FederationPlan,
  job: NetworkedJob,
  run: RunJob,
): Promise<JobResult<Buffer>> {
  const result = await run(context, job);
  for (const { name, remote } of plan.groups)
    if (result.failedRemotes.includes(name)) context.remotes.health.failed(remote.url);
  return result;
}

function requestOf(
  context: SearchContext,
  access: Access,
  plan: FederationPlan,
  federation: Federation,
  { isProxied, clock }: FederatedExtras & { readonly clock: StageClock },
): FederationRequest {
  // an index that only remotes search need not exist here
  const here = new Set(plan.local.map(({ indexUid }) => indexUid));
  const elsewhere = new Set(plan.groups.flatMap(({ queries }) => queries.map(({ indexUid }) => indexUid)));
  const facets = [...facetsOf(federation)].filter(([uid]) => here.has(uid) || !elsewhere.has(uid));
  const { mergeFacets } = federation;
  return {
    queries: plan.local,
    range: rangeOf(federation),
    facetsByIndex: new Map(facets),
    mergeFacets:
      mergeFacets === undefined || mergeFacets === null
        ? null
        : { maxValuesPerFacet: mergeFacets.maxValuesPerFacet ?? null },
    distinct: federation.distinct ?? null,
    ruleBook: ruleBookOf(context),
    hydrates: context.features.isOn('foreignKeys'),
    access: indexAccess(access.scope),
    marks: { remote: plan.isNetworked ? plan.self : undefined, isProxied },
    clock,
  };
}

const facetsOf = ({ facetsByIndex }: Federation): ReadonlyMap<string, readonly string[]> => facetsByIndex ?? new Map();

/** The queries in the form that metadata need. */
function queryLocations(
  { local, groups, self, isNetworked }: FederationPlan,
  queries: readonly MultiSearchQuery[],
  { withMetadata }: FederatedExtras,
): QueryLocations {
  const named = queries.map(({ indexUid, q, federationOptions, inlineRule }, i) => {
    const position = federationOptions?.queryPosition ?? i;
    const here = local.find((query) => query.position === position);
    const outcomes =
      !withMetadata || here?.ruleBook === undefined || inlineRule == null
        ? null
        : inlineOutcomes(here.ruleBook, inlineRule.uid!, here.request);
    return { indexUid: indexUid!, q: q ?? null, position, outcomes };
  });
  return {
    queries: withMetadata ? named : null,
    local: local.map(({ position }) => position),
    remotes: groups.map((group) => ({ name: group.name, positions: group.queries.map(({ position }) => position) })),
    self,
    isNetworked,
  };
}

/** Adds the vector of its text or media to each query that needs one; the search itself reports an unknown index. */
function withVectors({ engine, queryVectors }: SearchContext, local: readonly LocalQuery[]): Promise<LocalQuery[]> {
  return Promise.all(
    local.map(async (query) => {
      const { indexUid, position, request, media } = query;
      if (engine.index(indexUid) === undefined) return query;
      try {
        return { ...query, request: await queryVectors.embedded(request, media, () => engine.settings(indexUid)) };
      } catch (error) {
        return inQuery(position, () => {
          throw error;
        });
      }
    }),
  );
}

type RemoteFederation = Pick<FederationRequest, 'range' | 'facetsByIndex' | 'distinct'> & {
  /** What the caller may access. */
  readonly scope: IndexScope;
};

/** What aborts the requests, the account of their answers' memory, and headers of the request that they belong to. */
interface RemoteBounds {
  readonly carried: CarriedHeaders | undefined;
  readonly signal: AbortSignal;
  readonly reservation: AnswerReservation;
}

/** Sends every group to its remote at once. The promises never reject: a remote's failure is part of the answer. */
function startRemoteSearch(
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

async function requestRemote(
  { engine, remotes }: SearchContext,
  { name, remote, queries }: RemoteGroup,
  federation: RemoteFederation,
  withMetadata: boolean,
  { signal, reservation, carried }: RemoteBounds,
): Promise<RemoteOutcome> {
  try {
    const uids = new Set(queries.map(({ indexUid }) => indexUid));
    const body = { queries: queries.map((query) => query.body), federation: forwarded(federation, uids) };
    const requested: RequestedPart = {
      positions: new Set(queries.map(({ position }) => position)),
      uids,
      distinct: federation.distinct,
      hitCount: federation.range.from + federation.range.length,
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
      reservation,
      read: (answer) => toSuccess(engine, { name, bytes: NOTHING, requested }, answer),
    });
    const sent = { name, bytes: answered.bytes, requested };
    return answered.kind === 'unread' ? sent : { ...answered.value, sent };
  } catch (error) {
    return failureOf(name, error);
  }
}

/** The federation for the remote: everything up to the end of the range, facets only of its own indexes. */
function forwarded({ range, facetsByIndex, distinct }: RemoteFederation, uids: ReadonlySet<string>): object {
  const needed = range.from + range.length;
  const facets = [...facetsByIndex].filter(([uid]) => uids.has(uid));
  return {
    ...(range.isPaged ? { page: 1, hitsPerPage: needed } : { offset: 0, limit: needed }),
    ...(facets.length === 0 ? {} : { facetsByIndex: Object.fromEntries(facets) }),
    ...(distinct === null ? {} : { distinct }),
  };
}
