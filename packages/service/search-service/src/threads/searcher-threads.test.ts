import v8 from 'node:v8';
import { checkTimeBudget, TimeBudgetSpent } from '@fossick/base';
import type { EngineReader } from '@fossick/index';
import { newSharedBudget } from '@fossick/kernel/memory';
import { completeSearch } from '@fossick/settings/parameters';
import { afterEach, expect, it, vi } from 'vitest';
import { AnswerAccount } from '../jobs/answer-account.js';
import type { SearchJob } from '../jobs/search-jobs.js';
import { SearcherThreads } from './searcher-threads.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const LARGE = 1_000;
function engineOf(documentCount: number, settingsBytes: number): EngineReader {
  const sizes: Pick<EngineReader, 'weight'> = { weight: () => ({ documentCount, settingsBytes }) };
  return sizes as EngineReader;
}

function threadsOver(
  engine: EngineReader,
  isWorking?: () => boolean,
  threadCount = 1,
  { maxSearchBytes, helperCount } = { maxSearchBytes: 1, helperCount: 0 },
): SearcherThreads {
  const start = { dbPath: 'none', maxSearchBytes, resultCacheBytes: 0, budget: newSharedBudget(4), kernelOwner: 3 };
  const queue = { slotCount: 1, capacity: 1, waitMaxMs: 60_000 };
  const rest = { threadCount, helperCount, documentsMin: LARGE, budgetMs: 5, jobMaxMs: 1_000 };
  const more = isWorking === undefined ? {} : { isWorking };
  return new SearcherThreads({ ...rest, ...more, start, queue, answers: new AnswerAccount(1) }, engine);
}

const search: SearchJob = {
  kind: 'search',
  indexUid: 'plants',
  request: completeSearch({ q: 'fern' }),
  extras: { withMetadata: false, withPerformanceDetails: false, hydrates: false, inlineUid: null },
  ruleBook: null,
  scope: { patterns: null, rules: null } as never,
};

it.each<[what: string, documents: number, settingsBytes: number, isSet: boolean]>([
  ['many documents', LARGE, 10, true],
  ['few documents', LARGE - 1, 10, false],
  ['few documents and long settings, whose searches begin in a thread, too', 3, 1 << 24, false],
])("an index of %s: V8's flags for large indexes, which hold for all threads", (_, documents, settingsBytes, isSet) => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockReturnValue(undefined);
  const threads = threadsOver(engineOf(documents, settingsBytes));
  const takes = [threads.takes(search), threads.takes(search)];
  expect(takes[0]).toBe(documents >= LARGE || settingsBytes > 1_000);
  const flags = set.mock.calls.map(([flag]) => flag);
  expect(flags.includes('--no-wasm-dynamic-tiering')).toBe(isSet);
  // once
  expect(new Set(flags).size).toBe(flags.length);
});

it('the thread of a large index is warmed up once it has started and nothing else is done', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const work = { isGoingOn: true };
  const engine = { ...engineOf(LARGE, 10), stats: () => ({ numberOfDocuments: LARGE }) } as never as EngineReader;
  const threads = threadsOver(engine, () => work.isGoingOn);
  const thread = { isReady: false, hasEnded: false, warmUp: vi.fn() };
  vi.spyOn(threads as never as { startThread(): unknown }, 'startThread').mockReturnValue(thread);
  vi.spyOn(v8, 'setFlagsFromString').mockReturnValue(undefined);
  threads.expectSearches(['plants']);
  vi.advanceTimersByTime(5_000);
  work.isGoingOn = false;
  vi.advanceTimersByTime(5_000);
  expect(thread.warmUp).not.toHaveBeenCalled();
  thread.isReady = true;
  vi.advanceTimersByTime(5_000);
  expect(thread.warmUp.mock.calls).toEqual([['plants']]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it.each([
  ['where searches may use much memory', 512 << 20, 2, 2],
  ['not where they may not', 1, 2, 1],
  ['not with one thread', 512 << 20, 1, 1],
])('another thread is kept ready once the first one is warm: %s', (_, maxSearchBytes, threadCount, expected) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(v8, 'setFlagsFromString').mockReturnValue(undefined);
  const engine = { ...engineOf(LARGE, 10), stats: () => ({ numberOfDocuments: LARGE }) } as never as EngineReader;
  const threads = threadsOver(engine, () => false, threadCount, { maxSearchBytes, helperCount: 1 });
  const inner = threads as never as {
    readonly threads: unknown[];
    startThread(): unknown;
    receive(thread: object, report: object): void;
  };
  const warmed: string[] = [];
  vi.spyOn(inner, 'startThread').mockImplementation(() => {
    const name = `thread ${inner.threads.length + 1}`;
    const thread = { isReady: true, hasEnded: false, warmUp: (uid: string) => warmed.push(`${name} ${uid}`) };
    inner.threads.push(thread);
    return thread;
  });
  threads.expectSearches(['plants']);
  vi.advanceTimersByTime(5_000);
  expect(warmed).toEqual(['thread 1 plants']);
  for (let at = 0; at < inner.threads.length; at++)
    inner.receive(inner.threads[at] as object, { kind: 'warm', indexUid: 'plants' });
  expect(warmed).toEqual(['thread 1 plants', 'thread 2 plants'].slice(0, expected));
  vi.useRealTimers();
});

it('a job is dropped for its own processor time, and for what others should not wait', () => {
  const threads = threadsOver(engineOf(3, 10));
  const at = { nowMs: 0, usedMs: 0 };
  vi.spyOn(performance, 'now').mockImplementation(() => at.nowMs);
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: at.usedMs * 1_000, system: 0 }));
  const begin = (passesMs: number, usesMs: number) => () =>
    threads.begin(search, () => {
      at.nowMs += passesMs;
      at.usedMs += usesMs;
      checkTimeBudget();
      return 'found';
    });
  expect(begin(80, 40)()).toBe('found');
  expect(begin(80, 60)).toThrow(TimeBudgetSpent);
  expect(begin(280, 40)).toThrow(TimeBudgetSpent);
});

