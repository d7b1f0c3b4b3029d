import { type EngineReader, type RuleBook, type SearchRequest, StageClock, search, searchText } from '@fossick/engine';
import type { ServerContext } from '../context.js';
import { queryMetadata } from './query-metadata.js';
import { newRequestUid } from './request-uid.js';
import { ruleBookOf } from './rule-book.js';

/** What the answer to one search is to hold besides the hits. */
export interface AnswerExtras {
  readonly withMetadata: boolean;
  readonly withPerformanceDetails: boolean;
  /** The experimental feature `foreignKeys` is on: hits show documents where they hold their ids. */
  readonly hydrates: boolean;
}

/** Answers one search in one index (spec 14 section 1.1), in this thread. */
export function answerSearch(
  context: ServerContext,
  indexUid: string,
  request: SearchRequest,
  extras: AnswerExtras,
): object {
  const { engine } = context;
  const clock = new StageClock();
  const ruleBook = ruleBookOf(context);
  const response = engine.withView(indexUid, (view) =>
    search(view, request, { ruleBook, clock, hydrates: extras.hydrates }),
  );
  return { ...response, ...additions(engine, indexUid, request, extras, clock) };
}

/** The same as JSON text, with nothing but an engine: what a search thread has. */
export function answerText(
  engine: EngineReader,
  indexUid: string,
  request: SearchRequest,
  extras: AnswerExtras,
  ruleBook: RuleBook | null,
): string {
  const clock = new StageClock();
  const more = (): object => additions(engine, indexUid, request, extras, clock);
  return engine.withView(indexUid, (view) =>
    searchText(view, request, { ruleBook, clock, hydrates: extras.hydrates }, more),
  );
}

function additions(
  engine: EngineReader,
  indexUid: string,
  { q }: SearchRequest,
  { withMetadata, withPerformanceDetails }: AnswerExtras,
  clock: StageClock,
): object {
  return {
    requestUid: newRequestUid(),
    ...(withMetadata ? { metadata: queryMetadata(engine, indexUid, q) } : {}),
    ...(withPerformanceDetails ? { performanceDetails: clock.toJson() } : {}),
  };
}
