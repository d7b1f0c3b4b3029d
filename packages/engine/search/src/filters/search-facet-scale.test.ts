import { runsOf } from '@fossick/base/test-seed.test-support';
import { normalizeLossy } from '@fossick/tokenizer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openScratchIndex } from '../scratch-index.test-support.js';
import { slowIsWithinPrefixDistance } from './near-forms.test-support.js';

const name = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'é', 'e', ' ', 'ß', 'ﬁ', '日'), maxLength: 12 }),
  fc.constantFrom('Jane Austen', 'Jané Austen', 'jane eyre', 'Janet', 'x'),
);

test('facet search finds what comparing every value finds, in any number of segments', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { minLength: 1, maxLength: 40 }),
      name,
      fc.boolean(),
      async (names, query, isByCount) => {
        const documents = names.map((value, id) => ({ id, value }));
        const index = await openScratchIndex(documents, {
          filterableAttributes: ['value', 'id'],
          faceting: { maxValuesPerFacet: 1000, sortFacetValuesBy: { '*': isByCount ? 'count' : 'alpha' } },
        });
        try {
          const wanted = normalizeLossy(query);
          const bytes = Buffer.byteLength(wanted);
          const budget = bytes < 5 ? 0 : bytes < 9 ? 1 : 2;
          const isMatch = (form: string): boolean =>
            budget === 0 ? form.startsWith(wanted) : slowIsWithinPrefixDistance(wanted, form, budget);
          const found = index.facetSearch({ facetName: 'value', facetQuery: query }).facetHits;
          const all = index.facetSearch({ facetName: 'value', facetQuery: null }).facetHits;
          const expected = all.filter(({ value }) =>
            isMatch(normalizeLossy(value.trim().normalize('NFKD').toLowerCase())),
          );
          const byValue = (a: { value: string }, b: { value: string }): number => (a.value < b.value ? -1 : 1);
          expect([...found].sort(byValue)).toEqual([...expected].sort(byValue));
          if (isByCount)
            expect(found.map(({ count }) => count)).toEqual([...found.map(({ count }) => count)].sort((a, b) => b - a));
        } finally {
          await index.close();
        }
      },
    ),
    { numRuns: runsOf(60) },
  );
});

test('a query longer than every value finds nothing, whatever its length; one that folds to little is read on', async () => {
  const index = await openScratchIndex([{ id: 1, value: 'a'.repeat(600) }], { filterableAttributes: ['value'] });
  const count = (facetQuery: string): number => index.facetSearch({ facetName: 'value', facetQuery }).facetHits.length;
  expect(count('a'.repeat(468))).toBe(1);
  expect(count('a'.repeat(470))).toBe(1);
  expect(count('a'.repeat(471))).toBe(0);
  expect(count('a'.repeat(10_000_000))).toBe(0);
  expect(count(`${'a\u0301'.repeat(4)}${'\u0301'.repeat(20_000)}`)).toBe(1);
  await index.close();
});
