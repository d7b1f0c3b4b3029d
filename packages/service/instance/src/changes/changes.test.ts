import { type Change, openMemoryStore, type Store } from '@fossick/storage';
import { describe, expect, it } from 'vitest';
import { Features } from '../values/features.js';
import { InstanceValues, VALUE_NAMES } from '../values/instance-values.js';
import { openLocalChanges } from './local-changes.js';
import type { Condition, InstanceChanges } from './port.js';

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
it('a change whose conditions do not hold has no effect', async () => {
  const store = openMemoryStore();
  const changes = openLocalChanges(store);
  const steps: readonly (readonly [value: string, Condition, isDone: boolean])[] = [
    ['1', { kind: 'empty', table: 't' }, true],
    ['2', { kind: 'empty', table: 't' }, false],
    ['2', row('t', 'k', '1'), true],
    ['3', row('t', 'k', '1'), false],
    ['3', row('t', 'k', null), false],
    ['3', row('u', 'k', ''), false],
    ['3', row('u', 'k', null), true],
  ];
  for (const [value, condition, isDone] of steps) {
    const before = textIn(store, 't', 'k');
    expect(await changes.commit([put('t', 'k', value)], [condition])).toBe(isDone);
    expect(textIn(store, 't', 'k')).toBe(isDone ? value : before);
  }
});

/** Two nodes of one log: a change is in the log first, and applied by each when it gets there. */
class SharedChanges {
  private readonly log: (readonly [readonly Change[], readonly Condition[]])[] = [];

  node(store: Store): InstanceChanges & { catchUp(): Promise<boolean> } {
    const local = openLocalChanges(store);
    let position = 0;
    // each is done when its call returns
    const catchUp = async (): Promise<boolean> => {
      let last = Promise.resolve(false);
      while (position < this.log.length) last = local.commit(...this.log[position++]!);
      return last;
    };
    return {
      commit: async (changes, conditions = []) => {
        await new Promise((resolve) => setImmediate(resolve));
        this.log.push([changes, conditions]);
        return catchUp();
      },
      onChange: local.onChange,
      catchUp,
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
    await left.changes.catchUp();
    await right.changes.catchUp();
    expect([...(left.values.get('names') as string[])].sort()).toEqual(names);
    expect(right.values.get('names')).toEqual(left.values.get('names'));
  });

  it('each takes over the features that the other changes, and keeps those that it forces', async () => {
    const [left, right] = twoNodes();
    const [mine, theirs] = [new Features(left.values, ['metrics']), new Features(right.values, [])];
    await theirs.change({ network: true });
    await left.changes.catchUp();
    expect([mine.isOn('network'), mine.isOn('metrics')]).toEqual([true, true]);
    await mine.change({ network: false, metrics: false });
    await right.changes.catchUp();
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
