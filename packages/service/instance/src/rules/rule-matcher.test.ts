import { expect, test, vi } from 'vitest';
import { ruleMatcher } from './rule-matcher.js';
import type { SearchRule } from './rule-store.js';

const rule = (description: string, words = ''): SearchRule => ({
  uid: 'a',
  description,
  lastUpdatedAt: '',
  precedence: null,
  active: true,
  conditions: { query: { words } },
  actions: [],
});

test.each([
  ['', true],
  ['winter', true],
  ['Wint', true],
  ['wint sale', false],
  ['winter Säle', true],
  ['sale boot', true],
  ['boot sale', false],
  ['boots sale', true],
  ['shoes', false],
])('a listing for %j shows the rule of a winter sale of boots: %s', (query, isShown) => {
  expect(ruleMatcher({ query })(rule('Winter sale', 'bööts'))).toBe(isShown);
  expect(ruleMatcher({ query, active: false })(rule('Winter sale', 'boots'))).toBe(false);
});

test('a word is compared with the words of a rule only as the prefix that ends the query', () => {
  const words = Array.from({ length: 2_000 }, (_, at) => `word${at}`).join(' ');
  const compare = vi.spyOn(String.prototype, 'startsWith');
  const normalize = vi.spyOn(String.prototype, 'normalize');
  const matches = ruleMatcher({ query: words });
  for (let each = 0; each < 3; each++) expect(matches(rule(words))).toBe(true);
  const [compared, normalized] = [compare.mock.calls.length, normalize.mock.calls.length];
  vi.restoreAllMocks();
  expect(compared).toBeLessThanOrEqual(3 * 2_000);
  expect(normalized).toBe(4);
});
