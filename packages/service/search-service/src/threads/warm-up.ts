/**
 * Searches of an idle process: its code is compiled, and what all searches read is loaded, before the first request comes. V8 needs some thousand searches for that, the
 * first of which take up to ten times as long as later ones. They are run in slices in this thread; once they are short, requests to the own server compile what lies
 * between a connection and a search.
 */

import { keepCodeWhileIdle, optimiseSooner, TimeBudgetSpent, utf8Text, withinTimeBudget } from '@fossick/base';
import { DictionaryMissing, type EngineReader, withoutReading } from '@fossick/index';
import { WHOLE_SCOPE } from '@fossick/instance/access';
import { completeSearch } from '@fossick/settings/parameters';
import type { SingleSearchJob } from '../jobs/kinds/single-search.js';
import { processMs } from './busy-clock.js';

/** How long a slice goes on with another search, and how long one search may be in the HTTP thread, in milliseconds. */
const SLICE_MS = 3;
const SEARCH_MS = 5;
/** The pause after a slice, in which requests are answered and V8's workers compile. */
const PAUSE_MS = 8;
/** Processor time of all slices in the HTTP thread, and of the process for all requests, in milliseconds. */
const WORK_MS = 6_000;
const REQUESTS_MS = 8_000;
/** The pause after a request. */
const REQUEST_PAUSE_MS = 2;
/** How many times as soon as usual V8 optimises meanwhile: what is between a connection and a search runs once in each request. */
const SOONER = 4;
/** How long nothing may have been asked before a slice, and the pause while there is something else to do, in milliseconds. */
const IDLE_MS = 250;
/** Pages of documents whose words are asked for, how far they are apart, and their length. */
const PAGES = 12;
const PAGE_STEP = 80;
const PAGE_LENGTH = 20;
/** Words from one question to the next, and what is looked at of a text and of a word. */
const WORD_STEP = 7;
const TEXT_LENGTH_MAX = 200;
const WORD_LENGTH_MAX = 20;
const WORD = /[\p{L}\p{N}]+/gu;

/** Those of a client that asks for nothing beyond the hits. */
const EXTRAS = { withMetadata: false, withPerformanceDetails: false, hydrates: false, inlineUid: null };

export interface WarmUpOptions {
  readonly engine: EngineReader;
  /**
   * Runs a job as this thread runs those of clients. V8 compiles for the shapes of objects that it has seen, and discards the code when objects of other
   * shapes come.
   */
  readonly run: (job: SingleSearchJob) => Uint8Array;
  /** Whether the process has other work than searches. */
  readonly isWorking?: () => boolean;
  /** When the last search came that somebody has asked, on the clock of performance.now(). */
  readonly askedMs: () => number;
  /** Told how long each slice took, in milliseconds. */
  readonly onWork?: (milliseconds: number) => void;
  /** How long one search and all of them may take, in milliseconds. */
  readonly searchMs?: number;
  readonly workMs?: number;
  /** Processor time of the process so far, in milliseconds. */
  readonly usedMs?: () => number;
  /** Whether the process keeps its code while it is idle, once a warm-up has begun. */
  readonly keepsCode?: boolean;
}

/** Sends a body to the search route of the own server. Resolves with the text of the answer. */
export type AskServer = (indexUid: string, body: object) => Promise<string>;

/** Warms one index up, once. Nothing of it is kept in caches of answers, counted or reported. */
export class WarmUp {
  private readonly options: Required<WarmUpOptions>;
  private timer: NodeJS.Timeout | undefined;
  private hasBegun = false;
  private isStopped = false;
  /** Answers of one connection come one after another. */
  private isRequesting = false;
  private askServer: AskServer | undefined;
  private keepNoCode: (() => void) | undefined;

  constructor(options: WarmUpOptions) {
    const isWorking = (): boolean => false;
    const others = { isWorking, onWork: () => undefined, usedMs: processMs, searchMs: SEARCH_MS, workMs: WORK_MS };
    this.options = { ...others, keepsCode: false, ...options };
  }

  /** Requests follow from now on. */
  listening(ask: AskServer): void {
    this.askServer = ask;
  }

  /** Does so while there is nothing else to do, unless an index was warmed up before. `onEnd`: called then, unless it is stopped. */
  start(indexUid: string, onEnd: () => void = () => undefined): void {
    if (this.hasBegun) return;
    this.begin();
    const { onWork, usedMs, workMs } = this.options;
    const questions = slicesOf(this.options, indexUid);
    let leftMs = workMs;
    const slice = (): void => {
      if (this.hasOtherWork()) return this.next(slice, IDLE_MS);
      const startedMs = performance.now();
      const startedUsedMs = usedMs();
      const isMore = runSlice(questions, startedMs + SLICE_MS);
      onWork(performance.now() - startedMs);
      leftMs -= usedMs() - startedUsedMs;
      if (isMore && leftMs > 0) this.next(slice, PAUSE_MS);
      else this.request(indexUid, onEnd);
    };
    this.next(slice, PAUSE_MS);
  }

