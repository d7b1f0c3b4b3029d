import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import type { RankingRuleSetting } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../../scratch-index.test-support.js';
import { search, searchBytes } from '../../search.js';

const seed = TEST_SEED;
const DAY = 86_400;
/** 2026-01-31T00:00:00Z */
const NOW = 1_769_817_600;

let index: ScratchIndex;
afterEach(async () => {
  vi.restoreAllMocks();
  await index.close();
});

/** Ids and the details of the first rule, at the time NOW. */
function explained(request: Partial<SearchRequest> = {}): [id: unknown, details: unknown][] {
  const complete = { ...DEFAULT_REQUEST, showRankingScoreDetails: true, ...request };
  const { hits } = index.inView((view) => search(view, complete, { nowSeconds: NOW }));
  return hits.map(({ id, _rankingScoreDetails }) => [id, Object.values(_rankingScoreDetails as object)[0]]);
}

test('a score of hand-computed values orders the hits and explains itself', async () => {
  const score = 'decay(publishedAt, 30d) * log10(1 + popularity)';
  index = await openScratchIndex(
    [
      { id: 'new', publishedAt: NOW, popularity: 9 }, // 1 * 1
      { id: 'month', publishedAt: NOW - 30 * DAY, popularity: 999 }, // 0.5 * 3
      { id: 'quarter', publishedAt: NOW - 90 * DAY, popularity: 9_999 }, // 0.125 * 4
      { id: 'unread', publishedAt: NOW, popularity: 0 }, // 1 * 0
      { id: 'text', publishedAt: '2026-01-01T00:00:00Z', popularity: 99 }, // 0.5 * 2
      { id: 'undated', popularity: 9_999 },
      { id: 'impossible', publishedAt: NOW, popularity: -5 },
      { id: 'list', publishedAt: [NOW - 60 * DAY, NOW - 30 * DAY], popularity: [9, 99_999] }, // 0.5 * 5
    ],
    { rankingRules: [{ score, buckets: null }] },
  );
  const detail = (value: number | null) => ({ order: 0, value });
  const ordered = explained();
  expect(ordered.map(([id]) => id)).toEqual([
    'list',
    'month',
    'new',
    'text',
    'quarter',
    'unread',
    'undated',
    'impossible',
  ]);
  expect(ordered.map(([, details]) => (details as { value: number | null }).value)).toEqual([
    expect.closeTo(2.5),
    expect.closeTo(1.5),
    expect.closeTo(1),
    expect.closeTo(1),
    expect.closeTo(0.5),
    0,
    null,
    null,
  ]);
  expect(ordered[5]![1]).toEqual(detail(0));
  const { hits } = index.inView((view) =>
    search(view, { ...DEFAULT_REQUEST, showRankingScoreDetails: true, showRankingScore: true }, { nowSeconds: NOW }),
  );
  expect(Object.keys(hits[0]!._rankingScoreDetails as object)).toEqual([`score(${score})`]);
  expect(hits.map(({ _rankingScore }) => _rankingScore)).toEqual(Array.from(hits, () => 1));
});

test('a text that is no calendar day has no score', async () => {
  index = await openScratchIndex(
    [
      { id: 'february', publishedAt: '2026-02-30' },
      { id: 'april', publishedAt: '2024-04-31T10:00:00Z' },
      { id: 'leap', publishedAt: '2024-02-29' },
    ],
    { rankingRules: [{ score: 'publishedAt', buckets: null }] },
  );
  expect(explained()).toEqual([
    ['leap', { order: 0, value: Date.UTC(2024, 1, 29) / 1_000 }],
    ['february', { order: 0, value: null }],
    ['april', { order: 0, value: null }],
  ]);
});

test('buckets divide all documents that match, also where fewer are enough for the page', async () => {
  const typed = [1, 2, 3].map((n) => ({ id: n, t: 'garden', n }));
  const mistyped = [4, 5, 6, 7, 8].map((n) => ({ id: n, t: 'gardne', n }));
  const rankingRules = ['words', 'typo', { score: 'n', buckets: 2 }];
  const patch = { rankingRules, sortableAttributes: ['n'], pagination: { maxTotalHits: 2 } };
  const index = await openScratchIndex([...typed, ...mistyped], patch);
  expect(index.idsOf({ q: 'garden', limit: 2 })).toEqual([1, 2]);
  await index.close();
});

test('buckets have the same number of documents, and leave the order within to the next rule', async () => {
  const documents = [1, 2, 3, 4, 5, 6, 7, 8].map((rank) => ({ id: rank, rank, name: 8 - rank }));
  index = await openScratchIndex([...documents, { id: 9 }], {
    rankingRules: [{ score: 'rank', buckets: 4 }, 'name:desc'],
  });
  expect(explained()).toEqual([
    [7, { order: 0, value: 7, bucket: 1, buckets: 4 }],
    [8, { order: 0, value: 8, bucket: 1, buckets: 4 }],
    [5, { order: 0, value: 5, bucket: 2, buckets: 4 }],
    [6, { order: 0, value: 6, bucket: 2, buckets: 4 }],
    [3, { order: 0, value: 3, bucket: 3, buckets: 4 }],
    [4, { order: 0, value: 4, bucket: 3, buckets: 4 }],
    [1, { order: 0, value: 1, bucket: 4, buckets: 4 }],
    [2, { order: 0, value: 2, bucket: 4, buckets: 4 }],
    [9, { order: 0, value: null, bucket: null, buckets: 4 }],
  ]);
});

