import { afterEach, expect, test, vi } from 'vitest';
import { PendingMerges } from './pending-merges.js';

afterEach(() => {
  vi.useRealTimers();
});

test('what was written to comes first, then what an earlier process left, one after the other', () => {
  const merges = new PendingMerges();
  expect(merges.next()).toBeUndefined();
  merges.add('written');
  merges.lookFor({
    *mergesDue() {
      yield* [null, 'left', null, 'left too', null];
    },
  });
  const met: (string | null)[] = [];
  for (let uid = merges.next(); uid !== undefined; uid = merges.next()) {
    met.push(uid);
    if (uid !== null) merges.delete(uid);
  }
  expect(met.filter((uid) => uid !== null)).toEqual(['written', 'left', 'left too']);
  merges.add('written');
  expect(merges.next()).toBe('written');
});

test('a look through many indexes is done in pauses', () => {
  const merges = new PendingMerges();
  merges.lookFor({
    *mergesDue() {
      for (;;) yield null;
    },
  });
  expect(merges.next()).toBeNull();
  merges.add('written');
  expect(merges.next()).toBe('written');
});

test('a merge that failed is tried again without a write, later after each failure until one succeeds', () => {
  vi.useFakeTimers();
  const merges = new PendingMerges();
  let wakes = 0;
  const fail = (): number => {
    expect(merges.next()).toBe('held');
    merges.postpone('held', () => {
      wakes += 1;
    });
    expect(merges.next()).toBeUndefined();
    const before = wakes;
    let seconds = 0;
    for (; wakes === before; seconds++) vi.advanceTimersByTime(1_000);
    return seconds;
  };
  merges.add('held');
  expect([fail(), fail(), fail()]).toEqual([10, 20, 40]);
  merges.delete('held');
  merges.add('held');
  expect(fail()).toBe(10);
  for (let failure = 0; failure < 12; failure++) fail();
  expect(fail()).toBe(3_600);
  merges.close();
  expect(vi.getTimerCount()).toBe(0);
});
