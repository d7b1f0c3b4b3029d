import type { LocalOrdinal } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readColumn, spellingAt, textAt } from './column-format.js';
import { collectFacetValues, FacetColumnBuilder, mergeColumns } from './index.js';

function column(entries: readonly (readonly [number, string | number])[]): Uint8Array {
  const builder = new FacetColumnBuilder();
  for (const [doc, value] of entries)
    builder.addValue(doc as LocalOrdinal, typeof value === 'number' ? 'number' : 'string', value);
  return builder.build();
}

/** What a column says, whatever the numbers of its spellings are. */
function shownColumn(parts: ReturnType<typeof readColumn>): object {
  const groups = Array.from(parts.spellingOf.keys(), (group) => {
    const [start, end] = [parts.stringOffsets[group]!, parts.stringOffsets[group + 1]!];
    const entries = Array.from({ length: end - start }, (_, at) => start + at);
    return [
      Buffer.from(textAt(parts, group)).toString(),
      entries.map((entry) => [parts.stringDocs[entry], spellingAt(parts, group, entry)]),
    ];
  });
  const lists = [parts.numbers, parts.numberOffsets, parts.numberDocs, parts.exists, parts.blanks];
  return { groups, lists: lists.map((list) => [...list]) };
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

  it('merges without deleted documents', () => {
    const merged = mergeColumns([
      {
        bytes: column([
          [0, 'A'],
          [1, 'b'],
          [1, 5],
        ]),
        isDeleted: (doc) => doc === 1,
      },
      {
        bytes: column([
          [1, 'a'],
          [2, 5],
        ]),
        isDeleted: undefined,
      },
    ]);
    const parts = readColumn(merged);
    expect([...parts.stringDocs]).toEqual([0, 1]);
    expect([spellingAt(parts, 0, 0), spellingAt(parts, 0, 1)]).toEqual(['A', 'a']);
    expect([...parts.numbers]).toEqual([5]);
    expect([...parts.numberDocs]).toEqual([2]);
    expect([...parts.exists]).toEqual([0, 1, 2]);
  });

  it('takes wide integers as the floats nearest to them', () => {
    const seen: unknown[] = [];
    collectFacetValues(
      { n: 2n ** 53n + 1n },
      () => true,
      (field, kind, value) => seen.push([field, kind, value]),
    );
    expect(seen).toEqual([['n', 'number', 2 ** 53]]);
  });

  it('merges to what one column of all live documents would be', () => {
    const spellings = ['Noir', 'noir', 'NOIR', 'Drama', 'drama', 'Été', 'ete', ''];
    const values = (doc: number): (string | number)[] => {
      const one = spellings[(doc * 7) % spellings.length]!;
      return [one === '' ? doc % 3 : one, spellings[(doc * 3 + 1) % spellings.length] || doc % 5];
    };
    const isDeleted = (doc: number): boolean => doc % 11 === 3;
    const entriesOf = (docs: readonly number[]) =>
      docs.flatMap((doc) => values(doc).map((value) => [doc, value] as const));
    const all = Array.from({ length: 300 }, (_, doc) => doc);
    const inputs = [0, 1, 2].map((part) => all.filter((doc) => doc % 3 === part));
    const merged = readColumn(mergeColumns(inputs.map((docs) => ({ bytes: column(entriesOf(docs)), isDeleted }))));
    const whole = readColumn(column(entriesOf(all.filter((doc) => !isDeleted(doc)))));
    for (const part of [
      'numbers',
      'numberOffsets',
      'numberDocs',
      'stringOffsets',
      'stringDocs',
      'textOffsets',
      'exists',
    ] as const) {
      expect([...merged[part]], part).toEqual([...whole[part]]);
    }
    const spelled = (parts: typeof whole): string[] =>
      Array.from(parts.spellingOf.keys()).flatMap((group) =>
        Array.from({ length: parts.stringOffsets[group + 1]! - parts.stringOffsets[group]! }, (_, at) =>
          spellingAt(parts, group, parts.stringOffsets[group]! + at),
        ),
      );
    expect(spelled(merged)).toEqual(spelled(whole));
    expect(merged.spellingOffsets.length).toBe(whole.spellingOffsets.length);
  });

  it('merges to that however documents are spread over the inputs, and whatever their texts share', () => {
    const text = fc.array(fc.constantFrom('a', 'B', '\u0000', 'sharedtext', 'é'), { maxLength: 4 });
    const value = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      text.map((parts) => parts.join('')),
    );
    const documents = fc.array(
      fc.record({
        values: fc.array(value, { maxLength: 3 }),
        input: fc.nat(3),
        isDeleted: fc.constantFrom(true, false, false),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(documents, fc.boolean(), (docs, isInOrder) => {
        const inputOf = (doc: number): number => (isInOrder ? 3 - Math.floor((doc * 4) / 60) : docs[doc]!.input);
        const entriesOf = (isTaken: (doc: number) => boolean) =>
          docs.flatMap(({ values }, doc) => (isTaken(doc) ? values.map((one) => [doc, one] as const) : []));
        const inputs = [0, 1, 2, 3].map((input) => ({
          bytes: column(entriesOf((doc) => inputOf(doc) === input)),
          isDeleted: docs.some(({ isDeleted }, doc) => isDeleted && inputOf(doc) === input)
            ? (doc: number) => docs[doc]!.isDeleted
            : undefined,
        }));
        const merged = shownColumn(readColumn(mergeColumns(inputs)));
        expect(merged).toEqual(shownColumn(readColumn(column(entriesOf((doc) => !docs[doc]!.isDeleted)))));
      }),
    );
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
