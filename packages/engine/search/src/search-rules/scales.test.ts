import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import type { SearchRequest } from '@fossick/settings/parameters';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchResponse } from '../request/search-response.js';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';
import { search } from '../search.js';
import { DEFAULT_RULE_LIMITS, type RuleActions, type RuleBook, type RuleLimits, ruleActions } from './search-rule.js';

const seed = TEST_SEED;
const WORDS = ['red', 'hen', 'fox', 'farm', 'hens', 'rod'];
const COUNT = 60;
/** Titles of one to four words, so that ranks differ. */
const DOCS = Array.from({ length: COUNT }, (_, id) => ({
  id,
  title: Array.from({ length: 1 + (id % 4) }, (__, at) => WORDS[(id * 7 + at * 5) % WORDS.length]).join(' '),
  kind: `kind ${id % 5}`,
  price: id % 10,
}));

describe('rules that scale scores', () => {
  let index: ScratchIndex;
  beforeAll(async () => {
    index = await openScratchIndex(DOCS, {
      filterableAttributes: ['kind', 'price'],
      sortableAttributes: ['price'],
      searchableAttributes: ['title'],
    });
  });
  afterAll(() => index.close());

  const book = (rules: readonly Partial<RuleActions>[], limits: Partial<RuleLimits> = {}): RuleBook => ({
    rules: rules.map((actions, at) => ({
      uid: `rule-${at}`,
      active: true,
      conditions: {},
      pins: [],
      scales: [],
      ...actions,
    })),
    nowMs: 0,
    limits: { ...DEFAULT_RULE_LIMITS, ...limits },
  });
  const find = (request: Partial<SearchRequest>, ruleBook: RuleBook | null): SearchResponse =>
    index.inView((view) => search(view, { ...DEFAULT_REQUEST, limit: COUNT, ...request }, { ruleBook }));
  const idsOf = ({ hits }: SearchResponse): number[] => hits.map(({ id }) => id as number);
  const totalOf = (answer: SearchResponse): number =>
    'estimatedTotalHits' in answer ? answer.estimatedTotalHits : answer.totalHits;

  test(`order hits by the product of score and weights, whatever the page (seed ${seed})`, () => {
    const scale = fc.record({
      weight: fc.constantFrom(0, 0.25, 0.5, 1, 1.5, 4),
      ids: fc.option(fc.array(fc.nat(COUNT + 5).map(String), { maxLength: 20 })),
      filter: fc.option(fc.constantFrom('kind = "kind 1"', 'price > 6', 'kind != "kind 2" AND price < 3')),
    });
    const passes = new Map<string, (doc: (typeof DOCS)[number]) => boolean>([
      ['kind = "kind 1"', ({ kind }) => kind === 'kind 1'],
      ['price > 6', ({ price }) => price > 6],
      ['kind != "kind 2" AND price < 3', ({ kind, price }) => kind !== 'kind 2' && price < 3],
    ]);
    const asked = fc.constantFrom('red', 'red hen', 'farm fox hens', '');
    fc.assert(
      fc.property(asked, fc.array(fc.array(scale, { maxLength: 3 }), { minLength: 1, maxLength: 3 }), (q, given) => {
        const rules = book(given.map((scales) => ({ scales })));
        const weightOf = (id: number): number =>
          given
            .flat()
            .filter(({ ids, filter }) => ids?.includes(String(id)) || passes.get(filter ?? '')?.(DOCS[id]!))
            .reduce((product, { weight }) => product * weight, 1);
        const plain = find({ q, showRankingScore: true }, null);
        const expected = plain.hits
          .map((hit) => ({ id: hit.id as number, score: (hit._rankingScore as number) * weightOf(hit.id as number) }))
          .filter(({ id }) => weightOf(id) > 0);
        const answer = find({ q, showRankingScore: true }, rules);
        expect([...idsOf(answer)].sort()).toEqual(expected.map(({ id }) => id).sort());
        expect(totalOf(answer)).toBe(expected.length);
        const scores = new Map(expected.map(({ id, score }) => [id, score]));
        const inOrder = idsOf(answer).map((id) => scores.get(id)!);
        const best = expected.map(({ score }) => score).sort((a, b) => b - a);
        for (const [at, score] of inOrder.entries()) expect(score).toBeCloseTo(best[at]!, 12);
        for (const hit of answer.hits)
          expect(hit._rankingScore).toBeCloseTo(Math.min(1, scores.get(hit.id as number)!), 12);
        const page = find({ q, offset: 5, limit: 7 }, rules);
        expect(idsOf(page)).toEqual(idsOf(answer).slice(5, 12));
      }),
      { seed, numRuns: 60 },
    );
  }, 120_000);

  test('leave hits without a weight as they are, and name the rules in the details of others', () => {
    const [first, second, third] = idsOf(find({ q: 'red' }, null)).map(String);
    const both = { weight: 2, ids: [first!, second!] };
    const rules = book([{ scales: [both] }, { scales: [{ weight: 3, ids: [first!] }] }]);
    const { hits } = find({ q: 'red', showRankingScoreDetails: true }, rules);
    const detailsOf = (id: string | undefined): unknown =>
      (hits.find((hit) => String(hit.id) === id)!._rankingScoreDetails as Record<string, unknown>).scale;
    expect(detailsOf(first)).toEqual({ rules: ['rule-0', 'rule-1'], weight: 6 });
    expect(detailsOf(second)).toEqual({ rules: ['rule-0'], weight: 2 });
    expect(detailsOf(third)).toBeUndefined();
  });

  test('a pinned document is not hidden, and a hidden one is in no count', () => {
    const rules = book([{ pins: [{ id: '4', position: 0 }], scales: [{ weight: 0, filter: 'kind = "kind 4"' }] }]);
    const answer = find({ q: 'red', facets: ['kind'] }, rules);
    expect(idsOf(answer)[0]).toBe(4);
    expect(idsOf(answer).filter((id) => id % 5 === 4)).toEqual([4]);
    expect(answer.facetDistribution!['kind']!['kind 4']).toBe(1);
    expect(totalOf(answer)).toBe(idsOf(answer).length);
    const all = book([
      {
        scales: [
          { weight: 0, filter: 'price >= 0' },
          { weight: 2, ids: ['1'] },
        ],
      },
    ]);
    expect([idsOf(find({ q: 'red' }, all)), totalOf(find({}, all))]).toEqual([[], 0]);
  });

  test('apply to the index that they name, and to filters that it can evaluate', () => {
    const other = book([{ scales: [{ weight: 0, filter: 'price >= 0', indexUid: 'another' }] }]);
    const unknown = book([{ scales: [{ weight: 0, filter: 'title = "red"' }] }]);
    const plain = idsOf(find({ q: 'red' }, null));
    expect(idsOf(find({ q: 'red' }, other))).toEqual(plain);
    expect(idsOf(find({ q: 'red' }, unknown))).toEqual(plain);
  });

  test('a threshold is compared with the scaled score', () => {
    const plain = find({ q: 'red hen', showRankingScore: true, matchingStrategy: 'last' }, null).hits;
    const half = (plain[0]!._rankingScore as number) / 2;
    const ids = [String(plain[0]!.id)];
    const kept = find({ q: 'red hen', rankingScoreThreshold: half + 0.01 }, book([{ scales: [{ weight: 0.5, ids }] }]));
    expect(idsOf(kept)).not.toContain(plain[0]!.id);
    const last = plain.at(-1)!;
    const raised = book([{ scales: [{ weight: 100, ids: [String(last.id)] }] }]);
    const threshold = (last._rankingScore as number) + 0.01;
    expect(idsOf(find({ q: 'red hen', rankingScoreThreshold: threshold }, raised))[0]).toBe(last.id);
  });

  test('values of a sort rule that comes first decide before weights', async () => {
    const sorted = await openScratchIndex(DOCS, {
      sortableAttributes: ['price'],
      rankingRules: ['sort', 'words', 'typo'],
    });
    try {
      const request = { ...DEFAULT_REQUEST, q: 'red', sort: ['price:asc'], limit: COUNT };
      const ruleBook = book([{ scales: [{ weight: 9, ids: ['9', '19', '29', '39'] }] }]);
      const found = sorted.inView((view) => search(view, request, { ruleBook })).hits.map(({ price }) => price);
      expect(found).toEqual([...found].sort());
    } finally {
      await sorted.close();
    }
  });

  test('groups, distinct values and boolean queries keep to the order', () => {
    const best = idsOf(find({ q: 'red' }, null))
      .filter((id) => id % 5 !== 3)
      .at(-1)!;
    const hidden = { weight: 0, filter: 'kind = "kind 3"' };
    const rules = book([{ scales: [{ weight: 50, ids: [String(best)] }, hidden] }]);
    const grouped = find({ q: 'red', group: { by: 'kind', limit: 1 } }, rules);
    expect(grouped.groups!.map(({ value }) => value)).not.toContain('kind 3');
    expect(grouped.groups![0]).toMatchObject({ value: `kind ${best % 5}`, hits: [{ id: best }] });
    const distinct = idsOf(find({ q: 'red', distinct: 'kind' }, rules));
    expect(distinct[0]).toBe(best);
    expect(new Set(distinct.map((id) => id % 5)).size).toBe(distinct.length);
    expect(idsOf(find({ q: 'red OR fox', queryMode: 'boolean' }, rules))[0]).toBe(best);
  });

  test('matches are shown once', () => {
    const rules = book([{ scales: [{ weight: 2, filter: 'price > 4' }] }]);
    const request = { q: 'red', showMatchesPosition: true } as const;
    const positionsOf = (answer: SearchResponse): Map<unknown, unknown> =>
      new Map(answer.hits.map(({ id, _matchesPosition }) => [id, _matchesPosition]));
    expect(positionsOf(find(request, rules))).toEqual(positionsOf(find(request, null)));
  });

  test('more actions or weights than the limits are skipped', () => {
    const scales = [1.5, 2.5, 3.5].map((weight, at) => ({ weight, ids: [String(at)] }));
    const weightsOf = (limits: Partial<RuleLimits>): number =>
      find({ showRankingScoreDetails: true }, book([{ scales }], limits)).hits.filter(
        ({ _rankingScoreDetails }) => (_rankingScoreDetails as { scale?: object }).scale !== undefined,
      ).length;
    expect(weightsOf({})).toBe(3);
    expect(weightsOf({ scales: 2 })).toBe(2);
    expect(weightsOf({ weights: 3 })).toBe(2);
  });

  test('the earlier form of actions is a list of pins', () => {
    const listed = [{ selector: { id: '4', indexUid: 'films' }, action: { type: 'pin', position: 2 } }];
    expect(ruleActions(listed)).toEqual({ pins: [{ id: '4', indexUid: 'films', position: 2 }], scales: [] });
    expect(ruleActions({})).toEqual({ pins: [], scales: [] });
  });
});
