import type { EngineReader, IndexView } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { type RuleBook, rankingDeadlineMs, StageClock, searchBytes } from '@fossick/search';
import type { SearchRequest } from '@fossick/settings/parameters';
import { asBuffer } from '../../parts/as-buffer.js';
import { inlineOutcomes } from '../../parts/inline-outcomes.js';
import { newRequestUid, queryMetadata } from '../../parts/query-metadata.js';
import { found, type JobKind, type JobResult, placeOfSearch, watchedRules } from './job.js';

/** What the answer to one search contains in addition to the hits. */
export interface AnswerExtras {
  readonly withMetadata: boolean;
  readonly withPerformanceDetails: boolean;
  /** The experimental feature `foreignKeys` is on: hits show documents in place of their ids. */
  readonly hydrates: boolean;
  /** The name of the rule that the request has; its metadata show how its conditions turned out. */
  readonly inlineUid: string | null;
}

/** One search in one index. */
export interface SingleSearchJob {
  readonly kind: 'search';
  readonly indexUid: string;
  readonly request: SearchRequest;
  readonly extras: AnswerExtras;
  readonly ruleBook: RuleBook | null;
  readonly scope: IndexScope;
  /** Bytes that the other answers of its request hold. */
  readonly held?: number;
  /** Asked by the process itself, to have its code compiled: neither counted nor kept for those who ask the same later. */
  readonly isWarmUp?: boolean;
}

export const SEARCH: JobKind<SingleSearchJob, Buffer> = {
  place: placeOfSearch,
  run: answerSearchJob,
};

/**
 * Answers one search in one index as JSON bytes, in this thread, with nothing but an engine, as search threads have it.
 * The answer may come from the cache.
 */
function answerSearchJob(
  engine: EngineReader,
  { indexUid, request, extras, ruleBook: book, scope, isWarmUp = false }: SingleSearchJob,
): JobResult<Buffer> {
  const clock = extras.withPerformanceDetails ? new StageClock() : undefined;
  const { ruleBook, fired } = watchedRules(book);
  let hitCount = 0;
  const queryUids: string[] = [];
  const more = (count: number): object => {
    hitCount = count;
    const { withMetadata, inlineUid } = extras;
    const outcomes = (): object | null =>
      inlineUid === null || book === null ? null : inlineOutcomes(book, inlineUid, request);
    const metadata = withMetadata ? queryMetadata(engine, indexUid, request.q, outcomes()) : null;
    if (metadata !== null) queryUids.push(metadata.queryUid);
    return {
      requestUid: newRequestUid(),
      ...(metadata === null ? {} : { metadata }),
      ...(clock === undefined ? {} : { performanceDetails: clock.toJson() }),
    };
  };
  const searchExtras = {
    ruleBook,
    hydrates: extras.hydrates,
    isUncached: isWarmUp,
    ...(clock === undefined ? {} : { clock }),
  };
  const work = (view: IndexView): JobResult<Buffer> => {
    const startedMs = performance.now();
    const bytes = asBuffer(searchBytes(view, request, searchExtras, more));
    const facts = { hitCount, rules: [...fired], queryUids };
    return found(bytes, { degraded: performance.now() >= rankingDeadlineMs(view, startedMs) ? 1 : 0, facts });
  };
  return engine.withView(indexUid, work, indexAccess(scope));
}
