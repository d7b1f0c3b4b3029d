import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Selectors } from './select-fields.js';

/** How often `work` takes parts of a text or compares its beginning: what goes through the dots of a name does so for each. */
function textCallsOf(work: () => void): number {
  const spies = (['slice', 'substring', 'indexOf', 'lastIndexOf', 'startsWith', 'split'] as const).map((name) =>
    vi.spyOn(String.prototype, name),
  );
  work();
  const count = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  return count;
}

it('selectors below a path are its extensions after a dot, for any names', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'ab', '.', '-', '\u{1f600}', ''), { maxLength: 6 })
    .map((list) => list.join(''));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), fc.array(name, { minLength: 1, maxLength: 6 }), (names, paths) => {
      const selectors = new Selectors(names);
      for (const path of paths) {
        expect([path, selectors.has(path)]).toEqual([path, names.includes(path)]);
        expect([path, selectors.hasBelow(path)]).toEqual([path, names.some((one) => one.startsWith(`${path}.`))]);
      }
    }),
    { numRuns: 2_000, seed: 20_261_122 },
  );
});

it('a name of a million dots is indexed and looked up as one of two: none of its prefixes is built', () => {
  const [few, many] = [2, 1_000_000].map((dots) => {
    const long = 'a.'.repeat(dots);
    const found: boolean[] = [];
    const calls = textCallsOf(() => {
      const selectors = new Selectors([long, 'a']);
      found.push(selectors.has('a'), selectors.hasBelow('a'), selectors.hasBelow(long));
    });
    expect(found).toEqual([true, true, false]);
    return calls;
  });
  expect(many).toBe(few);
});
