import { expect, test } from 'vitest';
import { openScratchIndex } from '../scratch-index.test-support.js';

test('the languages of a request fold the query, those of the attribute its values', async () => {
  const index = await openScratchIndex(
    [
      { id: 1, city: 'Åre' },
      { id: 2, city: 'Are' },
    ],
    { filterableAttributes: ['city'], localizedAttributes: [{ attributePatterns: ['city'], locales: ['swe'] }] },
  );
  const valuesOf = (facetQuery: string, locales: readonly string[] | null): string[] =>
    index.facetSearch({ facetName: 'city', facetQuery, locales }).facetHits.map(({ value }) => value);
  expect(valuesOf('Åre', null)).toEqual(['Åre']);
  expect(valuesOf('are', null)).toEqual(['Are']);
  expect(valuesOf('Åre', ['eng'])).toEqual(['Are']);
  await index.close();
});
