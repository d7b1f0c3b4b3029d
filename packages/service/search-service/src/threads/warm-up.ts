/**
 * Searches of an idle process: its code is compiled, and what all searches read is loaded, before the first request comes. V8 needs some thousand searches for that, the
 * first of which take up to ten times as long as later ones.
 */

import { TimeBudgetSpent, utf8Text, withinTimeBudget } from '@fossick/base';
import { type EngineReader, withoutDictionaries } from '@fossick/index';
import { WHOLE_SCOPE } from '@fossick/instance/access';
import { completeSearch } from '@fossick/settings/parameters';
import type { SingleSearchJob } from '../jobs/kinds/single-search.js';
import { processMs } from './busy-clock.js';

/** How long a slice goes on with another search, and how long one search may be in the HTTP thread, in milliseconds. */
const SLICE_MS = 3;
const SEARCH_MS = 5;
/** The pause after a slice, in which requests are answered and V8's workers compile. */
const PAUSE_MS = 8;
/** Processor time of all slices in the HTTP thread, in milliseconds. */
const WORK_MS = 6_000;
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
}

/** Warms one index up, once. Nothing of it is kept in caches of answers, counted or reported. */
export class WarmUp {
  private readonly options: Required<WarmUpOptions>;
  private timer: NodeJS.Timeout | undefined;
  private hasBegun = false;

  constructor(options: WarmUpOptions) {
    const isWorking = (): boolean => false;
    const others = { isWorking, onWork: () => undefined, usedMs: processMs, searchMs: SEARCH_MS, workMs: WORK_MS };
    this.options = { ...others, ...options };
  }

  /** Does so while there is nothing else to do, unless an index was warmed up before. `onEnd`: called then, unless it is stopped. */
  start(indexUid: string, onEnd: () => void = () => undefined): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const { isWorking, askedMs, onWork, usedMs, workMs } = this.options;
    const questions = questionsOf(this.options, indexUid);
    let leftMs = workMs;
    const slice = (): void => {
      if (performance.now() - askedMs() < IDLE_MS || isWorking()) return next(IDLE_MS);
      const startedMs = performance.now();
      const startedUsedMs = usedMs();
      const isMore = runSlice(questions, startedMs + SLICE_MS);
      onWork(performance.now() - startedMs);
      leftMs -= usedMs() - startedUsedMs;
      if (isMore && leftMs > 0) next(PAUSE_MS);
      else onEnd();
    };
    const next = (pauseMs: number): void => {
      this.timer = setTimeout(slice, pauseMs).unref();
    };
    next(PAUSE_MS);
  }

  stop(): void {
    this.hasBegun = true;
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

/** Searches an index for its own words, in all the ways that its settings allow; one search for each step. */
function* questionsOf({ engine, run, searchMs }: Required<WarmUpOptions>, uid: string): Generator<void, void> {
  const ask = (parameters: object): string => {
    const request = completeSearch({ limit: PAGE_LENGTH, ...parameters });
    const fixed = { extras: EXTRAS, ruleBook: null, scope: WHOLE_SCOPE, isUncached: true };
    let text = '';
    const work = (): void => {
      text = utf8Text(run({ kind: 'search', indexUid: uid, request, ...fixed }));
    };
    try {
      withoutDictionaries(() => withinTimeBudget(searchMs, work));
    } catch (error) {
      // what it has called is called more often now
      if (!(error instanceof TimeBudgetSpent)) throw error;
    }
    return text;
  };
  // what nothing interrupts, each in a slice of its own
  engine.withView(uid, () => undefined);
  yield;
  engine.withView(uid, (view) => view.formattingTokenizer);
  yield;
  const { filterableAttributes, sortableAttributes } = engine.settings(uid);
  // names of places and patterns are no fields
  const isField = (attribute: unknown): attribute is string =>
    typeof attribute === 'string' && !/^_geo|\*/.test(attribute);
  const [facet, sort] = [filterableAttributes.find(isField), sortableAttributes.find(isField)];
  for (let page = 0; page < PAGES; page++) {
    let text = '';
    // each time it comes further
    for (; text === ''; yield) text = ask({ offset: page * PAGE_STEP });
    const { hits } = JSON.parse(text) as { hits: readonly Record<string, unknown>[] };
    for (const hit of hits) {
      const words = wordsOf(hit);
      for (let at = 0; at < words.length; at += WORD_STEP)
        for (const request of questionsAbout(words, at, { facet, sort, hit })) {
          ask(request);
          yield;
        }
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
