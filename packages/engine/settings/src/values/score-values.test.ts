import type { ErrorCode } from '@fossick/base';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RANKING_RULES } from '../ranking-rules.js';
import { rankingRules } from './attribute-values.js';
import { requestRankingRules } from './request-values.js';

const setting = rankingRules(DEFAULT_RANKING_RULES);
const request = requestRankingRules();
const terms = (count: number, term = '1'): string => Array.from({ length: count }, () => term).join('+');
const rules = (count: number) => Array.from({ length: count }, (_, at) => ({ score: `n + ${at}` }));

describe.each([
  ['settings', setting, 'invalid_settings_ranking_rules'],
  ['a request', request, 'invalid_search_ranking_rules'],
] as const)('scores in the ranking rules of %s', (_, kind, code: ErrorCode) => {
  const read = (value: unknown) => kind.parse(value, { code, path: 'rankingRules' });

  it.each<unknown>([
    { score: 'log(1 + popularity)', buckets: 8 },
    { score: 'decay(publishedAt, 30d)', buckets: null },
    { score: 'n', buckets: 2 },
    { score: 'n', buckets: 1_000 },
    { score: terms(50) },
    { score: terms(10, 'a').replace(/a/g, (_each, at: number) => `f${at}`) },
    { score: `${'('.repeat(14)}n${')'.repeat(14)}` },
    { score: `n + ${' '.repeat(900)}1` },
  ])('take %j', (rule) => {
    const { score, buckets = null } = rule as { score: string; buckets?: number | null };
    expect(read(['words', rule])).toEqual(['words', { score, buckets }]);
  });

  it.each<unknown>([
    {},
    { score: '' },
    { score: 3 },
    { score: null },
    { buckets: 3 },
    { score: 'n', other: 1 },
    { score: 'n', buckets: 1 },
    { score: 'n', buckets: 1_001 },
    { score: 'n', buckets: 2.5 },
    { score: 'n', buckets: '8' },
    { score: 'n +' },
    { score: 'n; process.exit()' },
    { score: 'constructor("x")()' },
    { score: terms(101) },
    { score: Array.from({ length: 11 }, (_each, at) => `f${at}`).join('+') },
    { score: `${'('.repeat(200)}n${')'.repeat(200)}` },
    { score: `n + ${' '.repeat(1_000)}1` },
    { score: '1 +'.repeat(1_000_000) },
    [{ score: 'n' }],
    7,
  ])('refuse %j', (rule) => {
    expect(() => read(['words', rule])).toThrow(expect.objectContaining({ code }));
  });

  it('are at most ten', () => {
    expect(read(rules(10))).toHaveLength(10);
    expect(() => read(rules(11))).toThrow(expect.objectContaining({ code, message: expect.stringContaining('10') }));
    expect(() => read(rules(10_000))).toThrow(expect.objectContaining({ code }));
  });
});

describe('the ranking rules of a query string', () => {
  const read = (text: string) => request.inQuery(text, { code: 'invalid_search_ranking_rules', path: 'rankingRules' });

  it('are names with commas, or JSON', () => {
    expect(read('words,year:desc')).toEqual(['words', 'year:desc']);
    expect(read('["words", {"score": "min(a, b)", "buckets": 8}, "year:desc"]')).toEqual([
      'words',
      { score: 'min(a, b)', buckets: 8 },
      'year:desc',
    ]);
  });

  it.each(['["words"', '[3]', '[{"score": "min("}]', '{"score": "n"}', 'nonsense'])('%s is refused', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid_search_ranking_rules' }));
  });
});
