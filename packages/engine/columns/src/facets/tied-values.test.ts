import type { DocId } from '@fossick/base';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstOfTied, type PresentValues } from './value-table.js';

/** Values of an index; some documents, each with its values, are candidates. */
function valuesOf(
  indexValueCount: number,
  documents: readonly (readonly number[])[],
): PresentValues & { ranks: number[] } {
  const ranks = [...new Set(documents.flat())].sort((a, b) => a - b);
  const sets = ranks.map(
    (rank) => new Set(documents.flatMap((held, document) => (held.includes(rank) ? [document as DocId] : []))),
  );
  return {
    ranks,
    counts: sets.map(({ size }) => size),
    indexValueCount,
    rankOf: (index) => ranks[index]!,
    documentsOf: (index) => sets[index]!,
    isIn: (index, document) => sets[index]!.has(document),
  };
}

/** The expected order, by walking the tree itself from its top. */
function walkTree(values: PresentValues & { ranks: number[] }, levelCount: number): number[] {
  interface Node {
    readonly level: number;
    readonly start: number;
    readonly documents: ReadonlySet<number>;
  }
  const nodes = (level: number, from: number, to: number): Node[] => {
    const found = new Map<number, Set<number>>();
    values.ranks.forEach((rank, index) => {
      if (rank < from || rank >= to) return;
      const start = Math.floor(rank / 4 ** level) * 4 ** level;
      const documents = found.get(start) ?? new Set<number>();
      for (const document of values.documentsOf(index)) documents.add(document);
      found.set(start, documents);
    });
    return [...found].map(([start, documents]) => ({ level, start, documents }));
  };
  const heap = nodes(levelCount, 0, Infinity);
  const order: number[] = [];
  while (heap.length > 0) {
    heap.sort((a, b) => b.documents.size - a.documents.size || a.level - b.level || b.start - a.start);
    const { level, start } = heap.shift()!;
    if (level === 0) order.push(values.ranks.indexOf(start));
    else heap.push(...nodes(level - 1, start, start + 4 ** level));
  }
  return order;
}

it.each([
  ['too few values for a group: the larger first', 19, [3, 7, 12], [12, 7, 3]],
  ['a value alone in its group of four comes later', 40, [0, 1, 9, 20, 22, 39], [22, 20, 1, 0, 39, 9]],
  ['up to a thousand values have one level of groups', 1000, [0, 5, 40, 999], [999, 40, 5, 0]],
  ['more have as many as leave twenty groups to join', 1300, [0, 5, 40, 1299], [5, 0, 40, 1299]],
])('%s', (_, count, ranks, expected) => {
  const values = valuesOf(
    count,
    ranks.map((rank) => [rank]),
  );
  const order = firstOfTied(values, [...ranks.keys()], ranks.length);
  expect(order.map((index) => ranks[index])).toEqual(expected);
});

it('is the order of the tree, for any values of any documents', () => {
  const documentsOf = (size: number) => fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 4 }), { maxLength: 12 });
  const cases = fc
    .constantFrom(15, 20, 90, 1000, 1100, 1600)
    .chain((size) => fc.tuple(fc.constant(size), documentsOf(size)));
  const levels = new Map([
    [15, 0],
    [20, 1],
    [90, 1],
    [1000, 1],
    [1100, 3],
    [1600, 4],
  ]);
  fc.assert(
    fc.property(cases, fc.nat(8), ([size, documents], wanted) => {
      const values = valuesOf(size, documents);
      const whole = walkTree(values, levels.get(size)!);
      for (const count of new Set(values.counts as number[])) {
        const tied = [...values.ranks.keys()].filter((index) => values.counts[index] === count);
        const expected = whole.filter((index) => values.counts[index] === count).slice(0, wanted);
        expect(firstOfTied(values, tied, wanted)).toEqual(expected);
      }
    }),
  );
});

it('evaluates each group once, however many values one document has', () => {
  let looks = 0;
  const values = valuesOf(20_000, [Array.from({ length: 20_000 }, (_, rank) => rank)]);
  const counted: PresentValues = {
    ...values,
    isIn: (index, document) => {
      looks += 1;
      return values.isIn(index, document);
    },
  };
  const order = firstOfTied(counted, [...values.ranks.keys()], 3);
  expect(order).toEqual([19_999, 19_998, 19_997]);
  expect(looks).toBeLessThan(20_000 * 8);
});