test('documents of one score share a bucket, the better one', async () => {
  const ranks = [5, 5, 5, 5, 5, 1, 1, 0];
  index = await openScratchIndex(
    ranks.map((rank, id) => ({ id, rank })),
    { rankingRules: [{ score: 'rank', buckets: 4 }] },
  );
  // five scores are above 1, so its bucket is 1 + floor(4 * 5 / 8); seven are above 0
  const buckets = explained().map(([, details]) => (details as { bucket: number }).bucket);
  expect(buckets).toEqual([1, 1, 1, 1, 1, 3, 3, 4]);
});

test('the buckets divide all documents found, not those of one bucket before', async () => {
  const documents = Array.from({ length: 12 }, (_, id) => ({
    id,
    rank: id,
    title: id % 3 === 0 ? 'blue' : 'blue sky',
  }));
  index = await openScratchIndex(documents, { rankingRules: ['exactness', { score: 'rank', buckets: 2 }] });
  const hits = index.search({ q: 'blue', showRankingScoreDetails: true }).hits;
  const buckets = hits.map(({ id, _rankingScoreDetails }) => [
    id,
    (_rankingScoreDetails as Record<string, { bucket: number }>)['score(rank)']!.bucket,
  ]);
  for (const [id, bucket] of buckets) expect([id, bucket]).toEqual([id, Number(id) >= 6 ? 1 : 2]);
  expect(buckets.slice(0, 4).map(([id]) => id)).toEqual([6, 9, 0, 3]);
});

test('hidden fields hide the score', async () => {
  index = await openScratchIndex([{ id: 1, secret: 4 }], {
    displayedAttributes: ['id'],
    rankingRules: [{ score: 'secret * 2', buckets: null }],
  });
  const [hit] = index.search({ showRankingScoreDetails: true }).hits;
  expect(hit!._rankingScoreDetails).toEqual({ '<hidden-rule-0>': { order: 0, value: '<hidden>' } });
});

test('a distance ranks by metres', async () => {
  index = await openScratchIndex(
    [{ id: 'far', _geo: { lat: 48.86, lng: 2.35 } }, { id: 'near', _geo: { lat: 0, lng: 0.01 } }, { id: 'nowhere' }],
    { rankingRules: [{ score: 'decay(geoDistance(0, 0), 100000, 0)', buckets: null }] },
  );
  const [near, far, nowhere] = explained() as [[string, { value: number }], [string, { value: number }], unknown];
  expect(near[0]).toBe('near');
  expect(near[1].value).toBeCloseTo(0.5 ** (1_112 / 100_000), 3);
  expect(far[0]).toBe('far');
  expect(nowhere).toEqual(['nowhere', { order: 0, value: null }]);
});

describe('the time of a score', () => {
  const at = (iso: string) => vi.spyOn(Date, 'now').mockReturnValue(Date.parse(iso));
  const text = (): string =>
    index.inView((view) =>
      searchBytes(view, { ...DEFAULT_REQUEST, showRankingScoreDetails: true }, {}, () => ({})).toString(),
    );
  const valueIn = (answer: string): number =>
    Number(JSON.parse(answer).hits[0]._rankingScoreDetails['score(now - at)'].value);

  test('is the last full minute, also in answers that are kept', async () => {
    index = await openScratchIndex([{ id: 1, at: NOW }], { rankingRules: [{ score: 'now - at', buckets: null }] });
    at('2026-01-31T00:00:59.999Z');
    expect(valueIn(text())).toBe(0);
    expect(valueIn(text())).toBe(0);
    at('2026-01-31T00:01:00.000Z');
    expect(valueIn(text())).toBe(60);
    at('2026-01-31T00:03:30.000Z');
    expect(valueIn(text())).toBe(180);
  });
});

describe('the rules of one search', () => {
  const ids = (rankingRules: readonly RankingRuleSetting[]) => index.idsOf({ rankingRules });
  const score = (text: string): RankingRuleSetting => ({ score: text, buckets: null });

  test('read the fields that are sortable or in the rules of the setting, and no others', async () => {
    index = await openScratchIndex(
      [
        { id: 1, sorted: 1, ordered: 2, scored: 3, other: 1, filtered: 1, size: { width: 1 } },
        { id: 2, sorted: 2, ordered: 1, scored: 1, other: 2, filtered: 2, size: { width: 2 } },
      ],
      {
        sortableAttributes: ['sorted', 'size'],
        filterableAttributes: ['filtered'],
        rankingRules: ['words', 'ordered:asc', score('scored * 2')],
      },
    );
    for (const [text, expected] of [
      ['sorted', [2, 1]],
      ['size.width', [2, 1]],
      ['ordered', [1, 2]],
      ['scored', [1, 2]],
      ['0 - sorted + scored', [1, 2]],
      ['min(sorted, ordered) + scored / 100', [1, 2]],
      ['1', [1, 2]],
    ] as const)
      expect(ids([score(text)]), text).toEqual(expected);
    for (const [text, field] of [
      ['other', 'other'],
      ['sorted + other', 'other'],
      ['coalesce(other, sorted)', 'other'],
      ['filtered', 'filtered'],
      ['log(1 + nowhere)', 'nowhere'],
      ['geoDistance(0, 0)', '_geo'],
    ] as const) {
      expect(() => ids([score(text)]), text).toThrow(`attribute \`${field}\` is not sortable`);
      expect(() => ids(['words', { score: text, buckets: 8 }])).toThrow(
        expect.objectContaining({ code: 'invalid_search_ranking_rules' }),
      );
    }
    expect(() => ids(['other:asc'])).toThrow('attribute `other` is not sortable');
  });
});

