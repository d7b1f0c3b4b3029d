import { expect, it } from 'vitest';
import { ruleOfText, ruleText } from './rule-text.js';

it.each([
  ['words', 'words'],
  [{ score: 'log(1 + popularity)', buckets: null }, 'score(log(1 + popularity))'],
  [{ score: '(a + b) * 2', buckets: 8 }, 'score((a + b) * 2) in 8 buckets'],
])('the rule %j is shown as %s, which is read as the same rule', (rule, text) => {
  expect(ruleText(rule)).toBe(text);
  expect(ruleOfText(text)).toEqual(rule);
});
