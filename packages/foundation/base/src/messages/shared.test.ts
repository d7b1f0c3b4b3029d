import { expect, test } from 'vitest';
import { apiError, sharedText } from '../api-error.js';
import { listedNames } from './shared.js';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `n${at}`);

test('up to twenty names are listed as they are', () => {
  expect(listedNames([])).toBe('');
  expect(listedNames(['a'])).toBe('a');
  expect(listedNames(['id', 'film_id'], '`')).toBe('`id`, `film_id`');
  expect(listedNames(numbered(20))).toBe(numbered(20).join(', '));
  expect(listedNames(['x'.repeat(200)])).toBe('x'.repeat(200));
});

test('more are counted', () => {
  expect(listedNames(numbered(21))).toBe(`${numbered(20).join(', ')}, … and 1 more`);
  const many = listedNames(numbered(60_000), '`', ['<..hidden-attributes>']);
  expect(many).toMatch(/^`n0`, `n1`, .*, `n19`, … and 59,980 more, <\.\.hidden-attributes>$/);
});

test('long names are cut between characters', () => {
  expect(listedNames(['x'.repeat(515)], '`')).toBe(`\`${'x'.repeat(200)}…\``);
  expect(listedNames([`${'x'.repeat(199)}😀😀`])).toBe(`${'x'.repeat(199)}…`);
  expect(listedNames([`${'x'.repeat(198)}😀😀`])).toBe(`${'x'.repeat(198)}😀…`);
});

test('messages without any name say so', () => {
  expect(sharedText('notFilterableAmong', '`a`', [])).toBe(
    '`a` is not filterable; the index has no filterable attributes.',
  );
  expect(sharedText('noEmbedder', 'i', 'e', [])).toBe('Index `i`: there is no embedder named `e`. It has none.');
  expect(apiError('invalid_search_distinct', 'i', 'a', []).message).toMatch(
    / This index has no filterable attributes\.$/,
  );
  expect(apiError('invalid_search_sort', 'notSortable', 'i', 'a', []).message).toMatch(
    / This index has no sortable attributes\.$/,
  );
  expect(apiError('invalid_search_group', 'notFilterable', 'i', 'a', []).message).toMatch(
    / Filterable attributes: none\.$/,
  );
  expect(apiError('invalid_facet_search_facet_name', 'noRule', 'i', 'a', []).message).toBe(
    'Index `i`: `a` is not facet-searchable; no attribute is; change the setting `filterableAttributes`.',
  );
  expect(apiError('invalid_search_attribute_weights', 'a', 'i', [], false).message).toMatch(/attributes: none\.$/);
});

test('messages with a few names list them', () => {
  const names = ['author', 'genre'];
  const texts = [
    [sharedText('notFilterableAmong', '`a`', names), '`a` is not filterable; filterable are: author, genre.'],
    [
      sharedText('noEmbedder', 'i', 'e', names),
      'Index `i`: there is no embedder named `e`. Embedders: `author, genre`.',
    ],
    [apiError('invalid_search_distinct', 'i', 'a', names).message, / Filterable attributes: `author, genre`\.$/],
    [apiError('invalid_search_ranking_rules', 'i', 'a', names).message, / Sortable attributes: `author, genre`\.$/],
    [apiError('invalid_search_facets', 'notFilterable', 'i', 'a', names).message, /; filterable are: author, genre\.$/],
    [
      apiError('invalid_search_attributes_to_search_on', 'a', 'i', names, true).message,
      / Searchable attributes: `author, genre, <\.\.hidden-attributes>`\.$/,
    ],
    [
      apiError('invalid_search_attributes_to_search_on', 'a', 'i', [], true).message,
      / Searchable attributes: `<\.\.hidden-attributes>`\.$/,
    ],
  ] as const;
  for (const [text, wanted] of texts)
    if (typeof wanted === 'string') expect(text).toBe(wanted);
    else expect(text).toMatch(wanted);
});