interface Doc {
  readonly id: number;
  readonly a: number | null;
  readonly b: number;
}
/** Scores, each with the model: null for a missing value. */
const SCORES: readonly (readonly [score: string, of: (doc: Doc) => number | null])[] = [
  ['a', ({ a }) => a],
  ['a + b * 2', ({ a, b }) => (a === null ? null : a + b * 2)],
  ['coalesce(a, b) - 3', ({ a, b }) => (a ?? b) - 3],
  ['log(b)', ({ b }) => (b > 0 ? Math.log(b) : null)],
  ['clamp(coalesce(a, 0), -2, 2)', ({ a }) => Math.min(Math.max(a ?? 0, -2), 2)],
  ['b / a', ({ a, b }) => (a === null || a === 0 ? null : b / a)],
];

/** The order by definition: better bucket or higher score first, then docid. */
function modelOrder(docs: readonly Doc[], of: (doc: Doc) => number | null, buckets: number | null): number[] {
  const known = docs.map(of).filter((value) => value !== null);
  const rankOf = (doc: Doc): number => {
    const value = of(doc);
    if (value === null) return Number.POSITIVE_INFINITY;
    const above = known.filter((other) => other > value).length;
    return buckets === null ? above : Math.floor((buckets * above) / known.length);
  };
  const ranked = docs.map((doc, at) => ({ at, id: doc.id, rank: rankOf(doc) }));
  return ranked.sort((x, y) => (x.rank === y.rank ? x.at - y.at : x.rank < y.rank ? -1 : 1)).map(({ id }) => id);
}

const documents = fc.uniqueArray(
  fc.record({
    id: fc.nat(400),
    a: fc.option(fc.integer({ min: -5, max: 5 })),
    b: fc.integer({ min: -3, max: 12 }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 120 },
);

test(`hits are in the order of a model, in several segments and after changes (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      documents,
      documents,
      fc.nat(SCORES.length - 1),
      fc.option(fc.constantFrom(2, 3, 8)),
      async (first, second, which, buckets) => {
        const [score, of] = SCORES[which]!;
        const rule: RankingRuleSetting = { score, buckets };
        index = await openScratchIndex(first, { rankingRules: [rule], pagination: { maxTotalHits: 1_000 } });
        try {
          await index.add(second);
          const replaced = new Set(second.map(({ id }) => id));
          const all = [...first.filter(({ id }) => !replaced.has(id)), ...second];
          const order = index.inView((view) => {
            const docIds = view.kernel.bitmaps.members(view.documents, 0, view.documentCount);
            return Array.from(docIds, (docId) => view.document(docId)!.id as number);
          });
          const docs = order.map((id) => all.find((doc) => doc.id === id)!);
          const expected = modelOrder(docs, of, buckets);
          expect(index.idsOf({ limit: 1_000 })).toEqual(expected);
          expect(index.idsOf({ limit: 5, offset: 7 })).toEqual(expected.slice(7, 12));
        } finally {
          await index.close();
        }
      },
    ),
    { seed, numRuns: 20 },
  );
  index = await openScratchIndex([]);
}, 120_000);

test('queries of a federated search are merged by the score, and a score does not stand against a sort', async () => {
  index = await openScratchIndex(
    [
      { id: 1, kind: 'a', rank: 4 },
      { id: 2, kind: 'b', rank: 3 },
      { id: 3, kind: 'a', rank: 2 },
      { id: 4, kind: 'b', rank: 9 },
    ],
    { filterableAttributes: ['kind'], rankingRules: [{ score: 'rank', buckets: null }] },
  );
  const query = (kind: string): SearchRequest => ({ ...DEFAULT_REQUEST, filter: `kind = ${kind}` });
  expect(index.federated([query('a'), query('b')]).hits.map(({ id }) => id)).toEqual([4, 1, 2, 3]);
});

test('ranking ends at its time limit in the middle of a score', async () => {
  const many = Array.from({ length: 3_000 }, (_, id) => ({ id, rank: id }));
  index = await openScratchIndex(many, { rankingRules: [{ score: 'rank', buckets: 8 }], searchCutoffMs: 1 });
  let looks = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => looks++ * 1_000);
  expect(index.search({ limit: 3 }).hits.map(({ id }) => id)).toEqual([0, 1, 2]);
});
