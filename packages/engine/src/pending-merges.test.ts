import { expect, test } from 'vitest';
import { PendingMerges } from './pending-merges.js';

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
