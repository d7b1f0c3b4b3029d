import { afterEach, expect, test } from 'vitest';
import { StageClock } from './request/stage-clock.js';
import { openScratchIndex, type ScratchIndex } from './scratch-index.test-support.js';
import { DEFAULT_RULE_LIMITS } from './search-rules/search-rule.js';

let index: ScratchIndex;
afterEach(() => index.close());

const LINES = [
  '{"id":1,"t":"red fox","price":1.0,"tags":["a","b"],"wide":12345678901234567890}',
  '{"t":"red “quoted” text","id":2,"_geo":{"lat":1,"lng":2},"_vectors":{"m":[0.5]}}',
  '{"id":3,"t":"blue"}',
];

/** The text read again: twice asked, for what was kept must be what was made. */
function answerOf(request: Parameters<ScratchIndex['search']>[0]): unknown {
  const [first, again] = [index.searchText(request), index.searchText(request)].map((text) =>
    JSON.parse(text, (name, value: unknown) => (name === 'processingTimeMs' ? 0 : value)),
  );
  expect(again).toEqual(first);
  return first;
}

test('a search as text has what the search has', async () => {
  index = await openScratchIndex(LINES, { sortableAttributes: ['_geo'], filterableAttributes: ['tags'] });
  const requests = [
    {},
    { q: 'red', facets: ['tags'] },
    { q: 'nothing at all' },
    { q: 'red', page: 2, hitsPerPage: 1 },
    { q: 'red', showRankingScore: true, showRankingScoreDetails: true },
    { q: 'red', attributesToHighlight: ['t'], showMatchesPosition: true },
    { sort: ['_geoPoint(0, 0):asc'] },
    { attributesToRetrieve: ['t'] },
    { retrieveVectors: true },
    {},
  ];
  for (const request of requests) {
    const plain = JSON.parse(
      JSON.stringify({ ...index.search(request), processingTimeMs: 0, more: true }, (_name, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value instanceof Number ? value.valueOf() : value,
      ).replaceAll(/"[0-9a-f-]{36}([^"]+)"/g, '$1'),
    ) as unknown;
    expect(answerOf(request)).toEqual(plain);
  }
});

test('numbers keep their spelling, and members their order', async () => {
  index = await openScratchIndex(LINES);
  const text = index.searchText({ q: 'fox' });
  expect(text).toContain(`"hits":[${LINES[0]}]`);
  expect(Object.keys(JSON.parse(text) as object)).toEqual([...Object.keys(index.search({ q: 'fox' })), 'more']);
});

test('cached texts of a document are dropped when the document or the displayed fields change', async () => {
  index = await openScratchIndex(LINES);
  expect(index.searchText({ q: 'blue' })).toContain('"hits":[{"id":3,"t":"blue"}]');
  await index.add([{ id: 3, t: 'blue again' }]);
  expect(index.searchText({ q: 'blue' })).toContain('"hits":[{"id":3,"t":"blue again"}]');
  await index.change({ displayedAttributes: ['id'] });
  expect(index.searchText({ q: 'blue' })).toContain('"hits":[{"id":3}]');
});

test('an answer is cached only when commit and request determine it', async () => {
  index = await openScratchIndex(LINES);
  expect(index.keeping({ q: 'red' }, {})).toEqual({ kept: 1, found: 1 });
  const ruleBook = { rules: [], nowMs: 0, limits: DEFAULT_RULE_LIMITS };
  expect(index.keeping({ q: 'red' }, { ruleBook })).toEqual({ kept: 0, found: 0 });
  expect(index.keeping({ q: 'red' }, { clock: new StageClock() })).toEqual({ kept: 0, found: 0 });
  await index.change({ searchCutoffMs: 0 });
  expect(index.keeping({ q: 'red' }, {})).toEqual({ kept: 0, found: 0 });
});

test('nothing more is a whole answer, too', async () => {
  index = await openScratchIndex(LINES);
  expect(JSON.parse(index.searchText({ q: 'blue' }, () => ({})))).toMatchObject({ estimatedTotalHits: 1 });
});