  /** Asks the own server, if there is one, for an index that a search thread has been warmed up for. `onEnd` as in `start`. */
  request(indexUid: string, onEnd: () => void): void {
    this.begin();
    const { askServer } = this;
    if (askServer === undefined || this.isRequesting) return onEnd();
    this.isRequesting = true;
    const { engine, usedMs } = this.options;
    const beganMs = usedMs();
    let questions: Questions | undefined;
    let text = '';
    let sooner = 1;
    const optimise = (times: number): void => {
      if (times !== sooner) optimiseSooner(times);
      sooner = times;
    };
    const end = (): void => {
      this.isRequesting = false;
      optimise(1);
      onEnd();
    };
    const step = async (): Promise<void> => {
      const isBusy = this.hasOtherWork();
      optimise(isBusy ? 1 : SOONER);
      if (isBusy) return this.next(step, IDLE_MS);
      try {
        questions ??= questionsOf(engine, indexUid, PAGE_STEP / 2);
        const { value, done } = questions.next(text);
        if (done === true) return end();
        text = await askServer(indexUid, { limit: PAGE_LENGTH, ...value });
      } catch {
        // the index was deleted, or the server is closing
        return end();
      }
      if (usedMs() - beganMs < REQUESTS_MS) this.next(step, REQUEST_PAUSE_MS);
      else end();
    };
    this.next(step, PAUSE_MS);
  }

  private begin(): void {
    this.hasBegun = true;
    if (this.options.keepsCode && !this.isStopped) this.keepNoCode ??= keepCodeWhileIdle();
  }

  private hasOtherWork(): boolean {
    const { askedMs, isWorking } = this.options;
    return performance.now() - askedMs() < IDLE_MS || isWorking();
  }

  private next(step: () => unknown, pauseMs: number): void {
    if (!this.isStopped) this.timer = setTimeout(step, pauseMs).unref();
  }

  stop(): void {
    this.hasBegun = true;
    this.isStopped = true;
    this.keepNoCode?.();
    clearTimeout(this.timer);
  }
}

/** Whether there may be more questions. */
function runSlice(questions: Iterator<void>, untilMs: number): boolean {
  try {
    while (performance.now() < untilMs) if (questions.next().done === true) return false;
    return true;
  } catch {
    // the index was deleted or cannot be read, which those who search it will hear
    return false;
  }
}

/** The questions in this thread; one search for each step. */
function* slicesOf({ engine, run, searchMs }: Required<WarmUpOptions>, uid: string): Generator<void, void> {
  const ask = (parameters: object): string => {
    const request = completeSearch({ limit: PAGE_LENGTH, ...parameters });
    const fixed = { extras: EXTRAS, ruleBook: null, scope: WHOLE_SCOPE, isWarmUp: true };
    let text = '';
    const work = (): void => {
      text = utf8Text(run({ kind: 'search', indexUid: uid, request, ...fixed }));
    };
    try {
      withoutReading(() => withinTimeBudget(searchMs, work));
    } catch (error) {
      // what it has called is called more often now
      if (!(error instanceof TimeBudgetSpent || error instanceof DictionaryMissing)) throw error;
    }
    return text;
  };
  // what nothing interrupts, each in a slice of its own
  engine.withView(uid, () => undefined);
  yield;
  engine.withView(uid, (view) => view.formattingTokenizer);
  yield;
  const questions = questionsOf(engine, uid, 0);
  for (let step = questions.next(''); step.done !== true; yield) step = questions.next(ask(step.value));
}

type Questions = Generator<object, void, string>;

/** Searches for an index's own words, in all the ways that its settings allow: bodies, to be resumed with the text of the answer, or an empty one. `offset`: of the first page. */
function* questionsOf(engine: EngineReader, uid: string, offset: number): Questions {
  const { filterableAttributes, sortableAttributes } = engine.settings(uid);
  // names of places and patterns are no fields
  const isField = (attribute: unknown): attribute is string =>
    typeof attribute === 'string' && !/^_geo|\*/.test(attribute);
  const [facet, sort] = [filterableAttributes.find(isField), sortableAttributes.find(isField)];
  for (let page = 0; page < PAGES; page++) {
    let text = '';
    // each time it comes further
    while (text === '') text = yield { offset: offset + page * PAGE_STEP };
    const { hits } = JSON.parse(text) as { hits: readonly Record<string, unknown>[] };
    for (const hit of hits) {
      const words = wordsOf(hit);
      for (let at = 0; at < words.length; at += WORD_STEP) yield* questionsAbout(words, at, { facet, sort, hit });
    }
  }
}

interface Ways {
  readonly facet: string | undefined;
  readonly sort: string | undefined;
  readonly hit: Readonly<Record<string, unknown>>;
}

function* questionsAbout(words: readonly string[], at: number, { facet, sort, hit }: Ways): Generator<object> {
  const [word = '', next = '', third = '', fourth = ''] = words.slice(at);
  const far = words[words.length - 1 - at] ?? '';
  yield { q: `${word} ${next}` };
  yield { q: word };
  yield { q: `${word} ${next} ${third} ${fourth}` };
  yield { q: `${far} ${word}`, attributesToHighlight: ['*'], attributesToCrop: ['*'] };
  yield { q: third.slice(0, 2) };
  // a typo
  yield { q: far.slice(0, 1) + far.slice(2) };
  yield { q: `"${third} ${fourth}"` };
  yield { q: `${third} ${fourth} ${far.slice(0, 3)}` };
  if (sort !== undefined) yield { q: next, sort: [`${sort}:desc`] };
  if (facet === undefined) return;
  yield { q: fourth, facets: [facet] };
  const value = [hit[facet]].flat().find((one) => typeof one === 'string' || typeof one === 'number');
  if (value !== undefined)
    yield { q: `${next} ${third}`, filter: `${JSON.stringify(facet)} = ${JSON.stringify(value)}` };
}

/** The words of the texts in a document. */
function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return (value.slice(0, TEXT_LENGTH_MAX).match(WORD) ?? []).map((word) => word.slice(0, WORD_LENGTH_MAX));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : [];
}
