import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findImpureQuestions } from './pure-questions.js';
import { readCheckout } from './source-file.js';

test('getters and predicates of the engine load nothing, make nothing and count nobody', () => {
  expect(findImpureQuestions(readCheckout(fileURLToPath(new URL('../..', import.meta.url))))).toEqual([]);
});

test('a getter or predicate that changes something is found', () => {
  const find = (member: string) =>
    findImpureQuestions([{ path: 'packages/engine/a/src/a.ts', text: `class A { ${member} }` }]);
  expect(find('get ptr() { this.loaded ??= read(); return this.loaded; }')).toEqual([
    'packages/engine/a/src/a.ts: get ptr assigns this.loaded',
  ]);
  expect(find('get byDocumentIfWorth() { return ++this.requests > 2 ? this.forward : null; }')).toHaveLength(1);
  expect(find('get words() { return this.held.load(); }')).toHaveLength(1);
  expect(find('usesMasks() { this.prepareMasked(); return true; }')).toHaveLength(1);
  expect(find('get size() { let sum = 0; sum += 1; return sum + this.counts[0]; }')).toEqual([]);
  expect(find('load() { this.loaded ??= read(); }')).toEqual([]);
  expect(find('isCommon() { return this.count > 1; }')).toEqual([]);
});
