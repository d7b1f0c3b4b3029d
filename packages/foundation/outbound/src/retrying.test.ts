import { expect, test } from 'vitest';
import { quoted, reasonOf } from './quoting.js';
import { PausedClock } from './retry-clock.test-support.js';
import { retryAfterMs, retrying, TransientFault } from './retrying.js';

const QUICK = { firstPauseMs: 1, pauseMsMax: 4 };

/** Fails with each of `faults` in turn, then resolves to the number of attempts. */
function failing(...faults: readonly Error[]): () => Promise<number> {
  let count = 0;
  return () => {
    const fault = faults[count++];
    return fault === undefined ? Promise.resolve(count) : Promise.reject(fault);
  };
}
const transient = (message: string, waitMs: number | null = null, isCutShort = false): TransientFault =>
  new TransientFault(new Error(message), waitMs, isCutShort);

test('transient faults are tried again, others are not', async () => {
  expect(await retrying(QUICK, failing(transient('a'), transient('b')))).toBe(3);
  await expect(retrying(QUICK, failing(transient('a'), new Error('final')))).rejects.toThrow('final');
});

test('after the last attempt the caller gets its error', async () => {
  const faults = [transient('a'), transient('b'), transient('c')];
  await expect(retrying({ ...QUICK, attempts: 2 }, failing(...faults))).rejects.toBe(faults[1]!.cause);
  await expect(retrying({ ...QUICK, endMs: () => performance.now() }, failing(...faults))).rejects.toThrow('a');
  const clock = new PausedClock();
  await expect(retrying({ ...QUICK, clock, endMs: () => 2 }, failing(...faults))).rejects.toThrow('b');
  expect(clock.pauses).toEqual([1]);
});

test('an attempt that was cut short does not hide the error before it', async () => {
  const faults = [transient('said why'), transient('too late', null, true)];
  await expect(retrying({ ...QUICK, attempts: 2 }, failing(...faults))).rejects.toThrow('said why');
  await expect(retrying({ ...QUICK, attempts: 1 }, failing(faults[1]!))).rejects.toThrow('too late');
});

test('a pause that the other side asks for counts, up to the limit, and ends the attempts when it ends too late', async () => {
  const clock = new PausedClock();
  const limits = { ...QUICK, clock, endMs: () => 60_000 };
  await expect(retrying(limits, failing(transient('a', 120_000)))).rejects.toThrow('a');
  expect(await retrying(limits, failing(transient('a', 59_000)))).toBe(2);
  expect(await retrying({ ...QUICK, clock, askedPauseMsMax: 3 }, failing(transient('a', 120_000)))).toBe(2);
  expect(clock.pauses).toEqual([59_000, 3]);
});

test('a signal ends a pause', async () => {
  const leaving = new AbortController();
  const limits = { firstPauseMs: 60_000, pauseMsMax: 60_000, signal: leaving.signal };
  const waiting = retrying(limits, failing(transient('a')));
  setTimeout(() => leaving.abort('left'), 5);
  await expect(waiting).rejects.toBe('left');
});

test.each([
  [null, null],
  ['', null],
  ['soon', null],
  ['3', 3_000],
  [' 0 ', 0],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37) - 1_000],
])('Retry-After %j asks for %j ms', (value, expected) => {
  expect(retryAfterMs(value, 1_000)).toBe(expected);
});

test('a quotation is one short line without secrets', () => {
  expect(quoted(' a\n\tsecret-key  b ', 100, ['secret-key', 'a'])).toBe('a *** b');
  expect(quoted('abcdef', 3)).toBe('abc…');
});

test('the reason of an error without a message is that of its cause, or its code', () => {
  expect(reasonOf(new Error('', { cause: new Error('inner') }))).toBe('inner');
  expect(reasonOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  expect(reasonOf('text')).toBe('text');
});
