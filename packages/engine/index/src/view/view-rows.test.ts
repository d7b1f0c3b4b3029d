import { MAX_VIEW_MS } from '@fossick/base';
import { afterEach, expect, it, vi } from 'vitest';
import { ViewRows } from './view-rows.js';

afterEach(() => {
  vi.useRealTimers();
});

it('rows are read in a view only, of the commit it began with, and for a minute', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const rows = new ViewRows();
  const key = Uint8Array.of(1);
  const commit = (value: number) => ({
    get: () => Uint8Array.of(value),
    read: <T>(_table: string, _key: Uint8Array, use: (bytes: Uint8Array) => T): T => use(Uint8Array.of(value)),
  });
  expect(() => rows.get('t', key)).toThrow('outside of a view');
  rows.begin(commit(1));
  vi.advanceTimersByTime(MAX_VIEW_MS - 1);
  expect([rows.get('t', key), rows.read('t', key, (bytes) => bytes[0])]).toEqual([Uint8Array.of(1), 1]);
  vi.advanceTimersByTime(2);
  expect(() => rows.get('t', key)).toThrow(/for more than 60 seconds and was ended/);
  expect(() => rows.read('t', key, () => 0)).toThrow(expect.objectContaining({ code: 'internal' }));
  rows.end();
  expect(() => rows.get('t', key)).toThrow('outside of a view');
  rows.begin(commit(2));
  expect(rows.get('t', key)).toEqual(Uint8Array.of(2));
});

it('a thread that is to end reads nothing more', () => {
  let isEnding = false;
  const rows = new ViewRows(() => isEnding);
  const key = Uint8Array.of(1);
  rows.begin({ get: () => key, read: (_table, _key, use) => use(key) });
  expect(rows.get('t', key)).toBe(key);
  isEnding = true;
  expect(() => rows.get('t', key)).toThrow('the thread ends');
  expect(() => rows.read('t', key, () => 0)).toThrow('the thread ends');
});
