/** Parameters of one search against slow models: the ranking oracle, and indexes whose settings are what the request asks for. */
import { ApiError } from '@fossick/base';
import { runsOf } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../../scratch-index.test-support.js';
import { type PlainDocument, plainIndex } from './plain-index.test-support.js';
import { rankPlainly } from './plain-ranker.test-support.js';

const WORDS = ['sun', 'flower', 'sunflower', 'flowers', 'flowre', 'garden', 'gardne', 'snow', 'storm', 'snowstorm'];
const NUMBERS = ['2001', '2002', '20021', '1984', '19845', '12345', '12346'];
const word = fc.constantFrom(...WORDS, ...NUMBERS);
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(word, { minLength: 1, maxLength }).map((words) => words.join(' '));
const documents: fc.Arbitrary<PlainDocument[]> = fc.array(
  fc.record({ title: text(3), body: text(8), n: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: ['title'] }),
  { minLength: 1, maxLength: 12 },
);
const withIds = (docs: readonly PlainDocument[]): PlainDocument[] => docs.map((each, id) => ({ id, ...each }));
const ATTRIBUTES = { searchableAttributes: ['title', 'body'], sortableAttributes: ['n'] };
const RUNS = Number(process.env['ORACLE_RUNS'] ?? runsOf(25));
const SHOWN = { limit: 50, showRankingScore: true, showRankingScoreDetails: true } as const;

/** Runs `check` on an index of random documents, and one with other settings. */
async function onBoth(
  settings: object,
  others: object,
  docs: readonly PlainDocument[],
  check: (first: ScratchIndex, second: ScratchIndex) => void,
): Promise<void> {
  const first = await openScratchIndex(withIds(docs), settings);
  const second = await openScratchIndex(withIds(docs), others);
  try {
    check(first, second);
  } finally {
    await first.close();
    await second.close();
  }
}

