import { expect, it } from 'vitest';
import type { HourDocument } from '../documents/port.js';
import { DEFAULT_SUGGESTIONS, makeSuggestions } from './suggestions.js';

const row = (query: string, searches: number, more: Partial<HourDocument> = {}): HourDocument => ({
  id: query,
  kind: 'query',
  node: 'n',
  hour: 0,
  startedAt: '',
  index: 'films',
  query,
  searches,
  withoutHits: 0,
  clicks: 0,
  clickedSearches: 0,
  conversions: 0,
  positionSum: 0,
  positionedClicks: 0,
  users: 1,
  ...more,
});
const suggested = (rows: readonly HourDocument[], given: Partial<typeof DEFAULT_SUGGESTIONS> = {}): string[] =>
  makeSuggestions(rows, { ...DEFAULT_SUGGESTIONS, ...given }).map(({ query }) => query);

it('suggests the queries that were searched often enough in all hours together, the most searched first', () => {
  const rows = [row('star wars', 3), row('heat', 9), row('star wars', 7, { hour: 3_600 }), row('rare', 4)];
  expect(suggested(rows)).toEqual(['star wars', 'heat']);
});

it('leaves out queries that mostly find nothing, short ones, and those of other indexes', () => {
  const rows = [
    row('jurasic', 10, { withoutHits: 5 }),
    row('dune', 10, { withoutHits: 4 }),
    row('x', 99),
    row('hobbit', 10, { index: 'books' }),
  ];
  expect(suggested(rows, { sources: ['films'] })).toEqual(['dune']);
});

it('asks for distinct users', () => {
  expect(suggested([row('mine alone', 50), row('ours', 6, { users: 3 })], { minUsers: 3 })).toEqual(['ours']);
});

it.each([
  ['secret plan', ['Secret'], true],
  ['secretary', ['secret'], false],
  ['the "secret"-plan', ['secret plan'], true],
  ['plan secret', ['secret plan'], false],
  ['anything', ['', '  '], false],
])('of %j and the denied %j it is %j that it is denied', (query, denied, isDenied) => {
  expect(suggested([row(query, 10)], { denied })).toEqual(isDenied ? [] : [query]);
});
