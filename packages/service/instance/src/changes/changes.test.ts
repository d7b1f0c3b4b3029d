import { type Change, openMemoryStore, type Store } from '@fossick/storage';
import { describe, expect, it } from 'vitest';
import { Features } from '../values/features.js';
import { InstanceValues, VALUE_NAMES } from '../values/instance-values.js';
import { openLocalChanges } from './local-changes.js';
import type { Condition, InstanceChanges, ValuesRecord } from './port.js';
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

it('a change whose conditions do not hold has no effect, in a transaction as in a record', async () => {
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

/** Two nodes of one log: a change is in the log first, and applied by each when it gets there. */
class SharedChanges {
  private readonly records: ValuesRecord[] = [];

  node(store: Store): InstanceChanges & { catchUp(): void } {
    let position = 0;
    const listeners = new Set<(changes: readonly Change[]) => void>();
    const catchUp = (): boolean => {
      let wasDone = false;
      for (const record of this.records.slice(position)) {
        position += 1;
        wasDone = applyValues(store, [record])[0]!;
        if (wasDone) for (const listener of listeners) listener(record.changes);
      }
      return wasDone;
    };
    return {
      commit: async (changes, conditions = []) => {
        await new Promise((resolve) => setImmediate(resolve));
        this.records.push(decodeValuesRecord(encodeValuesRecord(valuesRecord(changes, conditions))));
        return catchUp();
      },
      onChange: (listener) => {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
      catchUp: () => void catchUp(),
    };
  }
}

function twoNodes() {
  const shared = new SharedChanges();
  const newNode = () => {
    const store = openMemoryStore();
    const changes = shared.node(store);
    return { changes, values: new InstanceValues(store, changes) };
  };
  return [newNode(), newNode()] as const;
}

describe('of two nodes', () => {
  it('neither loses its part of a value that both change', async () => {
    const [left, right] = twoNodes();
    const add = (values: InstanceValues, name: string): Promise<unknown> =>
      values.change('names', (before) => [...((before ?? []) as string[]), name]);
    const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
    await Promise.all(names.map((name, at) => add(at % 2 === 0 ? left.values : right.values, name)));
    left.changes.catchUp();
    right.changes.catchUp();
    expect([...(left.values.get('names') as string[])].sort()).toEqual(names);
    expect(right.values.get('names')).toEqual(left.values.get('names'));
  });

  it('each takes over the features that the other changes, and keeps those that it forces', async () => {
    const [left, right] = twoNodes();
    const [mine, theirs] = [new Features(left.values, ['metrics']), new Features(right.values, [])];
    await theirs.change({ network: true });
    left.changes.catchUp();
    expect([mine.isOn('network'), mine.isOn('metrics')]).toEqual([true, true]);
    await mine.change({ network: false, metrics: false });
    right.changes.catchUp();
    expect([mine, theirs].map((features) => [features.isOn('network'), features.isOn('metrics')])).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(left.values.get(VALUE_NAMES.features)).toEqual(theirs.all());
  });
});

it('a listener hears of changes after their commit, until it is disposed of', async () => {
  const store = openMemoryStore();
  const changes = openLocalChanges(store);
  const seen: unknown[] = [];
  const listening = changes.onChange((rows) => seen.push([rows.length, textIn(store, 't', 'k')]));
  await changes.commit([put('t', 'k', '1')]);
  await changes.commit([put('t', 'k', '2')], [row('t', 'k', 'other')]);
  expect(seen).toEqual([[1, '1']]);
  listening[Symbol.dispose]();
  await changes.commit([put('t', 'k', '3')]);
  expect(seen).toHaveLength(1);
});

it('a value has changed when the call returns, in one commit, and not when the change throws', async () => {
  const store = openMemoryStore();
  const values = new InstanceValues(store, openLocalChanges(store));
  const before = store.commitCount;
  const changing = values.change('n', () => 1);
  expect(values.get('n')).toBe(1);
  expect(await changing).toBe(1);
  expect(store.commitCount).toBe(before + 1);
  await expect(
    values.change('n', () => {
      throw new Error('refused');
    }),
  ).rejects.toThrow('refused');
  expect(await values.change('n', (present) => present)).toBe(1);
  expect(store.commitCount).toBe(before + 1);
});