/** Threads that do nothing by themselves, in the order in which they were started. */
function startedIn(threads: SearcherThreads) {
  const inner = threads as never as {
    readonly threads: object[];
    startThread(): unknown;
    receive(thread: object, report: { readonly kind: 'ready' }): void;
    ended(thread: object): void;
  };
  const started: { isReady: boolean; isLost: boolean; job: object | undefined; readonly isBusy: boolean }[] = [];
  vi.spyOn(inner, 'startThread').mockImplementation(() => {
    const thread = {
      owner: started.length + 1,
      memories: [],
      isReady: false,
      isLost: false,
      job: undefined as object | undefined,
      get isBusy() {
        return this.job !== undefined;
      },
      begin(job: object) {
        this.job = job;
      },
    };
    inner.threads.push(thread);
    started.push(thread);
    return thread;
  });
  return {
    started,
    isReady: (at: number): void => inner.receive(started[at]!, { kind: 'ready' }),
    ended: (at: number): void => inner.ended(started[at]!),
  };
}

it('a job is dropped for a free thread only where others wait: one client gets nothing by that', () => {
  const threads = threadsOver(engineOf(3, 10));
  const { isReady, started } = startedIn(threads);
  (threads as never as { startThread(): unknown }).startThread();
  isReady(0);
  const at = { nowMs: 10_000 };
  vi.spyOn(performance, 'now').mockImplementation(() => at.nowMs);
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: at.nowMs * 1_000, system: 0 }));
  const begin = (): string =>
    threads.begin(search, () => {
      at.nowMs += 40;
      checkTimeBudget();
      return 'found';
    });
  expect([begin(), threads.takes(search)]).toEqual(['found', false]);
  started[0]!.isLost = true;
  void threads.offer(search, false);
  started[0]!.isLost = false;
  expect(begin).toThrow(TimeBudgetSpent);
  expect(threads.takes(search)).toBe(true);
  at.nowMs += 1_000;
  expect([threads.takes(search), begin()]).toEqual([false, 'found']);
});

it('threads that warm themselves up hear of each job that comes here', () => {
  const threads = threadsOver(engineOf(3, 10), undefined, 0);
  const { asked } = threads as never as { readonly asked: Int32Array };
  for (let count = 0; count < 3; count++) threads.takes(search);
  expect(asked[0]).toBe(3);
});

it('a job waits for the thread that is free first, and as many threads start as jobs wait', () => {
  const threads = threadsOver(engineOf(LARGE, 10), undefined, 3);
  const { started, isReady } = startedIn(threads);
  void threads.run(search);
  expect([started.length, threads.waitingCount]).toEqual([1, 1]);
  void threads.run(search);
  expect([started.length, threads.waitingCount]).toEqual([2, 2]);
  isReady(1);
  expect(started.map(({ isBusy }) => isBusy)).toEqual([false, true]);
  isReady(0);
  expect([started.map(({ isBusy }) => isBusy), threads.waitingCount]).toEqual([[true, true], 0]);
  for (let more = 0; more < 2; more++) void threads.run(search).catch(() => undefined);
  expect(started.length).toBe(3);
});

it('no thread starts for a job while another one is about to end a short one, unless that takes longer', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const threads = threadsOver(engineOf(3, 10), undefined, 2);
  const { started, isReady } = startedIn(threads);
  (threads as never as { startThread(): unknown }).startThread();
  isReady(0);
  void threads.offer(search, false);
  expect(started[0]!.isBusy).toBe(true);
  void threads.run(search);
  vi.advanceTimersByTime(240);
  expect([started.length, threads.waitingCount]).toEqual([1, 1]);
  vi.advanceTimersByTime(20);
  expect([started.length, threads.waitingCount]).toEqual([2, 1]);
  vi.useRealTimers();
});

it('a thread that ends before it is ready counts for the first job that waits, which is given up after two', async () => {
  const threads = threadsOver(engineOf(LARGE, 10));
  const { started, isReady, ended } = startedIn(threads);
  const [first, second] = [threads.run(search), threads.run(search)];
  ended(0);
  expect(threads.waitingCount).toBe(2);
  ended(1);
  await expect(first).rejects.toMatchObject({ code: 'internal' });
  isReady(2);
  expect([started.length, started[2]!.isBusy, threads.waitingCount]).toEqual([3, true, 0]);
  await expect(Promise.race([second, 'waits'])).resolves.toBe('waits');
});
