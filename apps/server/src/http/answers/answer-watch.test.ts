import type { ServerResponse } from 'node:http';
import { AnswerAccount } from '@fossick/search-service';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AnswerWatch } from './answer-watch.js';

const CAPACITY_BYTES = 256_000_000;
const ANSWER_BYTES = 60_000_000;
const [SECOND_MS, SPAN_SECONDS] = [1_000, 60];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An answer on a connection of its own, which notes when it is closed. */
function newAnswer() {
  const answer = { destroyed: false, socket: {}, req: { socket: { destroyed: false } } };
  const destroy = (): void => {
    answer.destroyed = true;
  };
  return Object.assign(answer, { destroy });
}
type Answer = ReturnType<typeof newAnswer>;
const responseOf = (answer: Answer): ServerResponse => answer as unknown as ServerResponse;

/** Begins answers whose clients take this many bytes each second; resolves with the second in which each was closed. */
function closings(answerCount: number, bytesPerSecond: number, seconds: number): number[] {
  const watch = new AnswerWatch(new AnswerAccount(CAPACITY_BYTES));
  const answers = Array.from({ length: answerCount }, newAnswer);
  for (const answer of answers) {
    watch.count(responseOf(answer), ANSWER_BYTES);
    watch.sends(responseOf(answer), ANSWER_BYTES);
  }
  const closed = answers.map(() => Number.POSITIVE_INFINITY);
  for (let second = 1; second <= seconds; second++) {
    for (const answer of answers) if (!answer.destroyed) watch.progressed(responseOf(answer), bytesPerSecond);
    vi.advanceTimersByTime(SECOND_MS);
    for (const [at, answer] of answers.entries())
      if (answer.destroyed && closed[at] === Number.POSITIVE_INFINITY) closed[at] = second;
  }
  return closed;
}

test('clients that read 1.1 KB/s are closed after a minute while answers hold more than half of their memory', () => {
  const closed = closings(4, 1_100, 120);
  // the last two hold less than half
  expect(closed.filter((second) => second >= SPAN_SECONDS && second <= SPAN_SECONDS + 10)).toHaveLength(2);
  expect(closed.filter((second) => second === Number.POSITIVE_INFINITY)).toHaveLength(2);
});

test('clients that read 100 KB/s are never closed, nor are slow ones while there is memory', () => {
  expect(closings(4, 100_000, 600)).toEqual(Array(4).fill(Number.POSITIVE_INFINITY));
  expect(closings(2, 1_100, 600)).toEqual(Array(2).fill(Number.POSITIVE_INFINITY));
});
