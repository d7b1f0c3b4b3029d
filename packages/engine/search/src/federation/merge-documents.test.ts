import { expect, it } from 'vitest';
import { mergeDocuments } from './merge-documents.js';

const idsOf = (lists: readonly (readonly Record<string, unknown>[])[], sort: readonly string[]): unknown[] =>
  mergeDocuments(lists, sort).map(({ id }) => id);

it('puts one list after the other where nothing sorts them', () => {
  expect(idsOf([[{ id: 3 }, { id: 1 }], [{ id: 2 }]], [])).toEqual([3, 1, 2]);
});

it.each([
  [
    'price:asc',
    [{ price: 1 }, { price: [9, 3] }, { price: 'Abc' }, {}],
    [{ price: 2 }, { price: 'abd' }, { price: null }],
  ],
  ['price:desc', [{ price: [1, 9] }, { price: 5 }, { price: 'b' }, {}], [{ price: 7 }, { price: 'A' }, { price: {} }]],
  ['a.b:asc', [{ a: { b: 1 } }, { a: [{ b: 3 }] }], [{ 'a.b': 2 }]],
  [
    '_geoPoint(0, 0):asc',
    [{ _geo: { lat: 1, lng: 0 } }, { _geo: { lat: '3', lng: '0' } }, {}],
    [{ _geo: { lat: 2, lng: 0 } }, { _geo: null }],
  ],
])('merges by %s', (sort, first, second) => {
  const order = {
    'price:asc': [0, 10, 1, 2, 11, 3, 12],
    'price:desc': [0, 10, 1, 2, 11, 3, 12],
    'a.b:asc': [0, 10, 1],
  };
  const lists = [first.map((each, id) => ({ id, ...each })), second.map((each, id) => ({ id: 10 + id, ...each }))];
  expect(idsOf(lists, [sort])).toEqual(order[sort as 'a.b:asc'] ?? [0, 10, 1, 2, 11]);
});

it('goes on with the next entry where the first one has equals, and keeps the lists in order after that', () => {
  const [a, b] = [
    [
      { id: 1, x: 1, y: 2 },
      { id: 2, x: 2, y: 0 },
    ],
    [
      { id: 3, x: 1, y: 5 },
      { id: 4, x: 1, y: 2 },
    ],
  ];
  expect(idsOf([a, b], ['x:asc', 'y:desc'])).toEqual([3, 1, 4, 2]);
});
