import { ApiError } from '@fossick/base';
import {
  type FederatedAnswer,
  type FederatedPart,
  type FederationRequest,
  federatedParts,
  federatedSearch,
  inQuery,
  mergeParts,
  StageClock,
} from '@fossick/engine';
import { FilterError, parseFilter } from '@fossick/filter';
import type { Access } from '../auth/access.js';
import { type IndexScope, indexAccess } from '../auth/index-scope.js';
import type { ServerContext } from '../context.js';
import { isJsonObject } from '../wire/fields.js';
import { type FederatedJob, federatedBytes } from './federated-job.js';
import { type FederationPlan, type LocalQuery, planFederation } from './federation-plan.js';
import { windowOf } from './federation-window.js';
import type { Federation, MultiSearchQuery } from './multi-search-fields.js';
import { type QueryMetadata, queryMetadata } from './query-metadata.js';
import { type RemoteOutcome, type RemoteSuccess, startRemoteSearch } from './remote-search.js';
import { newRequestUid } from './request-uid.js';
import { ruleBookOf } from './rule-book.js';
import { requirePersonalization } from './search-request.js';
import { Turns } from './turns.js';

/** What a federated search comes with besides its body. */
export interface FederatedExtras {
  readonly withMetadata: boolean;
  /** Another instance asks, and merges the answer further. */
  readonly isProxied: boolean;
}
/** A federated search that ran: what its answer, or that of a single search over the network, is made of. */
export interface FederatedOutcome {
  readonly answer: FederatedAnswer;
  readonly processingTimeMs: number;
  /** One entry a query; empty when none was asked for. */
  readonly metadata: readonly QueryMetadata[];
  /** Errors by name of the remote that failed; null when nothing ran elsewhere. */
  readonly remoteErrors: Readonly<Record<string, object>> | null;
  readonly clock: StageClock;
}

/** Answers queries whose hits become one list (spec 14 sections 3 to 7), as JSON bytes. A long one leaves this thread. */
export async function answerFederated(
  context: ServerContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  extras: FederatedExtras,
): Promise<Buffer> {
  const prepared = await prepare(context, access, queries, federation, extras);
  const job = jobOf(context, prepared, access, queries, federation, extras);
  if (job !== null && context.searchers.takes(job)) return context.searchers.run(job);
  const outcome = await context.searches.run(() => runPrepared(context, prepared, queries, federation, extras));
  const metadata = extras.withMetadata ? outcome.metadata : null;
  return federatedBytes(outcome.answer, { ...outcome, federation, metadata });
}

/** A federated search that is to be run. */
interface PreparedSearch {
  readonly startedMs: number;
  readonly plan: FederationPlan;
  readonly request: FederationRequest;
  readonly scope: IndexScope;
}

async function prepare(
  context: ServerContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  extras: FederatedExtras,
): Promise<PreparedSearch> {
  const startedMs = performance.now();
  const clock = new StageClock();
  const turns = new Turns(context.searches);
  for (const [i, query] of queries.entries()) {
    await turns.breathe();
    inQuery(i, () => checkFilterSyntax(query.filter ?? null));
  }
  const planned = clock.time('search > partition queries', () => planFederation(context, access, queries, federation));
  if (federation.personalize !== undefined && federation.personalize !== null) requirePersonalization();
  const { groups, self, isNetworked } = planned;
  const plan = { groups, self, isNetworked, local: await withVectors(context, planned.local) };
  return { startedMs, plan, request: requestOf(context, access, plan, federation, extras, clock), scope: access.scope };
}

/** The search as a job for any thread; null when others take part in it, or an index is not there. */
function jobOf(
  context: ServerContext,
  { plan, request }: PreparedSearch,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  extras: FederatedExtras,
): FederatedJob | null {
  if (plan.groups.length > 0 || plan.isNetworked) return null;
  if (queries.some(({ indexUid }) => context.engine.index(indexUid!) === undefined)) return null;
  const { clock: _clock, access: _access, ...plain } = request;
  const metadata = extras.withMetadata ? metadataOf(context, plan, queries, []) : null;
  return { kind: 'federated', request: plain, scope: access.scope, federation, metadata };
}

/**
 * Runs the queries here and on the remotes that they ask, and merges all. A remote that fails leaves its hits out.
 * @throws ApiError for what the request has wrong, in the order of spec 14 section 1.2
 */
export async function runFederated(
  context: ServerContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  extras: FederatedExtras,
): Promise<FederatedOutcome> {
  const prepared = await prepare(context, access, queries, federation, extras);
  return runPrepared(context, prepared, queries, federation, extras);
}