describe('typoTolerance of a request', () => {
  const override = fc.record(
    {
      enabled: fc.boolean(),
      minWordSizeForTypos: fc.constantFrom({ oneTypo: 3, twoTypos: 5 }, { oneTypo: 5, twoTypos: 20 }),
      disableOnWords: fc.constantFrom([], ['garden', 'Flower']),
      disableOnNumbers: fc.constant(true),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const query = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));

  test('finds and ranks what the same index finds with these settings', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        override,
        fc.array(query, { minLength: 8, maxLength: 8 }),
        async (docs, typos, qs) => {
          await onBoth(ATTRIBUTES, { ...ATTRIBUTES, typoTolerance: typos }, docs, (plain, changed) => {
            for (const q of qs) {
              const found = plain.search({ q, typoTolerance: typos, ...SHOWN }).hits;
              expect({ q, typos, found }).toEqual({ q, typos, found: changed.search({ q, ...SHOWN }).hits });
            }
          });
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 120_000);

  test('false and true are short for `enabled`', async () => {
    await onBoth({}, { typoTolerance: { enabled: false } }, [{ title: 'garden' }], (on, off) => {
      expect(on.idsOf({ q: 'gardne ' })).toEqual([0]);
      expect(on.idsOf({ q: 'gardne ', typoTolerance: false })).toEqual([]);
      expect(off.idsOf({ q: 'gardne ' })).toEqual([]);
      expect(off.idsOf({ q: 'gardne ', typoTolerance: true })).toEqual([0]);
      expect(on.idsOf({ q: 'gardne ' })).toEqual([0]);
    });
  });

  test('contradictions with the setting have the code of the parameter', async () => {
    const settings = { typoTolerance: { disableOnNumbers: true } };
    await onBoth(settings, {}, [{ title: 'garden' }], (apart, plain) => {
      const codeOf = (index: ScratchIndex, typoTolerance: object): string => {
        try {
          index.search({ q: 'a', typoTolerance });
        } catch (error) {
          if (error instanceof ApiError) return error.code;
          throw error;
        }
        return '';
      };
      expect(codeOf(apart, { disableOnNumbers: false })).toBe('invalid_search_typo_tolerance');
      expect(codeOf(apart, { disableOnNumbers: true })).toBe('');
      expect(codeOf(plain, { minWordSizeForTypos: { oneTypo: 10 } })).toBe('invalid_search_typo_tolerance');
    });
  });
});

describe('rankingRules of a request', () => {
  const rules = fc.shuffledSubarray(
    ['words', 'typo', 'proximity', 'attributeRank', 'wordPosition', 'exactness', 'n:asc', 'sort'],
    { minLength: 1 },
  );

  test('rank as the same rules in the settings do', async () => {
    await fc.assert(
      fc.asyncProperty(documents, rules, fc.array(text(3), { minLength: 6, maxLength: 6 }), async (docs, list, qs) => {
        await onBoth(ATTRIBUTES, { ...ATTRIBUTES, rankingRules: list }, docs, (plain, changed) => {
          for (const q of ['', ...qs]) {
            const sort = list.includes('sort') ? ['n:desc'] : null;
            const found = plain.search({ q, sort, rankingRules: list, ...SHOWN }).hits;
            expect({ q, list, found }).toEqual({ q, list, found: changed.search({ q, sort, ...SHOWN }).hits });
          }
        });
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 120_000);

  test('a field has to be sortable, or a rule of the setting', async () => {
    const index = await openScratchIndex(
      [
        { id: 1, n: 2, m: 1 },
        { id: 2, n: 1, m: 2 },
      ],
      {
        sortableAttributes: ['n'],
        rankingRules: ['m:asc'],
      },
    );
    expect(index.idsOf({ rankingRules: ['n:asc'] })).toEqual([2, 1]);
    expect(index.idsOf({ rankingRules: ['m:desc'] })).toEqual([2, 1]);
    expect(() => index.search({ rankingRules: ['id:asc'] })).toThrow(/`id` is not sortable/);
    expect(() => index.search({ rankingRules: ['words'], sort: ['n:asc'] })).toThrow(/rule `sort` is missing/);
    expect(index.idsOf({ rankingRules: ['sort'], sort: ['n:asc'] })).toEqual([2, 1]);
    await index.close();
  });

  test('queries of a federated search are compared by the rules that they name', async () => {
    const index = await openScratchIndex(
      [
        { id: 1, n: 2 },
        { id: 2, n: 1 },
      ],
      { sortableAttributes: ['n'] },
    );
    const query = { ...DEFAULT_REQUEST, rankingRules: ['n:asc'] };
    expect(index.federated([query]).hits.map(({ id }) => id)).toEqual([2, 1]);
    const clash = [query, { ...DEFAULT_REQUEST, rankingRules: ['n:desc'] }];
    expect(() => index.federated(clash)).toThrow(/queries\[1\]: `queries\[1\].rankingRules\[0\]`/);
    await index.close();
  });
});

describe('attributeWeights', () => {
  const weights = fc.dictionary(fc.constantFrom('title', 'body'), fc.constantFrom(0, 0.5, 1, 2, 10), {
    noNullPrototype: true,
  });

  test('rank as the slow oracle does: order, scores and details', async () => {
    const settings = fc.record({
      searchableAttributes: fc.constantFrom<string[]>(['*'], ['title', 'body']),
      rankingRules: fc.constantFrom(
        ['words', 'attributeRank'],
        ['attribute', 'exactness'],
        ['typo', 'proximity', 'attributeRank'],
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        documents,
        settings,
        weights,
        fc.array(text(3), { minLength: 6, maxLength: 6 }),
        async (docs, patch, attributeWeights, qs) => {
          const index = await openScratchIndex(withIds(docs), patch);
          try {
            const plain = plainIndex(withIds(docs), index.settings());
            for (const q of qs) {
              const request = { q, strategy: 'last', searchOn: null, weights: attributeWeights } as const;
              const oracle = rankPlainly(plain, request).hits.map(({ doc, score }) => [doc, score]);
              const isKnown = Object.keys(attributeWeights).every((name) => plain.fields.includes(name));
              if (!isKnown && !patch.searchableAttributes.includes('*')) continue;
              const { hits } = index.search({ q, attributeWeights, ...SHOWN });
              const found = hits.map(({ id, _rankingScore }) => [id, _rankingScore]);
              expect({ q, attributeWeights, found }).toEqual({ q, attributeWeights, found: oracle });
            }
          } finally {
            await index.close();
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 120_000);

  it('ranks by hand-computed levels: the greatest weight first, equal weights together, 1 for the others', async () => {
    const docs = [
      { id: 1, title: 'sun', body: 'x' },
      { id: 2, title: 'x', body: 'sun' },
      { id: 3, title: 'x', body: 'x', notes: 'sun' },
    ];
    const index = await openScratchIndex(docs, {
      searchableAttributes: ['title', 'body', 'notes'],
      rankingRules: ['attributeRank'],
    });
    const scores = (attributeWeights: Record<string, number> | null): unknown[] =>
      index
        .search({ q: 'sun', attributeWeights, showRankingScore: true })
        .hits.map((hit) => [hit.id, hit._rankingScore]);
    // without weights: title, body, notes are levels 0, 1 and 2 of three; the rule `words` of one word gives all the same
    expect(scores(null)).toEqual([
      [1, 1],
      [2, 2 / 3],
      [3, 1 / 3],
    ]);
    // levels 10, 2 and 1: notes, body, title
    expect(scores({ notes: 10, body: 2 })).toEqual([
      [3, 1],
      [2, 2 / 3],
      [1, 1 / 3],
    ]);
    // levels 5 and 1: title and notes together, in the order of their ids
    expect(scores({ title: 5, notes: 5 })).toEqual([
      [1, 1],
      [3, 1],
      [2, 1 / 2],
    ]);
    // levels 1 and 0: body after all others
    expect(scores({ body: 0 })).toEqual([
      [1, 1],
      [3, 1],
      [2, 1 / 2],
    ]);
    expect(() => scores({ year: 3 })).toThrow(/attributeWeights names `year`/);
    await index.close();
  });
});

describe('maxQueryWords', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('').map((letter) => letter.repeat(3));
  let index: ScratchIndex | undefined;
  afterAll(() => index?.close());

  it('uses as many words as the request says, ten without it', async () => {
    const all = letters.join(' ');
    index = await openScratchIndex([
      { id: 1, title: letters.slice(0, 10).join(' ') },
      { id: 2, title: letters.slice(0, 20).join(' ') },
      { id: 3, title: all },
    ]);
    const request = { q: `${all} `, matchingStrategy: 'all' } as const;
    expect(index.idsOf(request)).toEqual([1, 2, 3]);
    expect(index.idsOf({ ...request, maxQueryWords: 11 })).toEqual([2, 3]);
    expect(index.idsOf({ ...request, maxQueryWords: 26 })).toEqual([3]);
    expect(index.idsOf({ ...request, maxQueryWords: 1 })).toEqual([1, 2, 3]);
  });

  test('twelve words rank as the slow oracle ranks them', async () => {
    const few = fc.constantFrom(...letters.slice(0, 6));
    const line = (length: number): fc.Arbitrary<string> =>
      fc.array(few, { minLength: 1, maxLength: length }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ title: line(14) }), { minLength: 1, maxLength: 5 }),
        fc.array(few, { minLength: 11, maxLength: 12 }),
        fc.constantFrom<'last' | 'all'>('last', 'all'),
        async (docs, words, strategy) => {
          const settings = { rankingRules: ['words', 'typo', 'exactness'] };
          const scratch = await openScratchIndex(withIds(docs), settings);
          try {
            const q = `${words.join(', ')} `;
            const plain = plainIndex(withIds(docs), scratch.settings());
            const oracle = rankPlainly(plain, { q, strategy, searchOn: null, maxTerms: 12 });
            const { hits } = scratch.search({ q, matchingStrategy: strategy, maxQueryWords: 12, ...SHOWN });
            expect(hits.map(({ id, _rankingScore }) => [id, _rankingScore])).toEqual(
              oracle.hits.map(({ doc, score }) => [doc, score]),
            );
          } finally {
            await scratch.close();
          }
        },
      ),
      { numRuns: runsOf(10), endOnFailure: true },
    );
  }, 120_000);
});
