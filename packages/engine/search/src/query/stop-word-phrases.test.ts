import type { SettingsPatch } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';
import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index.close());

const STOP_WORDS = ['a', 'in', 'is', 'of', 'or', 'the', 'to', 'who'];

async function open(titles: readonly unknown[], settings: SettingsPatch = {}): Promise<void> {
  index = await openScratchIndex(
    titles.map((title, at) => ({ id: at + 1, title })),
    { stopWords: STOP_WORDS, ...settings },
  );
}
const found = (q: string, request: Partial<SearchRequest> = {}): unknown[] =>
  [...index.idsOf({ q, ...request })].sort();

const TEXTS = [
  'State of the Art', // 1
  'art of the state', // 2
  'the state of an art', // 3
  'state the of art', // 4
  'a state. of the art', // 5
  'state-of-the-art design', // 6
  ['state of', 'the art'], // 7
  { in: { english: 'the state of the art' } }, // 8
  'state state of the art', // 9
];

test.each<[string, number[]]>([
  ['"state of the art"', [1, 6, 8, 9]],
  ['"STATE of The árt"', [1, 6, 8, 9]],
  ['"art of the state"', [2]],
  ['"the state of"', [3, 8]],
  ['"the of art"', [4]],
  ['"of the art" state', [1, 5, 6, 8, 9]],
  ['"the art"', [1, 5, 6, 7, 8, 9]],
  ['"state of"', [1, 3, 6, 7, 8, 9]],
  ['"of the art in"', []],
  ['"of the state" "art of"', [2]],
  ['"state of the art! design"', [6]],
  ['"state of the art! of the state"', []],
  ['state -"state of the art"', [2, 3, 4, 5, 7]],
  ['-"state of the art"', [2, 3, 4, 5, 7]],
  ['state -"the art" -"the state"', [4]],
  ['state -"of the state" -"the art"', [3, 4]],
  // stop words alone are no phrase: nothing is searched for, and nothing left out
  ['design "of the"', [6]],
  ['design -"of the"', [6]],
])('the phrases of %s are in %j', async (q, ids) => {
  await open(TEXTS);
  expect(found(q, { matchingStrategy: 'all' })).toEqual(ids);
  if (!q.startsWith('-') && !q.includes('!')) expect(found(q, { queryMode: 'boolean' })).toEqual(ids);
});

test.each([false, true])('in several segments, and merged (%s)', async (isMerged) => {
  await open(TEXTS);
  await index.add([
    { id: 10, title: 'state of the art' },
    { id: 11, title: 'art of state' },
    { id: 1, title: 'art' },
  ]);
  if (isMerged) await index.merge();
  expect(found('"state of the art"')).toEqual([10, 6, 8, 9]);
  expect(found('-"state of the art"')).toEqual([1, 11, 2, 3, 4, 5, 7]);
});

test('with the setting by attribute, phrases keep their order as well', async () => {
  await open(TEXTS, { proximityPrecision: 'byAttribute' });
  expect(found('"state of the art"')).toEqual([1, 6, 8, 9]);
});

test('a filter, a sort, facets and counts see only these documents', async () => {
  await open(['state of the art', 'art of the state', 'the state of the art'], {
    filterableAttributes: ['id'],
    sortableAttributes: ['id'],
  });
  const q = '"state of the art"';
  const answer = index.search({ q, sort: ['id:desc'], facets: ['id'], page: 1, hitsPerPage: 1 });
  expect(answer).toMatchObject({ totalHits: 2, totalPages: 2, facetDistribution: { id: { 1: 1, 3: 1 } } });
  expect(index.idsOf({ q, filter: 'id > 1' })).toEqual([3]);
  expect(index.idsOf({ q: `-${q}`, filter: 'id > 1' })).toEqual([2]);
});

test('the phrase is in a searched attribute', async () => {
  index = await openScratchIndex(
    [
      { id: 1, title: 'state of the art', body: 'x' },
      { id: 2, title: 'art state', body: 'state of the art' },
      { id: 3, title: 'x', note: 'state of the art' },
    ],
    { stopWords: STOP_WORDS, searchableAttributes: ['title', 'body'] },
  );
  const q = '"state of the art"';
  expect(found(q)).toEqual([1, 2]);
  expect(found(q, { attributesToSearchOn: ['title'] })).toEqual([1]);
  expect(found(q, { attributesToSearchOn: ['body'] })).toEqual([2]);
});

const BANDS = [
  'The Who live', // 1
  'who is live', // 2
  'queen of the stone age', // 3
  'stone of the queen age', // 4
  'queens stone age', // 5
  'gods of war', // 6
  'war gods', // 7
];
test.each<[Record<string, string[]>, string, number[]]>([
  [{ qotsa: ['queen of the stone age'] }, 'qotsa', [3]],
  [{ qotsa: ['Queen OF the stone'] }, 'qotsa ', [3]],
  [{ band: ['the who live'] }, 'band', [1]],
  [{ ares: ['gods of war'] }, 'ares', [6]],
  [{ ares: ['of war'] }, 'ares', [6]],
  [{ ares: ['the of'] }, 'ares', []],
  [{ ares: ['war', 'gods of war'] }, 'ares', [6, 7]],
  // keys with stop words: as they are typed with them, and without
  [{ 'king of the hill': ['gods of war'] }, 'king of the hill', [6]],
  [{ 'king of the hill': ['gods of war'] }, 'king hill', [6]],
  [{ 'king of the hill': ['gods of war'] }, 'King OF the hill ', [6]],
  [{ 'the king of the hill': ['war gods'] }, 'the king of the hill ', [7]],
  [{ 'king of the hill': ['gods of war'] }, 'king the of hill ', []],
  [{ 'king of the hill': ['gods of war'] }, 'hill of the king ', []],
  [{ 'rock in rio of love': ['war gods'] }, 'rock in rio of love ', [7]],
])('with the synonyms %j, `%s` finds %j', async (synonyms, q, ids) => {
  await open(BANDS, { synonyms });
  expect(found(q, { matchingStrategy: 'all' })).toEqual(ids);
});

test('what was found is marked as a whole', async () => {
  await open(BANDS, { synonyms: { qotsa: ['queen of the stone'] } });
  const marked = (q: string): unknown =>
    index
      .search({ q, attributesToHighlight: ['title'] })
      .hits.map(({ _formatted }) => (_formatted as { title: string }).title);
  expect(marked('qotsa')).toEqual(['<em>queen of the stone</em> age']);
  expect(marked('"gods of war"')).toEqual(['<em>gods of war</em>']);
});