async function runPrepared(
  context: ServerContext,
  { startedMs, plan, request, scope }: PreparedSearch,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  extras: FederatedExtras,
): Promise<FederatedOutcome> {
  const { clock } = request;
  const abort = new AbortController();
  const remotes = Promise.all(
    startRemoteSearch(
      context,
      plan.groups,
      { ...request, facetsByIndex: facetsOf(federation), scope },
      extras.withMetadata,
      abort.signal,
    ),
  );
  remotes.catch(() => undefined); // heard of below, unless the search fails here first
  const local = runHere(context, plan, request, abort);
  const waitedFromMs = performance.now();
  const outcomes = await remotes;
  const waitedMs = plan.groups.length === 0 ? 0 : performance.now() - waitedFromMs;
  if (plan.groups.length > 0) clock.add('search > wait for remote results', waitedMs);
  const answer = 'hits' in local ? local : mergeAll(local, outcomes, request);
  const ownMs = performance.now() - startedMs - waitedMs;
  clock.add('search', performance.now() - startedMs);
  return {
    answer,
    processingTimeMs: Math.floor(
      Math.max(0, ownMs, ...outcomes.filter(isSuccess).map((each) => each.processingTimeMs)),
    ),
    metadata: extras.withMetadata ? metadataOf(context, plan, queries, outcomes) : [],
    remoteErrors: plan.isNetworked ? errorsOf(outcomes) : null,
    clock,
  };
}

/** The part of this instance: the answer itself when nobody else has one. */
function runHere(
  { engine }: ServerContext,
  plan: FederationPlan,
  request: FederationRequest,
  abort: AbortController,
): FederatedAnswer | readonly FederatedPart[] {
  try {
    return request.clock.time('search > execute local search', () =>
      plan.groups.length === 0 ? federatedSearch(engine, request) : federatedParts(engine, request),
    );
  } catch (error) {
    abort.abort();
    throw error;
  }
}

function mergeAll(
  local: readonly FederatedPart[],
  outcomes: readonly RemoteOutcome[],
  request: FederationRequest,
): FederatedAnswer {
  const parts = [...local, ...outcomes.filter(isSuccess).map(({ part }) => part)];
  return request.clock.time('search > merge results', () => mergeParts(parts, request));
}

function isSuccess(outcome: RemoteOutcome): outcome is RemoteSuccess {
  return 'part' in outcome;
}

function errorsOf(outcomes: readonly RemoteOutcome[]): Record<string, object> {
  return Object.fromEntries(outcomes.flatMap((outcome) => ('error' in outcome ? [[outcome.name, outcome.error]] : [])));
}

function requestOf(
  context: ServerContext,
  access: Access,
  plan: FederationPlan,
  federation: Federation,
  { isProxied }: FederatedExtras,
  clock: StageClock,
): FederationRequest {
  // an index that only remotes search need not exist here
  const here = new Set(plan.local.map(({ indexUid }) => indexUid));
  const elsewhere = new Set(plan.groups.flatMap(({ queries }) => queries.map(({ indexUid }) => indexUid)));
  const facets = [...facetsOf(federation)].filter(([uid]) => here.has(uid) || !elsewhere.has(uid));
  const { mergeFacets } = federation;
  return {
    queries: plan.local,
    window: windowOf(federation),
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

/** One entry a query, in their order; of a query that ran in several places the first that answered. */
function metadataOf(
  { engine }: ServerContext,
  plan: FederationPlan,
  queries: readonly MultiSearchQuery[],
  outcomes: readonly RemoteOutcome[],
): QueryMetadata[] {
  const names = new Map<number, { readonly remote: string | null; readonly answered: unknown }>();
  for (const { position } of plan.local) names.set(position, { remote: plan.self, answered: undefined });
  for (const { name, queries: sent } of plan.groups) {
    const outcome = outcomes.find((each) => each.name === name);
    const answered = outcome !== undefined && isSuccess(outcome) ? outcome.metadata : [];
    sent.forEach(({ position }, i) => {
      const known = names.get(position);
      if (known === undefined || (known.answered === undefined && known.remote !== plan.self))
        names.set(position, { remote: name, answered: answered[i] });
    });
  }
  return queries.map(({ indexUid, q, federationOptions }, i) => {
    const { remote = null, answered } = names.get(federationOptions?.queryPosition ?? i) ?? {};
    const own: QueryMetadata =
      remote === plan.self || remote === null
        ? queryMetadata(engine, indexUid!, q)
        : { ...(q ? { query: q } : {}), queryUid: newRequestUid(), indexUid: indexUid! };
    const entry = { ...own, ...remoteMetadata(answered) };
    return plan.isNetworked && remote !== null ? { ...entry, remote } : entry;
  });
}

/** What a remote alone knows of a query; other members are none of its business. */
function remoteMetadata(answered: unknown): Partial<QueryMetadata> {
  const { queryUid, primaryKey } = isJsonObject(answered) ? answered : {};
  return {
    ...(typeof queryUid === 'string' ? { queryUid } : {}),
    ...(typeof primaryKey === 'string' ? { primaryKey } : {}),
  };
}

/**
 * Throws invalid_search_filter for a filter that cannot be read at all; what it asks of an index is checked with the
 * index.
 */
export function checkFilterSyntax(filter: unknown): void {
  try {
    parseFilter(filter);
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError('invalid_search_filter', error.message);
    throw error;
  }
}

/** Each with the vector of its text or media where it asks for one; what an unknown index means is found by the search. */
function withVectors({ engine, queryVectors }: ServerContext, local: readonly LocalQuery[]): Promise<LocalQuery[]> {
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
