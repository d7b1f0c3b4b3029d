import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern, PatternList, PrefixTable, type RankedPattern } from './index.js';

/** Few letters, so that names and patterns meet. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 6 });
const pattern = fc.tuple(word, fc.constantFrom('x', 'x*', '*x', '*x*', '*')).map(([x, kind]) => kind.replace('x', x));
const ranked = fc.array(fc.tuple(pattern, fc.nat(9)), { maxLength: 40 });

function modelRank(patterns: readonly RankedPattern[], names: readonly string[]): number {
  const ranks = patterns.flatMap(([each, rank]) => (names.some((name) => matchesPattern(each, name)) ? [rank] : []));
  return Math.min(Number.POSITIVE_INFINITY, ...ranks);
}
/** A field and its parents that have a name. */
function withParents(field: string): string[] {
  const names: string[] = [];
  for (let end = field.length; end > 0; end = field.lastIndexOf('.', end - 1)) names.push(field.slice(0, end));
  return names;
}

describe('a list of patterns', () => {
  it('finds the rule that a look at one pattern after the other finds', () => {
    fc.assert(
      fc.property(ranked, word, (patterns, field) => {
        expect(new PatternList(patterns, 'field').rankOf(field)).toBe(modelRank(patterns, [field]));
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds the same where patterns also match parents', () => {
    fc.assert(
      fc.property(ranked, word, (patterns, field) => {
        expect(new PatternList(patterns, 'fieldOrParent').rankOf(field)).toBe(modelRank(patterns, withParents(field)));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('a table of prefixes', () => {
  it('finds the least rank of the texts that another begins with', () => {
    const entries = fc.array(fc.tuple(word, fc.nat(99)), { maxLength: 60 });
    fc.assert(
      fc.property(entries, word, (texts, text) => {
        const ranks = texts.flatMap(([each, rank]) => (text.startsWith(each) ? [rank] : []));
        expect(new PrefixTable(texts).rankOf(text)).toBe(Math.min(Number.POSITIVE_INFINITY, ...ranks));
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds it where thousands of texts begin with each other', () => {
    const table = new PrefixTable(Array.from({ length: 5_000 }, (_, i) => ['a'.repeat(i + 1), 10_000 - i]));
    for (const length of [1, 2, 3, 999, 4_999, 5_000])
      expect(table.rankOf(`${'a'.repeat(length)}b`)).toBe(10_001 - length);
  });
});
