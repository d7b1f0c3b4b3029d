import { type Condition, openLocalChanges } from '@fossick/instance';
import { type Change, openMemoryStore, type Store } from '@fossick/storage';
import { describe, expect, it } from 'vitest';
import { applyValues, decodeValuesRecord, encodeValuesRecord, valuesRecord } from './values-record.js';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const put = (table: string, key: string, value: string): Change => ({
  kind: 'put',
  table,
  key: bytes(key),
  value: bytes(value),
});
const row = (table: string, key: string, value: string | null): Condition => ({
  kind: 'row',
  table,
  key: bytes(key),
  value: value === null ? null : bytes(value),
});
const textIn = (store: Store, table: string, key: string): string | undefined => {
  const value = store.table(table).get(bytes(key));
  return value && Buffer.from(value).toString();
};
/** SHA-256 of `v`. */
const HASH_OF_V = '4c94485e0c21ae6c41ce1dfe7b6bfaceea5ab68e40a2476f50208e526f506080';

describe('the bytes of a record of values', () => {
  const record = valuesRecord(
    [put('a', 'k', 'v'), { kind: 'clear', table: 'b' }],
    [row('a', 'k', 'v'), row('a', 'l', null), { kind: 'empty', table: 'b' }],
  );
  const conditions = `0103${'01' + '0161' + '016b'}20${HASH_OF_V}${'02' + '0161' + '016c'}${'03' + '0162'}`;
  const changes = `0e${'01' + '02' + '0161' + '0162'}${'0100' + '016b' + '0176'}${'0501'}`;

  it('are those of the description, and read back', () => {
    const encoded = Buffer.from(encodeValuesRecord(record)).toString('hex');
    expect(encoded).toBe(conditions + changes);
    expect(encodeValuesRecord(decodeValuesRecord(Buffer.from(encoded, 'hex')))).toEqual(encodeValuesRecord(record));
  });

  it('that are damaged are refused', () => {
    const encoded = encodeValuesRecord(record);
    expect(() => decodeValuesRecord(Uint8Array.of(2))).toThrow('a record of values has format 2, not 1');
    for (let length = 0; length < encoded.length; length += 1)
      expect(() => decodeValuesRecord(encoded.subarray(0, length))).toThrow(RangeError);
    expect(() => decodeValuesRecord(Uint8Array.from([...encoded, 0]))).toThrow(RangeError);
    expect(() => decodeValuesRecord(Uint8Array.of(1, 1, 9, 1, 97))).toThrow('condition of kind 9');
  });
});

it('a change whose conditions do not hold has no effect, in a record as on one node', async () => {
  const [local, follower] = [openMemoryStore(), openMemoryStore()];
  const changes = openLocalChanges(local);
  const commit = async (rows: readonly Change[], conditions: readonly Condition[]): Promise<boolean> => {
    const record = decodeValuesRecord(encodeValuesRecord(valuesRecord(rows, conditions)));
    const [isApplied] = applyValues(follower, [record]);
    const isDone = await changes.commit(rows, conditions);
    expect(isApplied).toBe(isDone);
    for (const table of ['t', 'u']) expect(textIn(follower, table, 'k')).toBe(textIn(local, table, 'k'));
    return isDone;
  };
  expect(await commit([put('t', 'k', '1')], [{ kind: 'empty', table: 't' }])).toBe(true);
  expect(await commit([put('t', 'k', '2')], [{ kind: 'empty', table: 't' }])).toBe(false);
  expect(await commit([put('t', 'k', '2')], [row('t', 'k', '1')])).toBe(true);
  expect(await commit([put('t', 'k', '3')], [row('t', 'k', '1')])).toBe(false);
  expect(await commit([put('t', 'k', '3')], [row('t', 'k', null)])).toBe(false);
  expect(await commit([put('u', 'k', '4')], [row('u', 'k', '')])).toBe(false);
  expect(await commit([put('u', 'k', '4')], [row('u', 'k', null), row('t', 'k', '2')])).toBe(true);
});

it('the position of the log is written also when no record has an effect', () => {
  const store = openMemoryStore();
  const refused = valuesRecord([put('t', 'k', '1')], [row('t', 'k', 'other')]);
  const before = store.commitCount;
  const done = applyValues(store, [refused, valuesRecord([put('t', 'l', '2')], [])], {
    also: (txn) => txn.put('position', bytes('p'), bytes('9')),
  });
  expect(done).toEqual([false, true]);
  expect(store.commitCount).toBe(before + 1);
  expect(textIn(store, 'position', 'p')).toBe('9');
});
