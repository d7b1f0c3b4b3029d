import { type EngineReader, type RuleBook, type SearchRequest, StageClock, search } from '@fossick/engine';
import type { ServerContext } from '../context.js';
import { queryMetadata } from './query-metadata.js';
import { newRequestUid } from './request-uid.js';
import { ruleBookOf } from './rule-book.js';

/** What the answer to one search is to hold besides the hits. */
export interface AnswerExtras {
  readonly withMetadata: boolean;
  readonly withPerformanceDetails: boolean;
}

/** Answers one search in one index (spec 14 section 1.1), in this thread. */
export function answerSearch(
  context: ServerContext,
  indexUid: string,
  request: SearchRequest,
  extras: AnswerExtras,
): object {
  return answerIn(context.engine, indexUid, request, extras, ruleBookOf(context));
}

/** The same with nothing but an engine: what a search thread has. */
export function answerIn(
  engine: EngineReader,
  indexUid: string,
  request: SearchRequest,
  { withMetadata, withPerformanceDetails }: AnswerExtras,
  ruleBook: RuleBook | null,
): object {
  const clock = new StageClock();
  const response = engine.withView(indexUid, (view) => search(view, request, { ruleBook, clock }));
  return {
    ...response,
    requestUid: newRequestUid(),
    ...(withMetadata ? { metadata: queryMetadata(engine, indexUid, request.q) } : {}),
    ...(withPerformanceDetails ? { performanceDetails: clock.toJson() } : {}),
  };
}
