import { IS_LONG } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { MatchingStrategy } from '../../query/query-graph.js';
import { openScratchIndex } from '../../scratch-index.test-support.js';
import { scoreDetailsJson } from '../rules/score-details.js';
import { type PlainDocument, plainIndex } from './plain-index.test-support.js';
import { rankPlainly } from './plain-ranker.test-support.js';

/** Words that are each other's prefixes, typos, halves and synonyms. */
const WORDS = [
  'sun',
  'flower',
  'sunflower',
  'sunflowers',
  'flowers',
  'flowre',
  'the',
  'garden',
  'gardne',
  'gardener',
  'gordon',
  'snow',
  'storm',
  'snowstorm',
  'snowstorms',
  'a',
  'ab',
  'abc',
  'paint',
  'paints',
  'point',
  'painter',
  'new',
  'york',
  'newyork',
  'extraordinary',
  'extraordinery',
  'extraordnery',
];
const word = fc.constantFrom(...WORDS);
const gap = fc.constantFrom(' ', ' ', ' ', '-', ', ', '! ');
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.tuple(word, gap), { minLength: 1, maxLength }).map((parts) => parts.flat().slice(0, -1).join(''));

const document: fc.Arbitrary<PlainDocument> = fc.record(
  { title: text(4), body: text(12), tags: fc.array(text(2), { maxLength: 3 }), n: fc.integer({ min: 0, max: 3 }) },
  { requiredKeys: [] },
);

