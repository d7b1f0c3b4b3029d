import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const seed = TEST_SEED;
const SETTINGS = {
  filterableAttributes: ['categories', 'kind'],
  hierarchicalFacets: [{ attribute: 'categories', separator: ' > ' }],
  pagination: { maxTotalHits: 1_000 },
};

let index: ScratchIndex | undefined;
afterEach(async () => {
  await index?.close();
  index = undefined;
});

interface Doc {
  readonly id: number;
  readonly kind: string;
  readonly categories: readonly string[];
}
const step = fc.constantFrom('Books', 'book', 'Novels', 'Crime!', 'A-Z', 'É');
const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join(' > '));
const docs = fc.uniqueArray(
  fc.record({ id: fc.nat(200), kind: fc.constantFrom('x', 'y'), categories: fc.uniqueArray(path, { maxLength: 3 }) }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 60 },
);
const lower = (text: string): string => text.normalize('NFKD').toLowerCase();
const isUnder = (path: string, under: string): boolean =>
  lower(path) === lower(under) || lower(path).startsWith(`${lower(under)} > `);

/** The steps below a path by definition. */
function modelLevels(found: readonly Doc[], under: string | null) {
  const depth = under === null ? 0 : under.split(' > ').length;
  const paths = found.flatMap(({ categories }) => categories);
  const below = paths.filter((each) => (under === null || isUnder(each, under)) && each.split(' > ').length > depth);
  const children = new Map(
    below.map((each) => [
      lower(
        each
          .split(' > ')
          .slice(0, depth + 1)
          .join(' > '),
      ),
      each,
    ]),
  );
  return [...children.keys()]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((child) => ({
      path: child,
      count: found.filter(({ categories }) => categories.some((each) => isUnder(each, child))).length,
      hasChildren: below.some((each) => lower(each).startsWith(`${child} > `)),
    }));
}

test(`levels and UNDER are those of a model, in several segments (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(docs, docs, fc.option(path), async (first, second, under) => {
      const opened = await openScratchIndex(first, SETTINGS);
      try {
        await opened.add(second);
        const replaced = new Set(second.map(({ id }) => id));
        const all = [...first.filter(({ id }) => !replaced.has(id)), ...second];
        const found = all.filter(({ kind }) => kind === 'x');
        const answer = opened.search({ filter: 'kind = x', facetLevels: { categories: { under } } });
        const levels = answer.facetLevels!['categories']!.map(({ path: at, count, hasChildren }) => ({
          path: lower(at),
          count,
          hasChildren,
        }));
        expect(levels).toEqual(modelLevels(found, under));
        if (under === null) return;
        const ids = opened.idsOf({ filter: `categories UNDER "${under}"`, limit: 1_000 }) as number[];
        const expected = all.filter(({ categories }) => categories.some((each) => isUnder(each, under)));
        expect(ids.sort((a, b) => a - b)).toEqual(expected.map(({ id }) => id).sort((a, b) => a - b));
        const others = opened.idsOf({ filter: `categories NOT UNDER "${under}"`, limit: 1_000 });
        expect(others.length).toBe(all.length - expected.length);
      } finally {
        await opened.close();
      }
    }),
    { seed, numRuns: runsOf(25) },
  );
}, 120_000);

describe('levels', () => {
  const DOCS = [
    { id: 1, categories: ['Books > Novels > Crime', 'Books > Novels > Love'] },
    { id: 2, categories: 'Books > Novels' },
    { id: 3, categories: 'Books > Novellas' },
    { id: 4, categories: 'Music' },
  ];
  const levelsOf = (under: string | null) =>
    index!.search({ facetLevels: { categories: { under } } }).facetLevels!['categories'];

  test('are spelled as in documents, and a step is no prefix of another', async () => {
    index = await openScratchIndex(DOCS, SETTINGS);
    expect(levelsOf(null)).toEqual([
      { path: 'Books', name: 'Books', count: 3, hasChildren: true },
      { path: 'Music', name: 'Music', count: 1, hasChildren: false },
    ]);
    expect(levelsOf('books')).toEqual([
      { path: 'Books > Novellas', name: 'Novellas', count: 1, hasChildren: false },
      { path: 'Books > Novels', name: 'Novels', count: 2, hasChildren: true },
    ]);
    expect(levelsOf('Books > Novels')).toEqual([
      { path: 'Books > Novels > Crime', name: 'Crime', count: 1, hasChildren: false },
      { path: 'Books > Novels > Love', name: 'Love', count: 1, hasChildren: false },
    ]);
    expect(levelsOf('Books > Nov')).toEqual([]);
  });

  test('are those of attributes by level, where the last level has the whole path', async () => {
    const categories = (...steps: string[]) => {
      const upTo = (depth: number): string => steps.slice(0, depth).join(' > ');
      return { lvl0: upTo(1), lvl1: upTo(2), lvl2: upTo(3) };
    };
    index = await openScratchIndex(
      [
        { id: 1, categories: categories('Books', 'Novels', 'Crime') },
        { id: 2, categories: categories('Books', 'Novels') },
        { id: 3, categories: categories('Books') },
        { id: 4, categories: { lvl0: ['Music'], lvl1: ['Music > Jazz'], lvl2: ['Music > Jazz', 'Music > Pop'] } },
      ],
      {
        filterableAttributes: ['categories.lvl0', 'categories.lvl1', 'categories.lvl2'],
        hierarchicalFacets: [{ attribute: 'categories.lvl2', separator: ' > ' }],
      },
    );
    const below = (under: string | null) =>
      index!
        .search({ facetLevels: { 'categories.lvl2': { under } } })
        .facetLevels!['categories.lvl2']!.map(({ name, count }) => [name, count]);
    expect(below(null)).toEqual([
      ['Books', 3],
      ['Music', 1],
    ]);
    expect(below('Books')).toEqual([['Novels', 2]]);
    expect(below('Music')).toEqual([
      ['Jazz', 1],
      ['Pop', 1],
    ]);
    // the attributes of the levels are still facets of their own, as front ends for them ask
    expect(index.search({ facets: ['categories.lvl1'] }).facetDistribution!['categories.lvl1']).toEqual({
      Books: 1,
      'Books > Novels': 2,
      'Music > Jazz': 1,
    });
    expect(index.idsOf({ filter: '"categories.lvl2" UNDER "Books > Novels"' })).toEqual([1, 2]);
  });

  test('are in the order and the number of the faceting settings', async () => {
    const faceting = { sortFacetValuesBy: { categories: 'count' as const }, maxValuesPerFacet: 1 };
    index = await openScratchIndex(DOCS, { ...SETTINGS, faceting });
    expect(levelsOf('Books')!.map(({ name }) => name)).toEqual(['Novels']);
  });

  test('are refused where the settings have none', async () => {
    index = await openScratchIndex(DOCS, { filterableAttributes: ['categories'] });
    expect(() => levelsOf(null)).toThrow('no levels');
    expect(() => index!.search({ filter: 'categories UNDER Books' })).toThrow('hierarchicalFacets');
    await index.change({ filterableAttributes: [], hierarchicalFacets: SETTINGS.hierarchicalFacets });
    expect(() => levelsOf(null)).toThrow('not filterable');
  });
});
