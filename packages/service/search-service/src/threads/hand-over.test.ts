import { expect, test } from 'vitest';
import { HandOver, type Helper } from './hand-over.js';

const IDLE: Helper = { isReady: true, isLost: false, job: undefined, queued: undefined };
const BUSY: Helper = { ...IDLE, job: { isHandedOver: true, sinceMs: 0 } };

test('an idle thread comes first, then one that runs a search of the same kind and has no other', () => {
  const handOver = new HandOver(2);
  expect(handOver.choose([BUSY, IDLE])).toBe(IDLE);
  expect(handOver.choose([{ ...BUSY, queued: {} }, BUSY])).toBe(BUSY);
  expect(handOver.choose([{ ...BUSY, queued: {} }])).toBeUndefined();
});

test.each<[string, Helper]>([
  ['has not loaded its code', { ...IDLE, isReady: false }],
  ['is ending', { ...IDLE, isLost: true }],
  ['runs a job of a large index', { ...IDLE, job: { isHandedOver: false, sinceMs: 0 } }],
])('a thread that %s gets no search', (_name, thread) => {
  expect(new HandOver(2).choose([thread])).toBeUndefined();
});

test.each<[expected: number, nowMs: number, what: string, thread: Helper]>([
  [1, 0, 'that starts', { ...IDLE, isReady: false }],
  [1, 249, 'that was handed a search lately', BUSY],
  [0, 250, 'whose search takes longer', BUSY],
  [0, 0, 'that runs a job of a large index', { ...IDLE, job: { isHandedOver: false, sinceMs: 0 } }],
])('%i are ready soon after %i ms of a thread %s', (expected, nowMs, _what, thread) => {
  expect(new HandOver(1).soonReadyCount([thread], nowMs)).toBe(expected);
});

test('a thread is started for searches that have to wait again and again, not for a burst, and up to the limit', () => {
  const due = (handOver: HandOver, count: number, everyMs: number, threadCount = 0): number =>
    Array.from({ length: count }, (_, at) => handOver.isDue(threadCount, at * everyMs)).filter((one) => one).length;
  expect(due(new HandOver(1), 40, 0)).toBe(0);
  expect(due(new HandOver(1), 1_000, 1_000)).toBe(0);
  expect(due(new HandOver(1), 60, 10)).toBe(1);
  expect(due(new HandOver(3), 120, 10, 1)).toBe(2);
  expect(due(new HandOver(1), 1_000, 1, 1)).toBe(0);
  expect(due(new HandOver(0), 1_000, 1)).toBe(0);
});

test.each([
  [1, 512, 20_000, true],
  [0, 512, 20_000, false],
  [1, 511, 20_000, false],
  [1, 512, 19_999, false],
])('%i threads, %i MiB and %i documents: whether one is kept ready is %s', (threadsMax, mib, documentCount, expected) => {
  expect(new HandOver(threadsMax).isWorthAhead(mib << 20, documentCount)).toBe(expected);
});

test('it is crowded for a second after a search had to wait', () => {
  const handOver = new HandOver(1);
  expect(handOver.isCrowded(0)).toBe(false);
  handOver.noteWait(5_000);
  expect([5_000, 5_999, 6_000].map((nowMs) => handOver.isCrowded(nowMs))).toEqual([true, true, false]);
});
