import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnalyticsRecord, EventRecord, SearchRecord } from '../records/record.js';
import { latencyBelow } from './counts.js';
import { HourCounts } from './hour-counts.js';
import { normalQuery } from './normal-query.js';
import { isComplete, Tally } from './tally.js';
import { TYPING_MS } from './typing.js';

const START_MS = Date.parse('2030-01-31T12:00:00Z');
const search = (given: Partial<SearchRecord> = {}): SearchRecord => ({
  kind: 'search',
  atMs: START_MS,
  indexUid: 'films',
  query: 'star wars',
  tookMs: 1,
  hitCount: 3,
  visitor: '',
  user: '',
  group: '',
  rules: [],
  queryUid: '',
  ...given,
});
const click = (given: Partial<EventRecord> = {}): EventRecord => ({
  kind: 'click',
  atMs: START_MS,
  indexUid: 'films',
  queryUid: '',
  user: '',
  position: 0,
  ...given,
});
const tallied = (records: readonly AnalyticsRecord[], settledMs = START_MS + 3_600_000): Tally => {
  const tally = new Tally();
  for (const record of records) tally.add(record);
  tally.settle(settledMs);
  return tally;
};
const queriesOf = (tally: Tally): [string, number][] =>
  tally
    .hours()
    .flatMap(({ queries }) => [...queries.values()].map(({ query, searches }): [string, number] => [query, searches]));

