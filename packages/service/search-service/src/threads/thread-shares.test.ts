import { MemoryBudget, newSharedBudget } from '@fossick/kernel/memory';
import { beforeEach, expect, test, vi } from 'vitest';
import { type SharingThread, ThreadShares } from './thread-shares.js';

const MIB = 2 ** 20;
const MAX_BYTES = 240 * MIB;

interface Thread extends SharingThread {
  isBusy: boolean;
  readonly budget: MemoryBudget;
  asks: number;
}

let buffer: SharedArrayBuffer;
let shares: ThreadShares<Thread>;
let threads: Thread[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  buffer = newSharedBudget(4);
  shares = new ThreadShares(buffer, MAX_BYTES);
  threads = [];
  return () => void vi.useRealTimers();
});

/** The thread that a job is given to, or undefined when it has to wait. */
function take(): Thread | undefined {
  const start = (): Thread | undefined => {
    if (threads.length === 2) return undefined;
    const owner = threads.length + 1;
    const thread: Thread = {
      owner,
      budget: new MemoryBudget(MAX_BYTES, { buffer, owner }),
      isBusy: false,
      lastTurnMs: Number.NEGATIVE_INFINITY,
      lastWaitMs: Number.NEGATIVE_INFINITY,
      giving: undefined,
      asks: 0,
      requestReturn() {
        this.asks += 1;
      },
    };
    threads.push(thread);
    return thread;
  };
  const thread = shares.choose(threads, start);
  if (thread === undefined) return undefined;
  thread.isBusy = true;
  shares.begin(thread, threads);
  return thread;
}

test('one client meets the first thread each time, and that may have all', () => {
  for (let at = 0; at < 3; at++) {
    const thread = take()!;
    expect(thread).toBe(threads[0]);
    expect(thread.budget.allowance).toBe(MAX_BYTES);
    thread.isBusy = false;
    vi.advanceTimersByTime(60_000);
  }
  expect(threads).toHaveLength(1);
});

test('a second thread begins at once when there is memory for both', () => {
  const first = take()!;
  first.budget.report(100 * MIB);
  const second = take()!;
  expect(second).not.toBe(first);
  expect([first, second].map(({ budget }) => budget.allowance)).toEqual([120 * MIB, 120 * MIB]);
});

test('it waits until the one that had all has come down to its part, and then both have theirs', () => {
  const first = take()!;
  first.budget.report(MAX_BYTES);
  expect(take()).toBeUndefined();
  first.isBusy = false;
  // the next job is the first thread's, which finds its part smaller
  expect(take()).toBe(first);
  expect(first.budget.allowance).toBe(120 * MIB);
  expect(take()).toBeUndefined();
  first.budget.report(110 * MIB);
  const second = take()!;
  expect(second).toBe(threads[1]);
  expect(second.budget.allowance).toBe(120 * MIB);
});

test('a thread that has not searched for a while leaves its part to the other', () => {
  const [first, second] = [take()!, take()!];
  second.isBusy = false;
  vi.advanceTimersByTime(61_000);
  first.isBusy = false;
  expect(take()).toBe(first);
  expect(first.budget.allowance).toBe(MAX_BYTES);
});

test('a thread that has searched keeps its part in a short pause', () => {
  const [first, second] = [take()!, take()!];
  second.isBusy = false;
  vi.advanceTimersByTime(30_000);
  first.isBusy = false;
  expect(take()).toBe(first);
  expect(first.budget.allowance).toBe(120 * MIB);
});

test('after a shortage one thread searches alone, once the other has released its memory', () => {
  const [first, second] = [take()!, take()!];
  second.budget.report(120 * MIB);
  shares.beAlone();
  second.isBusy = false;
  // the other has to come to its end
  expect(take()).toBeUndefined();
  first.isBusy = false;
  expect(take()).toBeUndefined();
  expect(take()).toBeUndefined();
  expect(second.asks).toBe(1);
  second.budget.report(0);
  shares.gaveBack(second);
  expect(take()).toBe(first);
  expect(first.budget.allowance).toBe(MAX_BYTES);
  expect(take()).toBeUndefined();
  first.isBusy = false;
  expect(take()).toBe(first);
  vi.advanceTimersByTime(600_000);
  expect(take()).toBe(second);
});

test('the account of a thread that has ended is closed', () => {
  const [first, second] = [take()!, take()!];
  second.budget.report(100 * MIB);
  second.isBusy = false;
  shares.end(second);
  threads.pop();
  first.isBusy = false;
  vi.advanceTimersByTime(61_000);
  expect(take()?.budget.allowance).toBe(MAX_BYTES);
});
