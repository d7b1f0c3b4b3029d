import { expect, it } from 'vitest';
import { gradesOf, movesOf, withGrade } from './judged-store.js';

const EMPTY = { k: 10, atLeast: 0.7, searches: [] };
const SEA = { index: 'books', primaryKey: 'isbn', q: 'sea' };

it('grades are kept by index and words, and taken away again', () => {
  const one = withGrade(EMPTY, { ...SEA, id: 'b-1' }, 3);
  const two = withGrade(withGrade(one, { ...SEA, id: 'b-2' }, 0), { ...SEA, index: 'films', id: 'b-1' }, 1);
  expect(gradesOf(two, 'books', 'sea')).toEqual({ 'b-1': 3, 'b-2': 0 });
  expect([gradesOf(two, 'films', 'sea'), gradesOf(two, 'books', 'Sea'), gradesOf(EMPTY, 'a', 'b')]).toEqual([
    { 'b-1': 1 },
    {},
    {},
  ]);
  expect(two).toMatchObject({ k: 10, atLeast: 0.7 });
  const less = withGrade(withGrade(two, { ...SEA, id: 'b-1' }, null), { ...SEA, id: 'b-2' }, null);
  expect(less.searches).toEqual([{ index: 'films', primaryKey: 'isbn', search: { q: 'sea' }, grades: { 'b-1': 1 } }]);
});

it('a search of a file with more parameters stays as it is', () => {
  const filtered = {
    index: 'books',
    primaryKey: 'isbn',
    search: { q: 'sea', filter: 'year > 1900' },
    grades: { x: 2 },
  };
  const file = withGrade({ ...EMPTY, searches: [filtered] }, { ...SEA, id: 'b-1' }, 1);
  expect(file.searches).toHaveLength(2);
  expect(file.searches).toContainEqual(filtered);
});

it('hits tell how they moved', () => {
  expect(movesOf(['c', 'a', 'x', 'd'], ['a', 'b', 'c', 'd'])).toEqual(['+2', '−1', 'new', '']);
  expect(movesOf([], ['a'])).toEqual([]);
});
