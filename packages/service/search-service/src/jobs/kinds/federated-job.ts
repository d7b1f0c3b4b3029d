import type { Federation } from '@fossick/api';
import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { answerJson, type FederatedAnswer, type FederationRequest, federatedSearch, StageClock } from '@fossick/search';
import type { SearchFacts } from '../../parts/answered-search.js';
import { asBuffer } from '../../parts/as-buffer.js';
import { paginationOf } from '../../parts/hit-range.js';
import { newRequestUid, type QueryMetadata } from '../../parts/query-metadata.js';
import { found, inThreadIf, type JobKind, type JobPlace, type JobResult, type SizeOf, watchedRules } from './job.js';

/** A federated search of this instance's indexes only, as plain data. */
export interface FederatedJob {
  readonly kind: 'federated';
  readonly request: Omit<FederationRequest, 'access' | 'clock'>;
  readonly scope: IndexScope;
  readonly federation: Federation;
  /** One entry per query; null when metadata were not requested. */
  readonly metadata: readonly QueryMetadata[] | null;
}

/** The members of an answer in addition to the hits and facets. */
export interface FederatedRest {
  readonly federation: Federation;
  readonly processingTimeMs: number;
  readonly metadata: readonly QueryMetadata[] | null;
  /** Errors by name of the failed remote; null when nothing ran remotely. */
  readonly remoteErrors: Readonly<Record<string, object>> | null;
  readonly clock: StageClock;
}

/** The answer as JSON bytes. @throws ApiError for more bytes than an answer may have */
export function federatedBytes({ hits, total, ...facets }: FederatedAnswer, rest: FederatedRest): Buffer {
  const { federation, processingTimeMs, metadata, remoteErrors, clock } = rest;
  return asBuffer(
    answerJson({
      hits,
      processingTimeMs,
      ...paginationOf(federation, total),
      ...facets,
      requestUid: newRequestUid(),
      ...(metadata === null ? {} : { metadata }),
      ...(remoteErrors === null ? {} : { remoteErrors }),
      ...(federation.showPerformanceDetails === true ? { performanceDetails: clock.toJson() } : {}),
    }),
  );
}

export const FEDERATED: JobKind<FederatedJob, Buffer> = {
  place: ({ request }, sizes) => placeOfQueries(request, sizes),
  run: answerFederatedJob,
};

/** More queries are a long job: they run as one piece, of one commit for each index. */
const FEW_QUERIES = 8;

export function placeOfQueries({ queries }: Pick<FederationRequest, 'queries'>, sizes: SizeOf): JobPlace {
  if (queries.length > FEW_QUERIES) return 'spare';
  return inThreadIf(queries.some(({ indexUid }) => sizes(indexUid).isLarge));
}

/** Runs the search in any thread with an engine. @throws ApiError for an invalid request */
function answerFederatedJob(
  engine: EngineReader,
  { request, scope, federation, metadata }: FederatedJob,
): JobResult<Buffer> {
  const { ruleBook, fired } = watchedRules(request.ruleBook);
  const clock = new StageClock();
  const startedMs = performance.now();
  const answer = clock.time('search', () =>
    clock.time('search > execute local search', () =>
      federatedSearch(engine, { ...request, ruleBook, access: indexAccess(scope), clock }),
    ),
  );
  const processingTimeMs = Math.floor(Math.max(0, performance.now() - startedMs));
  const bytes = federatedBytes(answer, { federation, processingTimeMs, metadata, remoteErrors: null, clock });
  return found(bytes, { facts: factsOf(answer, fired, metadata) });
}

/** What is counted of a federated search. */
export function factsOf(
  { total }: Pick<FederatedAnswer, 'total'>,
  fired: ReadonlySet<string>,
  metadata: readonly QueryMetadata[] | null,
): SearchFacts {
  return { hitCount: total, rules: [...fired], queryUids: (metadata ?? []).map(({ queryUid }) => queryUid) };
}
