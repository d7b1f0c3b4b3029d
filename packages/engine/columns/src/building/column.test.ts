import type { LocalOrdinal } from '@fossick/base';
import { describe, expect, it } from 'vitest';
import { readColumn, textAt } from '../bytes/column-format.js';
import { spellingAt } from '../bytes/spelling-at.test-support.js';
import { collectFacetValues } from './collect-values.js';
import { FacetColumnBuilder } from './column-builder.js';

function column(entries: readonly (readonly [number, string | number])[]): Uint8Array {
  const builder = new FacetColumnBuilder();
  for (const [doc, value] of entries)
    builder.addValue(doc as LocalOrdinal, typeof value === 'number' ? 'number' : 'string', value);
  return builder.build();
}

describe('facet columns', () => {
  it('groups documents by value, numbers and strings apart, and remembers spellings', () => {
    const parts = readColumn(
      column([
        [3, 'Blue'],
        [1, ' blue'],
        [2, 'red'],
        [2, 7],
        [1, 7],
        [0, -2],
      ]),
    );
    expect([...parts.numbers]).toEqual([-2, 7]);
    expect([...parts.numberDocs]).toEqual([0, 1, 2]);
    expect(Buffer.from(textAt(parts, 0)).toString()).toBe('blue');
    expect([...parts.stringDocs]).toEqual([1, 3, 2]);
    expect([spellingAt(parts, 0, 0), spellingAt(parts, 0, 1), spellingAt(parts, 1, 2)]).toEqual([
      ' blue',
      'Blue',
      'red',
    ]);
    expect([...parts.exists]).toEqual([0, 1, 2, 3]);
  });

  it('takes integers as floats where these are exact, and has what others lack beside the nearest floats', () => {
    const seen: unknown[] = [];
    collectFacetValues(
      { n: [2n ** 53n + 1n, 2n ** 53n + 2n, -(2n ** 63n), 7] },
      () => true,
      (_field, kind, value) => (kind === 'number' ? seen.push(value) : 0),
    );
    expect(seen).toEqual([2n ** 53n + 1n, 2 ** 53 + 2, -(2 ** 63), 7]);
    const builder = new FacetColumnBuilder();
    for (const value of seen) builder.addValue(0 as LocalOrdinal, 'number', value as number);
    const { numbers, rests } = readColumn(builder.build());
    expect([...numbers]).toEqual([-(2 ** 63), 7, 2 ** 53, 2 ** 53 + 2]);
    expect([...rests]).toEqual([0, 0, 1, 0]);
    expect(readColumn(column([[0, 2 ** 53 - 1]])).rests).toHaveLength(0);
  });

  it('walks nested values', () => {
    const seen: unknown[] = [];
    const document = {
      a: [{ b: 1 }, { b: [2, 'x'] }],
      n: null,
      e: [],
      m: [null, ''],
      t: true,
      _geo: { lat: '1.5', lng: 2 },
    };
    collectFacetValues(
      document,
      () => true,
      (field, kind, value) => seen.push([field, kind, value]),
    );
    expect(seen).toEqual([
      ['a', 'exists', undefined],
      ['a', 'exists', undefined],
      ['a.b', 'number', 1],
      ['a', 'exists', undefined],
      ['a.b', 'exists', undefined],
      ['a.b', 'number', 2],
      ['a.b', 'string', 'x'],
      ['n', 'null', undefined],
      ['e', 'empty', undefined],
      ['m', 'exists', undefined],
      ['m', 'exists', undefined],
      ['m', 'exists', undefined],
      ['m', 'blank', undefined],
      ['t', 'string', 'true'],
      ['_geo', 'exists', undefined],
      ['_geo.lat', 'number', 1.5],
      ['_geo.lng', 'number', 2],
    ]);
  });
});
