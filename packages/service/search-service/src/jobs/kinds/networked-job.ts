/**
 * The rest of a search over the network once every instance has answered, as plain data: done by this thread or by a
 * search thread.
 */

import { isJsonObject } from '@fossick/api';
import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import {
  type FederatedAnswer,
  type FederatedPart,
  type FederationRequest,
  federatedParts,
  federatedSearch,
  mergeParts,
  StageClock,
} from '@fossick/search';
import { areLargeAnswers, failureOf, readParsed } from '../../network/remote-answer.js';
import { type RequestedPart, remotePart } from '../../network/remote-part.js';
import { metadataOf, type QueryLocations } from '../../parts/networked-metadata.js';
import { type AnswerShape, shapedBytes } from './answer-shape.js';
import { factsOf, placeOfQueries } from './federated-job.js';
import { found, inThreadIf, type JobKind, type JobResult, watchedRules } from './job.js';

/** The answer of one remote, parsed or not, or the error of a failed one. */
export type RemoteOutcome = RemoteSuccess | RemoteBytes | RemoteFailure;
export interface RemoteSuccess {
  readonly name: string;
  readonly part: FederatedPart;
  /** The remote's own time, ms. */
  readonly processingTimeMs: number;
  /** Metadata of its queries, in their order; empty when they were not requested. */
  readonly metadata: readonly unknown[];
  /** The bytes that it was parsed from. */
  readonly sent: RemoteBytes;
}
export interface RemoteBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly requested: RequestedPart;
}
export interface RemoteFailure {
  readonly name: string;
  readonly error: object;
}

/** A search of this instance's indexes, and the answers of remotes to theirs. */
export interface NetworkedJob {
  readonly kind: 'networked';
  readonly request: Omit<FederationRequest, 'access' | 'clock'>;
  readonly scope: IndexScope;
  readonly remotes: readonly (RemoteBytes | RemoteFailure)[];
  readonly queries: QueryLocations;
  readonly shape: AnswerShape;
}

/** Whether the answers of remotes are too long to be parsed by a thread that serves other requests. */
export function hasHeavyRemotes(outcomes: readonly RemoteOutcome[]): boolean {
  return areLargeAnswers(outcomes.flatMap((outcome) => bytesOf(outcome) ?? []));
}
function bytesOf(outcome: RemoteOutcome): Uint8Array | undefined {
  if ('part' in outcome) return outcome.sent.bytes;
  return 'bytes' in outcome ? outcome.bytes : undefined;
}

/** Without the members that cannot be sent to another thread. */
export function plainOutcome(outcome: RemoteOutcome): RemoteBytes | RemoteFailure {
  return 'part' in outcome ? outcome.sent : outcome;
}

export const NETWORKED: JobKind<NetworkedJob, Buffer> = {
  place({ request, remotes }, sizes) {
    const place = placeOfQueries(request, sizes);
    return place === 'here' ? inThreadIf(hasHeavyRemotes(remotes)) : place;
  },
  run: answerNetworkedJob,
};

/** Searches here and merges everything. @throws ApiError */
function answerNetworkedJob(engine: EngineReader, job: NetworkedJob): JobResult<Buffer> {
  const clock = new StageClock();
  const startedMs = performance.now();
  const { ruleBook, fired } = watchedRules(job.request.ruleBook);
  const request = { ...job.request, ruleBook, access: indexAccess(job.scope), clock };
  const outcomes = job.remotes.map((remote) => ('error' in remote ? remote : readOutcome(engine, remote)));
  const local = clock.time('search > execute local search', () => searchHere(engine, request, outcomes.length > 0));
  const answer = mergedAnswer(local, outcomes, request);
  const ownMs = performance.now() - startedMs;
  clock.add('search', ownMs);
  const rest = restOf(engine, job.queries, outcomes, ownMs);
  const bytes = shapedBytes(job.shape, answer, { ...rest, clock });
  const failed = outcomes.filter((outcome, i) => 'error' in outcome && !('error' in job.remotes[i]!));
  return found(bytes, { failedRemotes: failed.map(({ name }) => name), facts: factsOf(answer, fired, rest.metadata) });
}

/** The part of this instance, which is the whole answer when no remote has one. */
export function searchHere(
  engine: EngineReader,
  request: FederationRequest,
  isMerged: boolean,
): FederatedAnswer | readonly FederatedPart[] {
  return isMerged ? federatedParts(engine, request) : federatedSearch(engine, request);
}

export function mergedAnswer(
  local: FederatedAnswer | readonly FederatedPart[],
  outcomes: readonly RemoteOutcome[],
  request: FederationRequest,
): FederatedAnswer {
  if ('hits' in local) return local;
  const parts = [...local, ...outcomes.filter(isSuccess).map(({ part }) => part)];
  return request.clock.time('search > merge results', () => mergeParts(parts, request));
}

/** The members of an answer in addition to the hits and facets. */
export function restOf(
  engine: EngineReader,
  queries: QueryLocations,
  outcomes: readonly RemoteOutcome[],
  ownMs: number,
): Pick<Parameters<typeof shapedBytes>[2], 'processingTimeMs' | 'metadata' | 'remoteErrors'> {
  const successes = outcomes.filter(isSuccess);
  const answered = new Map(successes.map(({ name, metadata }) => [name, metadata]));
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [[outcome.name, outcome.error]] : []));
  return {
    processingTimeMs: Math.floor(Math.max(0, ownMs, ...successes.map((each) => each.processingTimeMs))),
    metadata: metadataOf(engine, queries, answered),
    remoteErrors: queries.isNetworked ? Object.fromEntries(errors) : null,
  };
}

function isSuccess(outcome: RemoteOutcome): outcome is RemoteSuccess {
  return 'part' in outcome;
}

function readOutcome(engine: EngineReader, sent: RemoteBytes): RemoteSuccess | RemoteFailure {
  try {
    return readParsed(sent.bytes, (answer) => toSuccess(engine, sent, answer));
  } catch (error) {
    return failureOf(sent.name, error);
  }
}

/** @throws ApiError remote_bad_response for an answer that does not fit the request */
export function toSuccess(engine: EngineReader, sent: RemoteBytes, answer: unknown): RemoteSuccess {
  const part = remotePart(engine, sent.name, answer, sent.requested);
  const { processingTimeMs, metadata } = isJsonObject(answer) ? answer : {};
  return {
    name: sent.name,
    part,
    processingTimeMs: typeof processingTimeMs === 'number' && processingTimeMs >= 0 ? processingTimeMs : 0,
    metadata: Array.isArray(metadata) ? metadata : [],
    sent,
  };
}