describe('the counts of searches', () => {
  it('count what a visitor types within seconds as one search: its last text', () => {
    const typed = ['', 's', 'st', 'star', 'star w', 'star wars', 'star war', 'star wars'];
    const tally = tallied(typed.map((query, i) => search({ query, visitor: 'a', atMs: START_MS + i * 300 })));
    const films = tally.hours()[0]!.indexes.get('films')!;
    expect(queriesOf(tally)).toEqual([['star wars', 1]]);
    expect([films.requests, films.searches]).toEqual([8, 1]);
  });

  it('count another text, another visitor, another index and a later time by themselves', () => {
    const tally = tallied([
      search({ query: 'star', visitor: 'a' }),
      search({ query: 'star wars', visitor: 'b', atMs: START_MS + 100 }),
      search({ query: 'star wars', visitor: 'a', indexUid: 'books', atMs: START_MS + 200 }),
      search({ query: 'heat', visitor: 'a', atMs: START_MS + 300 }),
      search({ query: 'heat 2', visitor: 'a', atMs: START_MS + 300 + TYPING_MS }),
    ]);
    expect(queriesOf(tally).sort()).toEqual([
      ['heat 2', 1],
      ['heat', 1],
      ['star wars', 1],
      ['star wars', 1],
      ['star', 1],
    ]);
  });

  it('count each request that nothing connects with others', () => {
    expect(queriesOf(tallied([search(), search(), search({ query: 'star' })]))).toEqual([
      ['star wars', 2],
      ['star', 1],
    ]);
  });

  it('link a click with its query, its rules and its group, and count each clicked search once', () => {
    const tally = tallied([
      search({ queryUid: 'q1', rules: ['promo'], group: 'staff' }),
      click({ queryUid: 'q1', position: 2 }),
      click({ queryUid: 'q1', position: 4 }),
      click({ queryUid: 'q1', kind: 'conversion' }),
      click({ queryUid: 'unknown', position: 7 }),
      click({ queryUid: 'q1', indexUid: 'books' }),
    ]);
    const { indexes, queries } = tally.hours()[0]!;
    const films = indexes.get('films')!;
    expect(films).toMatchObject({ clicks: 3, clickedSearches: 1, conversions: 1, unlinked: 1 });
    expect([films.positions[2], films.positions[4], films.positions[7]]).toEqual([1, 1, 1]);
    for (const counts of [films.rules.get('promo'), films.groups.get('staff'), [...queries.values()][0]])
      expect(counts).toMatchObject({ searches: 1, clicks: 2, clickedSearches: 1, conversions: 1, positionSum: 6 });
    // the uid of a query of another index opens nothing
    expect(indexes.get('books')).toMatchObject({ clicks: 1, clickedSearches: 0, unlinked: 1 });
  });

  it('count a clicked query although its user types on', () => {
    const tally = tallied([
      search({ query: 'star', visitor: 'a', queryUid: 'q1' }),
      click({ queryUid: 'q1', atMs: START_MS + 500 }),
      search({ query: 'star wars', visitor: 'a', atMs: START_MS + 900 }),
    ]);
    expect(queriesOf(tally)).toEqual([
      ['star', 1],
      ['star wars', 1],
    ]);
  });

  it('count the clicked text of a typing although the request of a shorter one came later', () => {
    const tally = tallied([
      search({ query: 'star', visitor: 'a' }),
      search({ query: 'star wars', visitor: 'a', queryUid: 'q1', atMs: START_MS + 100 }),
      search({ query: 'star war', visitor: 'a', atMs: START_MS + 110 }),
      click({ queryUid: 'q1', atMs: START_MS + 500 }),
    ]);
    expect(queriesOf(tally)).toEqual([['star wars', 1]]);
    expect([...tally.hours()[0]!.queries.values()][0]).toMatchObject({ searches: 1, clicks: 1, clickedSearches: 1 });
  });

  it('keep what was typed last when the request of an earlier text comes later', () => {
    const answered = (query: string, beganMs: number, atMs: number): SearchRecord =>
      search({ query, visitor: 'a', hitCount: 0, atMs: START_MS + atMs, tookMs: atMs - beganMs });
    const typed = [answered('heat', 300, 310), answered('qqqq', 1_000, 1_010)];
    for (const late of ['', 'q', 'qqq'])
      expect(queriesOf(tallied([...typed, answered(late, 100, 3_000)], START_MS + 60_000))).toEqual([
        ['heat', 1],
        ['qqqq', 1],
      ]);
    expect(queriesOf(tallied([...typed, answered('owl', 100, 3_000)], START_MS + 60_000))).toEqual([
      ['heat', 1],
      ['owl', 1],
      ['qqqq', 1],
    ]);
  });

  it('count a text whose field is cleared at once, and not one that is taken back letter by letter', () => {
    const typed = (...texts: string[]) =>
      queriesOf(tallied(texts.map((query, at) => search({ query, visitor: 'a', atMs: START_MS + at * 100 }))));
    expect(typed('s', 'st', 'sta', '')).toEqual([['sta', 1]]);
    expect(typed('s', 'st', 's', '')).toEqual([]);
  });

  it('are kept by the hour of the search, and an hour is complete when nobody types in it any more', () => {
    const nextMs = START_MS + 3_600_000;
    const tally = tallied(
      [search({ atMs: nextMs - 1, visitor: 'a' }), search({ atMs: nextMs + 10_000 })],
      nextMs + 20_000,
    );
    expect(tally.hours().map(({ hour }) => hour)).toEqual([START_MS / 1000, nextMs / 1000]);
    expect(isComplete(START_MS / 1000, nextMs + 1)).toBe(false);
    expect(isComplete(START_MS / 1000, nextMs + 60_000)).toBe(true);
  });

  it('give up the oldest of too many hours that wait, and say how many', () => {
    const tally = tallied(Array.from({ length: 9 }, (_, i) => search({ atMs: START_MS + i * 3_600_000 })));
    expect([tally.hours().length, tally.lostHours]).toEqual([6, 3]);
  });

  it('agree with a plain model whatever is recorded', () => {
    const records = fc.array(
      fc.record({
        indexUid: fc.constantFrom('films', 'books'),
        query: fc.constantFrom('', 'a', 'ab', 'abc', 'x'),
        visitor: fc.constantFrom('', 'v', 'w'),
        waitMs: fc.constantFrom(0, 100, TYPING_MS - 1, TYPING_MS),
        hitCount: fc.constantFrom(0, 1),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(records, (given) => {
        let atMs = START_MS;
        const searches = given.map(({ waitMs, ...rest }) => {
          atMs += waitMs;
          return search({ ...rest, atMs });
        });
        const tally = tallied(searches, atMs + TYPING_MS);
        const final = searches.filter((one, i) => {
          if (one.visitor === '') return true;
          const next = searches
            .slice(i + 1)
            .find(({ visitor, indexUid }) => visitor === one.visitor && indexUid === one.indexUid);
          if (next === undefined || next.atMs - one.atMs >= TYPING_MS) return true;
          if (next.query === '' && one.query.length > 1) return true;
          return !next.query.startsWith(one.query) && !one.query.startsWith(next.query);
        });
        const hours = tally.hours();
        const sum = (count: (hour: HourCounts) => number): number => hours.reduce((all, hour) => all + count(hour), 0);
        const ofIndexes = (name: 'requests' | 'searches' | 'withoutHits'): number =>
          sum(({ indexes }) => [...indexes.values()].reduce((all, counts) => all + counts[name], 0));
        expect(ofIndexes('requests')).toBe(searches.length);
        expect(ofIndexes('searches')).toBe(final.length);
        expect(ofIndexes('withoutHits')).toBe(final.filter(({ hitCount }) => hitCount === 0).length);
        for (const query of ['a', 'ab', 'abc', 'x'])
          expect(queriesOf(tally).reduce((all, [text, count]) => all + (text === query ? count : 0), 0)).toBe(
            final.filter((one) => one.query === query).length,
          );
      }),
    );
  });
});

describe('the counts of an hour', () => {
  it('hold the most searched queries, exact sums and bounded memory when a client makes texts up', () => {
    const counts = new HourCounts(START_MS / 1000, 100);
    for (let i = 0; i < 5_000; i++) {
      counts.search(search({ query: `made up ${i}` }));
      if (i % 10 === 0) counts.search(search({ query: 'star wars' }));
    }
    expect(counts.queries.size).toBeLessThanOrEqual(100);
    expect(counts.queries.get('films', 'star wars')?.searches).toBeGreaterThan(400);
    expect(counts.indexes.get('films')?.searches).toBe(5_500);
  });

  it('count too many groups, rules and indexes together', () => {
    const counts = new HourCounts(START_MS / 1000);
    for (let i = 0; i < 2_000; i++) {
      counts.request(search({ indexUid: `i${i}` }));
      counts.search(search({ group: `g${i}`, rules: [`r${i}`] }));
    }
    const films = counts.indexes.get('films') ?? counts.indexes.get('')!;
    expect(counts.indexes.size).toBeLessThanOrEqual(1_001);
    expect([films.groups.size, films.rules.size]).toEqual([51, 1_001]);
    expect([...films.groups.values()].reduce((sum, { searches }) => sum + searches, 0)).toBe(2_000);
  });

  it('tell a share of latencies by the bound above it', () => {
    const counts = new HourCounts(START_MS / 1000);
    for (let i = 1; i <= 100; i++) counts.request(search({ tookMs: i }));
    const { latencies } = counts.indexes.get('films')!;
    expect([latencyBelow(latencies, 0.5), latencyBelow(latencies, 0.95), latencyBelow([], 0.5)]).toEqual([64, 96, 0]);
  });

  it('count distinct users within a few in a hundred', () => {
    const counts = new HourCounts(START_MS / 1000);
    for (let i = 0; i < 40_000; i++) {
      const user = createHash('sha256')
        .update(String(i % 10_000))
        .digest('hex');
      counts.request(search({ user }));
    }
    const { count } = counts.indexes.get('films')!.users;
    expect(count).toBeGreaterThan(9_000);
    expect(count).toBeLessThan(11_000);
  });
});

describe('the text of a query', () => {
  it.each([
    ['  Star   WARS ', 'star wars'],
    ['ＳＴＡＲ', 'star'],
    ['a\n\tb', 'a b'],
    ['', ''],
    ['\ud800', ''],
    ['a\udc00b', 'a\ufffdb'],
  ])('%j is counted as %j', (text, expected) => {
    expect(normalQuery(text)).toBe(expected);
  });

  it('is short and valid, whatever was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (text) => {
        const normal = normalQuery(text);
        expect(normal.length).toBeLessThanOrEqual(128);
        expect(Buffer.from(normal).toString()).toBe(normal);
      }),
    );
    expect(normalQuery('x'.repeat(10_000_000))).toHaveLength(128);
  });
});
