import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UIDS_PER_CHUNK, UidSet } from './uid-set.js';

/** Uids around the borders of bytes, pieces and the stretches that are looked at together. */
const uids = fc.uniqueArray(
  fc.oneof(
    fc.nat(40),
    fc.integer({ min: UIDS_PER_CHUNK - 9, max: UIDS_PER_CHUNK * 2 + 9 }),
    fc.constantFrom(1_023, 1_024, 5_000),
  ),
);
const ascending = (values: Iterable<number>): number[] => [...values].sort((left, right) => left - right);

describe('a set of uids', () => {
  it('is what a Set of numbers is', () => {
    fc.assert(
      fc.property(uids, uids, (left, right) => {
        const [a, b] = [UidSet.of(left), UidSet.of(right)];
        const inRight = new Set(right);
        expect([...a.uids()]).toEqual(ascending(left));
        expect([...a.uids(true)]).toEqual(ascending(left).reverse());
        expect([...a.union(b).uids()]).toEqual(ascending(new Set([...left, ...right])));
        expect([...a.intersect(b).uids()]).toEqual(ascending(left.filter((uid) => inRight.has(uid))));
        expect([...a.without(b).uids()]).toEqual(ascending(left.filter((uid) => !inRight.has(uid))));
        expect(a.count()).toBe(left.length);
      }),
    );
  });

  it('is walked from any uid, a member or not', () => {
    fc.assert(
      fc.property(uids, fc.nat(UIDS_PER_CHUNK * 3), (members, from) => {
        const set = UidSet.of(members);
        expect([...set.uids(false, from)]).toEqual(ascending(members).filter((uid) => uid >= from));
        expect([...set.uids(true, from)]).toEqual(
          ascending(members)
            .reverse()
            .filter((uid) => uid <= from),
        );
      }),
    );
  });
});
