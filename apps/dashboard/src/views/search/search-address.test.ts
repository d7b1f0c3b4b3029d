import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SearchOptions } from '../../parts/search-options.js';
import { searchOfHash, searchPath } from './saved-search.js';
import { EMPTY_SEARCH, type SearchState } from './search-state.js';

const name = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');
const states: fc.Arbitrary<SearchState> = fc
  .record({
    q: fc.string({ unit: 'grapheme' }),
    page: fc.integer({ min: 1, max: 50 }),
    sort: fc.option(name),
    embedder: fc.option(name),
    ratio: fc.integer({ min: 0, max: 10 }),
    options: fc.record({
      typos: fc.constantFrom<SearchOptions['typos']>('set', 'on', 'off', 'words'),
      filter: fc.string({ unit: 'grapheme' }),
      rules: fc.string({ unit: 'grapheme' }),
      weights: fc.string({ unit: 'grapheme' }),
      words: fc.option(fc.integer({ min: 1, max: 32 })),
      isBoolean: fc.boolean(),
      groupBy: fc.string({ unit: 'grapheme' }),
      summed: fc.string({ unit: 'grapheme' }),
      summedBy: fc.string({ unit: 'grapheme' }),
      interval: fc.option(fc.integer({ min: 1, max: 1_000 })),
      isExact: fc.boolean(),
    }),
    picked: fc.dictionary(name, fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), {
      noNullPrototype: true,
    }),
    under: fc.dictionary(name, fc.string({ unit: 'grapheme' }), { noNullPrototype: true }),
    ranges: fc.dictionary(
      name,
      fc.tuple(fc.integer(), fc.integer()).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
      { noNullPrototype: true },
    ),
  })
  .map(({ ratio, ...state }) => ({
    ...state,
    semanticRatio: state.embedder === null ? EMPTY_SEARCH.semanticRatio : ratio / 10,
  }));

test('a search is restored from its address', () => {
  fc.assert(
    fc.property(states, (state) => {
      const path = searchPath('films', state);
      // one segment of the path, whatever the values contain
      expect(path.split('/').length).toBeLessThanOrEqual(5);
      expect(searchOfHash(`#${path}`) ?? EMPTY_SEARCH).toEqual(state);
    }),
  );
});

test('an empty search is the view itself, and nonsense counts as absent', () => {
  expect(searchPath('a b', EMPTY_SEARCH)).toBe('/index/a%20b/search');
  expect(searchOfHash('#/index/films/search')).toBeNull();
  expect(searchOfHash('#/index/films/documents/7')).toBeNull();
  expect(searchOfHash('#/index/films/search/page=-3&meaning=7&in.year=x~1&other=1')).toEqual(EMPTY_SEARCH);
});
