import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { loadedList } from '@fossick/kernel';
import type { SearchRequest } from '@fossick/settings/parameters';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const DOC_COUNT = 6_000;
const WORDS = ['blue', 'blues', 'bluer', 'train', 'trains', 'rain', 'night', 'nights', 'sea', 'seas', 'old', 'bold'];
const seed = TEST_SEED;

/** A small generator of numbers below `bound` (mulberry32). */
function randomOf(start: number): (bound: number) => number {
  let state = start;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * bound);
  };
}

const REQUESTS: Record<string, Partial<SearchRequest>> = {
  'a short prefix': { q: 'b', limit: 30 },
  'several words': { q: 'blue train night', limit: 30 },
  'all words': { q: 'blue train nigh', matchingStrategy: 'all', limit: 30, showRankingScoreDetails: true },
  'rare words first': { q: 'blue trian', matchingStrategy: 'frequency', limit: 30 },
  'a phrase': { q: '"blue train" se', limit: 30 },
  'marked words': { q: 'old rain', attributesToHighlight: ['*'], limit: 30 },
};

let index: ScratchIndex;
beforeAll(async () => {
  const random = randomOf(7);
  const text = (count: number): string => Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(' ');
  const documents = Array.from({ length: DOC_COUNT }, (_, id) => ({ id, title: text(3), body: text(12) }));
  index = await openScratchIndex(documents, { searchCutoffMs: 20_000, pagination: { maxTotalHits: DOC_COUNT } });
}, 60_000);
afterAll(() => index.close());
afterEach(() => vi.restoreAllMocks());

/** Runs a search for which the time is over (snapshots may still be read) from the given look at the clock on; answers how often it looked. */
function searchUntil(
  look: number,
  request: Partial<SearchRequest>,
): { readonly looks: number; readonly ids: unknown[] } {
  let looks = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (++looks >= look ? 30_000 : 0));
  const ids = index.search(request).hits.map(({ id }) => id);
  clock.mockRestore();
  return { looks, ids };
}

describe.each(Object.entries(REQUESTS))('a search for %s whose time ends', (_, request) => {
  test(`at any moment answers what matches, and the next one as if nothing had been (seed ${seed})`, async () => {
    const random = randomOf(seed);
    const matching = new Set(index.search({ ...request, limit: DOC_COUNT }).hits.map(({ id }) => id));
    const expected = index.search(request);
    // a commit empties what is kept, so that the walks are made again
    for (let round = 0; round < 4; round++) {
      await index.add([{ id: DOC_COUNT + round, title: 'x', body: 'y' }]);
      const { looks } = searchUntil(Number.POSITIVE_INFINITY, request);
      await index.add([{ id: DOC_COUNT + round, title: 'x', body: 'z' }]);
      for (let tries = 0; tries < 4; tries++) {
        const { ids } = searchUntil(2 + random(looks), request);
        expect(ids.filter((id) => !matching.has(id as number))).toEqual([]);
      }
      expect(index.search(request).hits).toEqual(expected.hits);
    }
  }, 120_000);
});

test('the kernel looks at the clock in the middle of its calls', () => {
  const looks = index.inView((view) => {
    let pauses = 0;
    view.kernel.onPause = () => {
      pauses += 1;
    };
    const found = view.kernel.bitmaps.create(view.bitCount);
    for (let times = 0; times < 40; times++)
      for (const segment of view.segments) {
        const list = segment.prefixPostings(Buffer.from('b'));
        if (list !== null) view.kernel.lists.orDocs(found, { ptr: loadedList(list), deleted: 0 });
      }
    view.kernel.onPause = null;
    return pauses;
  });
  expect(looks).toBeGreaterThan(0);
});

test('a filter has its own time: it is not refused because an earlier query of the search used up that of the ranking', async () => {
  const documents = Array.from({ length: 50 }, (_, id) => ({ id, title: WORDS[id % WORDS.length] }));
  const filtered = await openScratchIndex(documents, { filterableAttributes: ['id'] });
  try {
    const queries = [
      { ...DEFAULT_REQUEST, q: 'blue' },
      { ...DEFAULT_REQUEST, q: 'train', filter: 'id >= 0' },
    ];
    const looksOf = (asked: readonly SearchRequest[], last: number): number => {
      let looks = 0;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => (++looks > last ? 30_000 : 0));
      // what is found by then is answered; a refusal would throw
      const { hits } = filtered.federated(asked);
      clock.mockRestore();
      for (const { title } of hits) expect(title).toMatch(/blue|train/);
      return looks;
    };
    // the time of the ranking ends while the first query is ranked, which looks at the clock more often than this
    expect(looksOf(queries, Number.POSITIVE_INFINITY)).toBeGreaterThan(30);
    for (let last = 1; last <= 12; last += 1) looksOf(queries, last);
  } finally {
    await filtered.close();
  }
});
