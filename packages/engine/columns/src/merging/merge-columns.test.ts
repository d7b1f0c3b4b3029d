import type { DocId, LocalOrdinal } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FacetColumnBuilder } from '../building/column-builder.js';
import { columnPieces, readColumn, textAt } from '../bytes/column-format.js';
import { storedInMemory } from '../bytes/column-spans.js';
import { encodeGeoPoints, pointsOfColumns } from '../bytes/geo-points-format.js';
import { spellingAt } from '../bytes/spelling-at.test-support.js';
import { mergedParts } from './merge-columns.js';
import { GeoPointsMerge } from './merge-facets.js';

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

const mergedBytes = (inputs: Parameters<typeof mergedParts>[0]): Uint8Array =>
  new Uint8Array(Buffer.concat(columnPieces(mergedParts(inputs))));

describe('merged columns', () => {
  it('merges without deleted documents', () => {
    const merged = mergedBytes([
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
    const merged = readColumn(mergedBytes(inputs.map((docs) => ({ bytes: column(entriesOf(docs)), isDeleted }))));
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
        const merged = shownColumn(readColumn(mergedBytes(inputs)));
        expect(merged).toEqual(shownColumn(readColumn(column(entriesOf((doc) => !docs[doc]!.isDeleted)))));
      }),
    );
  });
});

describe('merged points', () => {
  it('are those of one segment with all live documents', () => {
    const degrees = (most: number) => fc.oneof(fc.double({ min: -most, max: most, noNaN: true }), fc.constant(1));
    const point = fc.record({
      lat: degrees(90),
      lng: degrees(180),
      input: fc.nat(2),
      isDeleted: fc.constantFrom(true, false, false),
    });
    fc.assert(
      fc.property(fc.array(point, { maxLength: 300, size: 'max' }), fc.boolean(), (points, hasDeleted) => {
        const isDeleted = (doc: DocId): boolean => hasDeleted && points[doc]!.isDeleted;
        const stored = (isTaken: (doc: DocId) => boolean): Uint8Array => {
          const docs = points.flatMap((_, doc) => (isTaken(doc as DocId) ? [doc] : []));
          const side = (name: 'lat' | 'lng') =>
            readColumn(column(docs.map((doc) => [doc, points[doc]![name]] as const)));
          return encodeGeoPoints(pointsOfColumns(side('lat'), side('lng')));
        };
        const inputs = [0, 1, 2].map((input) => stored((doc) => points[doc]!.input === input));
        const merge = new GeoPointsMerge(
          inputs.map((bytes) => ({ stored: storedInMemory(bytes), isDeleted: hasDeleted ? isDeleted : undefined })),
        );
        const leaves = Array.from(merge.leaves(), (leaf) => leaf.slice());
        const merged = Buffer.concat([merge.head(), ...leaves]);
        expect(merged.equals(stored((doc) => !isDeleted(doc)))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
