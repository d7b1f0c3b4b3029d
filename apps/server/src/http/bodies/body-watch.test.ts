import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BodyWatch } from './body-intake.js';

const SPANS = { spanMs: 300, lookMs: 100 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request as far as a watch looks at it. */
function begun(): { complete: boolean; destroyed: boolean; socket: { bytesRead: number } } & IncomingMessage {
  const request = {
    complete: false,
    destroyed: false,
    socket: { bytesRead: 0 },
    readableLength: 0,
    isPaused: () => false,
  };
  return request as unknown as ReturnType<typeof begun>;
}

test('a client that stops sending is reported span by span, answered or not, until the connection is gone', () => {
  const stalled: IncomingMessage[] = [];
  const watch = new BodyWatch((request) => stalled.push(request), SPANS);
  const request = begun();
  const watched = watch.add(request);
  vi.advanceTimersByTime(250);
  expect(stalled).toEqual([]);
  watch.answered(watched);
  vi.advanceTimersByTime(400);
  expect(stalled).toEqual([request, request]);
  request.destroyed = true;
  vi.advanceTimersByTime(1_000);
  expect(stalled.length).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('a body that is whole is waited for by nobody, however long its answer takes', () => {
  const stalled: IncomingMessage[] = [];
  const watch = new BodyWatch((request) => stalled.push(request), SPANS);
  const [whole, begunOnly] = [begun(), begun()];
  const watched = [watch.add(whole), watch.add(begunOnly)];
  whole.complete = true;
  vi.advanceTimersByTime(450);
  expect(stalled).toEqual([begunOnly]);
  begunOnly.complete = true;
  for (const one of watched) watch.answered(one);
  vi.advanceTimersByTime(1_000);
  expect(stalled).toEqual([begunOnly]);
  expect(vi.getTimerCount()).toBe(0);
});

test('requests one after another share a timer, which ends when none comes', () => {
  const watch = new BodyWatch(() => undefined, SPANS);
  const started = vi.spyOn(globalThis, 'setInterval');
  for (let n = 0; n < 20; n++) {
    const request = begun();
    const watched = watch.add(request);
    request.complete = true;
    watch.answered(watched);
    vi.advanceTimersByTime(3);
  }
  expect(started).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(300);
  expect(vi.getTimerCount()).toBe(0);
});
