import { describe, expect, it } from 'vitest';
import { encodeEntry } from '../entries/entry-codec.js';
import type { LogRecord } from '../entries/records.js';
import { DamagedLogError, NewerFormatError } from '../log-errors.js';
import type { StoredEntry } from '../port.js';
import { LogState } from './log-state.js';

let entryCount = 0;
function next(state: LogState, ...records: LogRecord[]): StoredEntry {
  const position = state.position + 1;
  const { format, hash: previous } = state;
  return { position, bytes: encodeEntry({ format, position, id: `e${entryCount++}`, previous, records }) };
}
const effects = (state: LogState, ...records: LogRecord[]): unknown[] =>
  state.accept(next(state, ...records)).records.map(({ effect }) => effect);
const data = (opId: string, epoch: number | null = null): LogRecord => {
  return { kind: 'data', opId, name: 'tasks', epoch, body: Uint8Array.of(1) };
};
const lead = (epoch: number, id: string): LogRecord => ({ kind: 'lead', epoch, node: { id, address: '' } });
const applied = { kind: 'applied' };
const fenced = { kind: 'fenced' };

describe('the state of a log', () => {
  it('has the leader of the last epoch, which only the next one can follow', () => {
    const state = new LogState({ logName: 'main' });
    expect(effects(state, lead(2, 'a'), lead(1, 'b'), lead(1, 'c'))).toEqual([fenced, applied, fenced]);
    expect([state.epoch, state.leader?.id]).toEqual([1, 'b']);
    expect(effects(state, { kind: 'resign', epoch: 0 }, { kind: 'resign', epoch: 1 })).toEqual([fenced, applied]);
    expect([state.epoch, state.leader]).toEqual([1, null]);
    expect(effects(state, { kind: 'resign', epoch: 1 }, lead(2, 'a'))).toEqual([fenced, applied]);
    expect([state.epoch, state.leader?.id, state.position]).toEqual([2, 'a', 3]);
  });

  it('gives records of another epoch no effect', () => {
    const state = new LogState({ logName: 'main' });
    expect(effects(state, data('a', 1), lead(1, 'n'), data('b', 1), data('c', 2), data('d', 0))).toEqual([
      fenced,
      applied,
      applied,
      fenced,
      fenced,
    ]);
    expect(
      effects(state, lead(2, 'm'), data('e', 1), data('f', 2), { kind: 'resign', epoch: 2 }, data('g', 2)),
    ).toEqual([applied, fenced, applied, applied, fenced]);
    // what had no effect may come again
    expect(effects(state, data('e'), data('g'))).toEqual([applied, applied]);
  });

  it('has the format that the leader has raised it to, and ends before one that it cannot read', () => {
    const raise = (epoch: number, format: number): LogRecord => ({ kind: 'format', epoch, format });
    const states = [1, 2].map((lastFormat) => new LogState({ logName: 'main', lastFormat }));
    const [older, newer] = [states[0]!, states[1]!];
    for (const records of [
      [raise(0, 2), lead(1, 'a')],
      [raise(0, 2), raise(1, 1)],
    ]) {
      const entry = next(newer, ...records);
      for (const state of states) state.accept(entry);
    }
    expect(states.map(({ format }) => format)).toEqual([1, 1]);
    const raised = next(newer, data('x'), raise(1, 2));
    expect(raised.bytes[0]).toBe(1);
    newer.accept(raised);
    expect(() => older.accept(raised)).toThrow(NewerFormatError);
    expect([older.position, newer.position, newer.format]).toEqual([2, 3, 2]);
    const after = next(newer, data('y'));
    expect(after.bytes[0]).toBe(2);
    newer.accept(after);
    // one that starts again with what it has, and the next release
    const upgraded = new LogState({ logName: 'main', lastFormat: 2, saved: older.save() });
    for (const entry of [raised, after]) upgraded.accept(entry);
    expect(upgraded.save()).toEqual(newer.save());
    // a node that wrote in the format before is not one that has read this log
    const { hash: previous, position } = newer;
    const stale = encodeEntry({ format: 1, position: position + 1, id: 's', previous, records: [] });
    expect(() => newer.accept({ position: position + 1, bytes: stale })).toThrow(DamagedLogError);
  });

  it('gives an operation one effect within the last entries', () => {
    const state = new LogState({ logName: 'main', operationEntries: 3 });
    expect(effects(state, data('a'), data('a'))).toEqual([applied, { kind: 'duplicate', firstPosition: 1 }]);
    effects(state, data('b'));
    expect(effects(state, data('a'))).toEqual([{ kind: 'duplicate', firstPosition: 1 }]);
    const restored = new LogState({ logName: 'main', operationEntries: 3, saved: state.save() });
    for (const one of [state, restored]) {
      expect(effects(one)).toEqual([]);
      expect(effects(one, data('b'), data('a'))).toEqual([{ kind: 'duplicate', firstPosition: 2 }, applied]);
    }
    expect(restored.save().operations).toEqual(state.save().operations);
  });

  it('recognises operations of the last 10,000 entries', () => {
    const state = new LogState({ logName: 'main' });
    effects(state, data('first'));
    for (let at = 2; at <= 10_000; at++) effects(state, data(`op ${at}`));
    expect(state.save().operations).toHaveLength(10_000);
    expect(effects(state, data('first'))).toEqual([{ kind: 'duplicate', firstPosition: 1 }]);
    expect(effects(state, data('first'))).toEqual([applied]);
  });

  it('goes on from a saved state as if it had not stopped', () => {
    const state = new LogState({ logName: 'main' });
    effects(state, lead(1, 'n'), data('a', 1));
    const restored = new LogState({ logName: 'main', saved: state.save() });
    const entry = next(state, data('b', 1), data('a'));
    expect(restored.accept(entry)).toEqual(state.accept(entry));
    expect(restored.save()).toEqual(state.save());
  });

  it('refuses an entry that does not follow the one before it, and stays as it was', () => {
    const state = new LogState({ logName: 'main' });
    effects(state, data('a'));
    const before = state.save();
    const entry = next(state, data('b'));
    const other = new LogState({ logName: 'main' });
    effects(other, data('another'));
    const changed = { ...entry, bytes: entry.bytes.slice() };
    changed.bytes[10]! ^= 1;
    const foreign = new LogState({ logName: 'other' });
    const wrong: readonly StoredEntry[] = [
      { ...entry, position: 3 },
      { ...entry, bytes: next(new LogState({ logName: 'main' })).bytes },
      next(other, data('b')),
      next(foreign, data('b')),
      changed,
      { ...entry, bytes: entry.bytes.slice(0, 30) },
      { ...entry, bytes: new Uint8Array() },
    ];
    for (const one of wrong) expect(() => state.accept(one)).toThrow(DamagedLogError);
    expect(state.save()).toEqual(before);
    expect(state.accept(entry).records[0]!.effect).toEqual(applied);
  });
});
