import { expect, it } from 'vitest';
import { bothWays, rowsOf, synonymsOf } from './synonym-rows.js';

it('rows give the setting that they were made from', () => {
  const synonyms = { film: ['movie', 'picture'], 'science fiction': ['sci-fi'] };
  expect(synonymsOf(rowsOf(synonyms))).toEqual(synonyms);
});

it('empty rows are ignored, and rows of one word are joined', () => {
  const rows = [
    { id: 0, word: ' film ', others: ['movie', 'film'] },
    { id: 1, word: 'film', others: ['picture', 'movie'] },
    { id: 2, word: '', others: ['a'] },
    { id: 3, word: 'alone', others: [] },
  ];
  expect(synonymsOf(rows)).toEqual({ film: ['movie', 'picture'] });
});

it('a row that is set to hold in both directions holds from each of its words', () => {
  const rows = rowsOf({ film: ['movie', 'picture'], movie: ['flick'] });
  expect(synonymsOf(bothWays(rows, rows[0]!))).toEqual({
    film: ['movie', 'picture'],
    movie: ['flick', 'film', 'picture'],
    picture: ['film', 'movie'],
  });
});
