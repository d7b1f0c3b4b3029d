import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NamedParents } from './named-parents.js';

test('finds the names that end at a dot of a path, shortest first', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'a!', ''), { minLength: 1, maxLength: 5 })
    .map((keys) => keys.join('.'));
  const property = fc.property(fc.array(name, { maxLength: 8 }), name, (names, path) => {
    const slowly = [...new Set(names)].filter((other) => path.startsWith(`${other}.`));
    expect(new NamedParents(names).above(path)).toEqual(slowly.sort((a, b) => a.length - b.length));
  });
  fc.assert(property, { numRuns: 2_000 });
});

// building each of its prefixes took minutes
test('a path of 500,000 dots costs its length, not its square', () => {
  const path = 'a.'.repeat(500_000);
  expect(new NamedParents(['a', 'a.a', 'b', path]).above(path)).toEqual(['a', 'a.a']);
}, 30_000);
