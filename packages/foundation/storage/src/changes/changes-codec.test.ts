import { describe, expect, it } from 'vitest';
import type { Change, ChangeSet } from './change-set.js';
import { decodeChanges, encodeChanges } from './changes-codec.js';

const ROUNDS = 3_000;

/** A generator of pseudo-random numbers below a maximum. */
function randomOf(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

function randomChanges(random: (max: number) => number): ChangeSet {
  const bytes = (least: number): Uint8Array => {
    const length = least + random(random(8) === 0 ? 400 : 6);
    return Uint8Array.from({ length }, () => random(256));
  };
  const names = ['documents', 'ids', '', 'Größe 🙂'];
  return Array.from({ length: random(12) }, (): Change => {
    const table = names[random(names.length)]!;
    const kind = random(5);
    if (kind === 0) return { kind: 'put', table, key: bytes(1), value: bytes(0) };
    if (kind === 1) return { kind: 'delete', table, key: bytes(1) };
    if (kind === 2) return { kind: 'deleteRange', table, start: bytes(0), end: bytes(0) };
    if (kind === 3) return { kind: 'deleteRange', table, start: bytes(0), end: bytes(0), limit: random(2 ** 40) };
    return { kind: 'clear', table };
  });
}

describe('the bytes of a change set', () => {
  it('are those of the description', () => {
    const changes: ChangeSet = [
      { kind: 'put', table: 'ab', key: Uint8Array.of(1), value: Uint8Array.of(8, 9) },
      { kind: 'clear', table: 'c' },
      { kind: 'delete', table: 'ab', key: Uint8Array.of(2) },
      { kind: 'deleteRange', table: 'c', start: Uint8Array.of(), end: Uint8Array.of(3) },
      { kind: 'deleteRange', table: 'c', start: Uint8Array.of(), end: Uint8Array.of(3), limit: 300 },
    ];
    const tables = [1, 2, 2, 97, 98, 1, 99];
    const operations = [1, 0, 1, 1, 2, 8, 9, 5, 1, 2, 0, 1, 2, 3, 1, 0, 1, 3, 4, 1, 0, 1, 3, 172, 2];
    expect([...encodeChanges(changes)]).toEqual([...tables, ...operations]);
    expect([...encodeChanges([])]).toEqual([1, 0]);
  });

  it('give the same changes back', () => {
    const random = randomOf(1);
    for (let round = 0; round < ROUNDS; round++) {
      const changes = randomChanges(random);
      expect(decodeChanges(encodeChanges(changes))).toEqual(changes);
    }
  });

  it('of another format are refused by its number', () => {
    expect(() => decodeChanges(Uint8Array.of(2, 0))).toThrow('a change set has format 2, not 1');
  });

  it('that are damaged are refused, or are the only encoding of what is read', () => {
    const random = randomOf(2);
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const encoded = encodeChanges(randomChanges(random));
      const damaged = damage(encoded, random);
      let changes: ChangeSet;
      try {
        changes = decodeChanges(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        refused += 1;
        continue;
      }
      expect([...encodeChanges(changes)]).toEqual([...damaged]);
    }
    expect(refused).toBeGreaterThan(ROUNDS / 4);
  });

  it.each([
    ['no bytes', []],
    ['a table count that never ends', [1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
    ['a table count that is not a safe integer', [1, 255, 255, 255, 255, 255, 255, 255, 127]],
    ['more tables than bytes', [1, 255, 255, 255, 127]],
    ['a number in a longer form', [1, 128, 0]],
    ['a name longer than the bytes', [1, 1, 200, 1, 97]],
    ['a name that is not UTF-8', [1, 1, 1, 255, 5, 0]],
    ['a table twice', [1, 2, 1, 97, 1, 97, 5, 0, 5, 1]],
    ['a table without changes', [1, 1, 1, 97]],
    ['tables in another order', [1, 2, 1, 97, 1, 98, 5, 1, 5, 0]],
    ['a change of no table', [1, 0, 5, 0]],
    ['an unknown operation', [1, 1, 1, 97, 6, 0]],
    ['an empty key', [1, 1, 1, 97, 2, 0, 0]],
    ['a value longer than the bytes', [1, 1, 1, 97, 1, 0, 1, 1, 255, 255, 3, 0]],
  ])('with %s are refused', (_what, bytes) => {
    expect(() => decodeChanges(Uint8Array.from(bytes))).toThrow(RangeError);
  });
});

/** Changes, inserts or removes some bytes. */
function damage(encoded: Uint8Array, random: (max: number) => number): Uint8Array {
  const bytes = [...encoded];
  for (let count = 1 + random(3); count > 0; count--) {
    const at = random(bytes.length + 1);
    const kind = random(4);
    if (kind === 0) bytes.splice(at, 1);
    else if (kind === 1) bytes.splice(at, 0, random(256));
    else if (kind === 2) bytes.splice(at);
    else if (at < bytes.length) bytes[at] = random(2) === 0 ? random(256) : bytes[at]! ^ (1 << random(8));
  }
  return Uint8Array.from(bytes);
}