const mistyped = fc.tuple(word, fc.nat(), fc.constantFrom('e', 'x', '')).map(([typed, at, letter]) => {
  const place = at % typed.length;
  return typed.slice(0, place) + letter + typed.slice(place + 1) || 'x';
});
const prefix = fc.tuple(word, fc.nat()).map(([typed, at]) => typed.slice(0, 1 + (at % typed.length)));
const term = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 2, arbitrary: mistyped },
  { weight: 1, arbitrary: prefix },
  { weight: 1, arbitrary: text(3).map((inner) => `"${inner}"`) },
  { weight: 1, arbitrary: word.map((typed) => `-${typed}`) },
);
const query = fc
  .tuple(
    fc.array(term, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(' ', ' ', ' ', ', '),
    fc.constantFrom('', '', '', ' '),
  )
  .map(([terms, between, end]) => terms.join(between) + end);

const relevancy = fc.shuffledSubarray(
  ['words', 'typo', 'proximity', 'attributeRank', 'wordPosition', 'exactness', 'n:asc'],
  { minLength: 2 },
);
const settings = fc.record(
  {
    rankingRules: fc.oneof(relevancy, fc.constant(['words', 'typo', 'proximity', 'attribute', 'n:desc', 'exactness'])),
    searchableAttributes: fc.constantFrom(['*'], ['title', 'body'], ['tags', 'body', 'title']),
    substringAttributes: fc.constantFrom<string[]>([], [], ['title'], ['body', 'tags']),
    stopWords: fc.constantFrom([], ['the'], ['the', 'a', 'new']),
    proximityPrecision: fc.constantFrom<'byWord' | 'byAttribute'>('byWord', 'byWord', 'byAttribute'),
    prefixSearch: fc.constantFrom<'indexingTime' | 'disabled'>('indexingTime', 'indexingTime', 'disabled'),
    synonyms: fc.constantFrom({}, { garden: ['york', 'snow storm'], 'new york': ['sun'], paint: ['extraordinary'] }),
    typoTolerance: fc.record({
      enabled: fc.constantFrom(true, true, true, false),
      minWordSizeForTypos: fc.constantFrom({ oneTypo: 5, twoTypos: 9 }, { oneTypo: 3, twoTypos: 5 }),
      disableOnAttributes: fc.constantFrom<string[]>([], [], ['title']),
      disableOnWords: fc.constantFrom<string[]>([], [], ['garden']),
    }),
  },
  { noNullPrototype: true },
);
const request = fc.record({
  q: query,
  strategy: fc.constantFrom<MatchingStrategy>('last', 'last', 'all', 'frequency'),
  searchOn: fc.constantFrom<string[] | null>(null, null, null, ['body'], ['title', 'tags']),
});

/** The long form, a piece of `npm run test:long`: hundreds of documents in several segments, hundreds of runs. */
const MAX_DOCUMENTS = IS_LONG ? 300 : 14;
/** The slow oracle takes a second for hundreds of documents, and many times that on a busy machine. */
vi.setConfig({ testTimeout: IS_LONG ? 3_600_000 : 600_000 });
const RUNS = Number(process.env['ORACLE_RUNS'] ?? (IS_LONG ? 200 : 9));

test('the engine ranks as the slow oracle does: order, scores, details and counts', async () => {
  const documents = fc.array(document, {
    minLength: 1,
    maxLength: MAX_DOCUMENTS,
    size: IS_LONG ? 'max' : 'small',
  });
  const batchStarts = fc.array(fc.nat({ max: MAX_DOCUMENTS }), { maxLength: 4 });
  let [documentCount, segmentCount] = [0, 0];
  const property = fc.asyncProperty(
    documents,
    batchStarts,
    settings,
    fc.array(request, { minLength: 12, maxLength: 12 }),
    async (docs, starts, patch, requests) => {
      const withIds = docs.map((each, id) => ({ id, ...each }));
      const index = await openScratchIndex([], patch);
      try {
        for (const batch of batchesOf(withIds, starts)) await index.add(batch);
        documentCount = Math.max(documentCount, docs.length);
        segmentCount = Math.max(
          segmentCount,
          index.inView(({ segments }) => segments.length),
        );
        const plain = plainIndex(withIds, index.settings());
        for (const { q, strategy, searchOn } of requests) {
          const isOutside = searchOn?.some((field) => plain.fields.includes(field) && plain.weightOf(field) < 0);
          const on = isOutside || !searchOn?.every((field) => plain.fields.includes(field)) ? null : searchOn;
          const oracle = rankPlainly(plain, { q, strategy, searchOn: on });
          const answer = index.search({
            q,
            matchingStrategy: strategy,
            attributesToSearchOn: on,
            limit: MAX_DOCUMENTS,
            showRankingScore: true,
            showRankingScoreDetails: true,
          });
          const expected = oracle.hits.map(({ doc, details, score }) => ({
            id: doc,
            score,
            details: scoreDetailsJson(details),
          }));
          const found = answer.hits.map(({ id, _rankingScore: score, _rankingScoreDetails: details }) => ({
            id,
            score,
            details,
          }));
          expect({
            q,
            strategy,
            on,
            count: 'estimatedTotalHits' in answer ? answer.estimatedTotalHits : null,
            found,
          }).toEqual({
            q,
            strategy,
            on,
            count: oracle.candidateCount,
            found: expected,
          });
        }
      } finally {
        await index.close();
      }
    },
  );
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  expect(segmentCount).toBeGreaterThan(1);
  if (IS_LONG) expect(documentCount).toBeGreaterThan(100);
});

/** The better documents of these rank first, whatever else matches; buckets of a score divide all that match. */
const divided = fc.constantFrom(
  ['words', 'typo', { score: 'n', buckets: 2 }, 'exactness', 'sort'],
  ['typo', 'words', 'n:asc', { score: 'n + 1', buckets: 3 }, 'sort'],
  ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness'],
);

test('a search that needs a page and a count has the first of all hits, their marks, the capped count and all facets', async () => {
  const documents = fc.array(document, { minLength: 1, maxLength: MAX_DOCUMENTS, size: IS_LONG ? 'max' : 'small' });
  const batchStarts = fc.array(fc.nat({ max: MAX_DOCUMENTS }), { maxLength: 4 });
  const range = fc.record({
    offset: fc.nat({ max: 3 }),
    limit: fc.nat({ max: 4 }),
    maxTotalHits: fc.integer({ min: 1, max: 6 }),
  });
  const shown = { attributesToHighlight: ['*'], showMatchesPosition: true } as const;
  const more = fc.constantFrom(
    {},
    {},
    { facets: ['n'] },
    { filter: 'n > 0' },
    { sort: ['n:desc'] },
    { filter: 'n < 2', facets: ['n'], sort: ['n:asc'] },
  );
  const property = fc.asyncProperty(
    documents,
    batchStarts,
    fc.tuple(settings, fc.option(divided, { nil: null })),
    range,
    fc.array(fc.tuple(request, more), { minLength: 12, maxLength: 12 }),
    async (docs, starts, [patch, rules], { offset, limit, maxTotalHits }, requests) => {
      const withIds = docs.map((each, id) => ({ id, ...each }));
      const rankingRules = rules ?? [...patch.rankingRules, 'sort'];
      const fields = { filterableAttributes: ['n'], sortableAttributes: ['n'] };
      const index = await openScratchIndex([], { ...patch, ...fields, rankingRules, pagination: { maxTotalHits } });
      const whole = await openScratchIndex([], { ...patch, ...fields, rankingRules });
      try {
        // the first of them is added twice: some documents are replaced
        for (const batch of [...batchesOf(withIds, starts), withIds.slice(0, 1)])
          for (const each of [index, whole]) await each.add(batch);
        const searchableAttributes: readonly string[] = patch.searchableAttributes;
        const isSearched = (field: string): boolean =>
          searchableAttributes.includes(field) ||
          (searchableAttributes.includes('*') && docs.some((each) => field in each));
        for (const [{ q, strategy, searchOn }, others] of requests) {
          const on = searchOn?.every(isSearched) ? searchOn : null;
          const asked = { q, matchingStrategy: strategy, attributesToSearchOn: on, ...shown, ...others };
          // scores need all candidates
          const all = whole.search({ ...asked, limit: MAX_DOCUMENTS, showRankingScore: true });
          const page = index.search({ ...asked, offset, limit });
          const expected = all.hits
            .slice(Math.min(offset, maxTotalHits), Math.min(offset + limit, maxTotalHits))
            .map(({ _rankingScore: _, ...hit }) => hit);
          const count = 'estimatedTotalHits' in all ? Math.min(all.estimatedTotalHits, maxTotalHits) : null;
          expect({
            q,
            strategy,
            on,
            hits: page.hits,
            count: 'estimatedTotalHits' in page ? page.estimatedTotalHits : null,
            facets: [page.facetDistribution, page.facetStats],
          }).toEqual({ q, strategy, on, hits: expected, count, facets: [all.facetDistribution, all.facetStats] });
        }
      } finally {
        await index.close();
        await whole.close();
      }
    },
  );
  await fc.assert(property, { numRuns: RUNS * 4, endOnFailure: true });
});

/** The documents in batches that begin at these places. */
function batchesOf<T>(documents: readonly T[], starts: readonly number[]): T[][] {
  const cuts = [0, ...[...starts].sort((a, b) => a - b), documents.length];
  return cuts.map((from, at) => documents.slice(from, cuts[at + 1])).filter((batch) => batch.length > 0);
}

/** Of this many documents a page of one is split ahead of costly rules (rules/split-ahead.ts). */
const MANY = 40;

test('the first of many documents is the one that the slow oracle has first', async () => {
  const between = fc.array(fc.constantFrom('snow', 'paint', 'york'), { maxLength: 4 });
  const pair = fc
    .tuple(fc.constantFrom(['sun', 'garden'], ['garden', 'sun']), between)
    .map(([[first, second], gapWords]) => [first, ...gapWords, second].join(' '));
  const apart = fc.constantFrom('sun', 'garden', 'snow', 'paint');
  // Both words are in every document, seldom both in its title, and seldom side by side: what is first by fields is seldom first by proximity.
  const title = fc.oneof({ weight: 9, arbitrary: apart }, { weight: 1, arbitrary: pair });
  const property = fc.asyncProperty(
    fc.array(fc.record({ title, body: pair, n: fc.integer({ min: 0, max: 3 }) }), { minLength: MANY, maxLength: MANY }),
    fc.constantFrom(
      ['words', 'proximity', 'attribute'],
      ['words', 'typo', 'proximity', 'attributeRank', 'exactness', 'n:asc'],
    ),
    async (docs, rankingRules) => {
      const withIds = docs.map((each, id) => ({ id, ...each }));
      const index = await openScratchIndex(withIds, { rankingRules, searchableAttributes: ['title', 'body'] });
      try {
        const plain = plainIndex(withIds, index.settings());
        for (const q of ['sun garden', 'garden sun', 'sun snow']) {
          const oracle = rankPlainly(plain, { q, strategy: 'last', searchOn: null });
          const answer = index.search({ q, limit: 1, showRankingScoreDetails: true });
          const expected = oracle.hits.slice(0, 1).map(({ doc, details }) => [doc, scoreDetailsJson(details)]);
          const found = answer.hits.map(({ id, _rankingScoreDetails: details }) => [id, details]);
          expect({ q, found }).toEqual({ q, found: expected });
        }
      } finally {
        await index.close();
      }
    },
  );
  await fc.assert(property, { numRuns: Number(process.env['ORACLE_RUNS'] ?? (IS_LONG ? 200 : 7)), endOnFailure: true });
});
