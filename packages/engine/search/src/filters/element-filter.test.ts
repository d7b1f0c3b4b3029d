import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const seed = TEST_SEED;
const SETTINGS = {
  filterableAttributes: ['variants', 'maker', 'id'],
  elementAttributes: ['variants', 'maker.plants'],
  pagination: { maxTotalHits: 1_000 },
};

let index: ScratchIndex | undefined;
afterEach(async () => {
  await index?.close();
  index = undefined;
});
const found = (filter: string): unknown[] => index!.idsOf({ filter, limit: 1_000 });

interface Variant {
  readonly color?: string | null;
  readonly size?: number;
}
const variant = fc.record<Variant>(
  { color: fc.constantFrom('red', 'Red', 'blue', 'green', null), size: fc.constantFrom(40, 41, 42) },
  { requiredKeys: [] },
);
const docs = fc.uniqueArray(fc.record({ id: fc.nat(200), variants: fc.array(variant, { maxLength: 4 }) }), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 50,
});
type Test = (variant: Variant) => boolean;
const is =
  (color: string): Test =>
  ({ color: own }) =>
    own?.toLowerCase() === color;
const size =
  (test: (size: number) => boolean): Test =>
  ({ size: own }) =>
    own !== undefined && test(own);
/** Conditions, each with its model. */
const LEAVES: readonly (readonly [text: string, test: Test])[] = [
  ['color = red', is('red')],
  ['color != red', (each) => !is('red')(each)],
  ['color IN [blue, GREEN]', (each) => is('blue')(each) || is('green')(each)],
  ['color IS NULL', ({ color }) => color === null],
  ['color EXISTS', (each) => 'color' in each],
  ['color STARTS WITH gr', is('green')],
  ['color > blue', (each) => is('green')(each) || is('red')(each)],
  ['size = 42', size((own) => own === 42)],
  ['size >= 41', size((own) => own >= 41)],
  ['size 40 TO 41', size((own) => own <= 41)],
];
const condition = fc.letrec<{ node: readonly [string, Test] }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...LEAVES),
    fc
      .tuple(tie('node'), tie('node'))
      .map(([[a, x], [b, y]]) => [`(${a} AND ${b})`, (each: Variant) => x(each) && y(each)] as const),
    fc
      .tuple(tie('node'), tie('node'))
      .map(([[a, x], [b, y]]) => [`(${a} OR ${b})`, (each: Variant) => x(each) || y(each)] as const),
    tie('node').map(([a, x]) => [`NOT (${a})`, (each: Variant) => !x(each)] as const),
  ),
})).node;

test(`documents are those of which one element satisfies all, as in a model (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      docs,
      docs,
      fc.array(condition, { minLength: 1, maxLength: 5 }),
      async (first, second, conditions) => {
        const opened = await openScratchIndex(first, SETTINGS);
        try {
          await opened.add(second);
          const replaced = new Set(second.map(({ id }) => id));
          const all = [...first.filter(({ id }) => !replaced.has(id)), ...second];
          for (const [text, holds] of conditions) {
            const ids = opened.idsOf({ filter: `variants[${text}]`, limit: 1_000 }) as number[];
            const expected = all.filter(({ variants }) => variants.some(holds)).map(({ id }) => id);
            expect(
              ids.sort((a, b) => a - b),
              text,
            ).toEqual(expected.sort((a, b) => a - b));
            expect(opened.idsOf({ filter: `NOT variants[${text}]`, limit: 1_000 })).toHaveLength(
              all.length - expected.length,
            );
          }
        } finally {
          await opened.close();
        }
      },
    ),
    { seed, numRuns: 25 },
  );
}, 120_000);

describe('a condition on one element', () => {
  test('is not satisfied by two elements together', async () => {
    index = await openScratchIndex(
      [
        {
          id: 1,
          variants: [
            { color: 'red', size: 40 },
            { color: 'blue', size: 42 },
          ],
        },
        { id: 2, variants: [{ color: 'red', size: 42 }] },
        { id: 3, variants: { color: 'red', size: 42 } },
        { id: 4, variants: ['red', 42] },
      ],
      SETTINGS,
    );
    expect(found('variants.color = red AND variants.size = 42')).toEqual([1, 2, 3]);
    expect(found('variants[color = red AND size = 42]')).toEqual([2, 3]);
    expect(found('variants[color = red AND size = 42] AND id > 2')).toEqual([3]);
  });

  test('goes into nested arrays', async () => {
    index = await openScratchIndex(
      [
        { id: 1, maker: [{ plants: [{ town: 'Bath', staff: 3 }] }, { plants: [{ town: 'York', staff: 9 }] }] },
        { id: 2, maker: { plants: { town: 'Bath', staff: 9 } } },
      ],
      SETTINGS,
    );
    expect(found('maker.plants[town = Bath AND staff > 5]')).toEqual([2]);
    expect(found('maker.plants[town = Bath AND staff < 5]')).toEqual([1]);
  });

  test.each([
    ['id[x = 1]', 'elementAttributes'],
    ['variants[color = red', '`]` is missing'],
    ['variants[]', 'one of these conditions belongs'],
    ['variants[_geoRadius(1, 2, 3)]', 'cannot be part'],
    ['variants[color[a = 1]]', 'cannot be part'],
    ['other[color = red]', 'not filterable'],
  ])('%s is refused', async (filter, message) => {
    index = await openScratchIndex([{ id: 1, variants: [] }], SETTINGS);
    expect(() => found(filter)).toThrow(message);
  });
});
