import { expect, test } from 'vitest';
import { type CachedResult, QueryResultCache } from './query-result-cache.js';

const answerOf = (size: number): CachedResult => ({ hits: Buffer.alloc(size), before: '', after: '', hitCount: 0 });

test('an answer is found again under its key alone', () => {
  const answers = new QueryResultCache(100_000);
  const kept = answerOf(10);
  answers.add('a', kept);
  expect(answers.get('a')).toBe(kept);
  expect(answers.get('b')).toBeUndefined();
});

test('used entries stay, unused ones are evicted', () => {
  const answers = new QueryResultCache(100_000);
  answers.add('wanted', answerOf(1000));
  answers.add('forgotten', answerOf(1000));
  for (let i = 0; i < 200; i++) {
    answers.add(`filler ${i}`, answerOf(1000));
    expect(answers.get('wanted')).toBeDefined();
  }
  expect(answers.get('forgotten')).toBeUndefined();
});

test('the bound holds', () => {
  const answers = new QueryResultCache(100_000);
  const keys = Array.from({ length: 500 }, (_, i) => `key ${i}`);
  for (const key of keys) answers.add(key, answerOf(1000));
  const found = keys.filter((key) => answers.get(key) !== undefined);
  expect(found.length).toBeGreaterThan(20);
  expect(found.length * 1000).toBeLessThan(100_000);
});

test('an answer larger than its share is not cached, nor is any without memory for it', () => {
  const answers = new QueryResultCache(100_000);
  answers.add('large', answerOf(20_000));
  expect(answers.get('large')).toBeUndefined();
  const none = new QueryResultCache(0);
  none.add('a', answerOf(1));
  expect(none.get('a')).toBeUndefined();
});
