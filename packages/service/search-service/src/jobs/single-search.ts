import type { EngineReader, IndexView } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { type RuleBook, type SearchRequest, StageClock, searchBytes, searchCutoffMs } from '@fossick/search';
import { degradedSearches } from '../parts/degraded-searches.js';
import { queryMetadata } from '../parts/query-metadata.js';
import { newRequestUid } from '../parts/request-uid.js';

/** What the answer to one search contains beside the hits. */
export interface AnswerExtras {
  readonly withMetadata: boolean;
  readonly withPerformanceDetails: boolean;
  /** The experimental feature `foreignKeys` is on: hits show documents in place of their ids. */
  readonly hydrates: boolean;
}

/** One search in one index. */
export interface SingleSearch {
  readonly indexUid: string;
  readonly request: SearchRequest;
  readonly extras: AnswerExtras;
  readonly ruleBook: RuleBook | null;
  readonly scope: IndexScope;
}

/**
 * Answers one search in one index as JSON bytes, in this thread, with nothing but an engine, as search threads have it.
 * The answer may come from the cache.
 */
export function answerBytes(
  engine: EngineReader,
  { indexUid, request, extras, ruleBook, scope }: SingleSearch,
): Buffer {
  const clock = extras.withPerformanceDetails ? new StageClock() : undefined;
  const more = (): object => additions(engine, indexUid, request, extras, clock);
  const searchExtras = { ruleBook, hydrates: extras.hydrates, ...(clock === undefined ? {} : { clock }) };
  const work = (view: IndexView): Buffer => {
    const startedMs = performance.now();
    const bytes = searchBytes(view, request, searchExtras, more);
    if (performance.now() - startedMs >= searchCutoffMs(view)) degradedSearches.count += 1;
    return bytes;
  };
  return engine.withView(indexUid, work, indexAccess(scope));
}

function additions(
  engine: EngineReader,
  indexUid: string,
  { q }: SearchRequest,
  { withMetadata }: AnswerExtras,
  clock: StageClock | undefined,
): object {
  return {
    requestUid: newRequestUid(),
    ...(withMetadata ? { metadata: queryMetadata(engine, indexUid, q) } : {}),
    ...(clock === undefined ? {} : { performanceDetails: clock.toJson() }),
  };
}
