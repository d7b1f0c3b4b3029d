import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { readContradicted, withoutContradicted } from './contradicted.mjs';

interface Named {
  readonly difference: string;
  readonly category: string;
  readonly request: object;
}

it('names a row of the page of differences for each recorded answer', () => {
  const page = readFileSync(new URL('../../docs/reference/differences.md', import.meta.url), 'utf8');
  const named = Object.values(readContradicted() as Record<string, Named[]>).flat();
  expect(named.length).toBeGreaterThan(0);
  for (const { difference } of named) expect(page).toContain(`\n| ${difference} | `);
});

it('leaves out what is named and fails, and nothing else', () => {
  const figures = [
    { name: 'movies/word', passed: 1, total: 4 },
    { name: 'movies/two words', passed: 2, total: 2 },
  ];
  const failures = [
    { category: 'word', request: { q: 'a' }, difference: 'x' },
    { category: 'word', request: { q: 'b' }, difference: 'x' },
    { category: 'word', request: { q: 'a', limit: 1 }, difference: 'x' },
  ];
  const named = [
    { difference: 'signs', category: 'word', request: { q: 'a' } },
    { difference: 'signs', category: 'two words', request: { q: 'b' } },
  ];
  expect(withoutContradicted(figures, failures, named)).toEqual([
    { name: 'movies/word', passed: 1, total: 3 },
    { name: 'movies/two words', passed: 2, total: 2 },
  ]);
});
