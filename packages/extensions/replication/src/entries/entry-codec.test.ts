import { randomOf } from '@fossick/objects/virtual-time.test-support';
import { describe, expect, it } from 'vitest';
import { decodeEntry, encodeEntry, firstHash, hashOfEntry, recordSize } from './entry-codec.js';
import type { Entry, LogRecord } from './records.js';

const ROUNDS = 2_000;

function randomEntry(random: () => number): Entry {
  const below = (max: number): number => Math.floor(random() * max);
  const text = (): string => ['', 'a', 'tasks', 'Größe 🙂', 'x'.repeat(200)][below(5)]!;
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => below(256));
  const record = (): LogRecord => {
    const kind = below(5);
    if (kind === 0) return { kind: 'lead', epoch: below(2 ** 40), node: { id: text(), address: text() } };
    if (kind === 1) return { kind: 'resign', epoch: below(1_000) };
    if (kind === 4) return { kind: 'format', epoch: below(1_000), format: below(200) };
    const epoch = kind === 2 ? null : below(3);
    return { kind: 'data', opId: text(), name: text(), epoch, body: bytes(below(300)) };
  };
  const records = Array.from({ length: below(6) }, record);
  return { format: 1, position: below(2 ** 45), id: text(), previous: bytes(32), records };
}

describe('the bytes of an entry', () => {
  it('are those of the description', () => {
    const entry: Entry = {
      format: 1,
      position: 300,
      id: 'ab',
      previous: new Uint8Array(32).fill(7),
      records: [
        { kind: 'data', opId: 'o', name: 't', epoch: null, body: Uint8Array.of(9) },
        { kind: 'data', opId: 'o', name: 't', epoch: 0, body: Uint8Array.of() },
        { kind: 'lead', epoch: 5, node: { id: 'n', address: '' } },
        { kind: 'resign', epoch: 5 },
        { kind: 'format', epoch: 5, format: 2 },
      ],
    };
    const head = [1, 172, 2, 2, 97, 98, 32, ...new Array<number>(32).fill(7)];
    const records = [1, 1, 111, 1, 116, 0, 1, 9, 1, 1, 111, 1, 116, 1, 0, 2, 5, 1, 110, 0, 3, 5, 4, 5, 2];
    expect([...encodeEntry(entry)]).toEqual([...head, ...records]);
    expect(entry.records.reduce((sum, record) => sum + recordSize(record), 0)).toBe(records.length);
  });

  it('give the same entry back', () => {
    const random = randomOf(1);
    for (let round = 0; round < ROUNDS; round++) {
      const entry = randomEntry(random);
      expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
    }
  });

  it('that are damaged are refused, or are the only encoding of what is read', () => {
    const random = randomOf(2);
    let refusedCount = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const bytes = [...encodeEntry(randomEntry(random))];
      const at = Math.floor(random() * bytes.length);
      if (random() < 0.3) bytes.splice(at);
      else if (random() < 0.5) bytes.splice(at, 0, Math.floor(random() * 256));
      else bytes[at] = bytes[at]! ^ (1 << Math.floor(random() * 8));
      let entry: Entry;
      try {
        entry = decodeEntry(Uint8Array.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        refusedCount += 1;
        continue;
      }
      expect([...encodeEntry(entry)]).toEqual(bytes);
    }
    expect(refusedCount).toBeGreaterThan(ROUNDS / 4);
  });

  it('begin a chain that differs from log to log', () => {
    expect(firstHash('a')).not.toEqual(firstHash('b'));
    expect(Buffer.from(hashOfEntry(Buffer.from('abc'))).toString('hex')).toMatch(/^ba7816bf8f01cfea.*15ad$/);
  });
});
