import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Selectors } from './select-fields.js';

/** Processor time of this process in milliseconds: independent of the machine's other load. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
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

it('a name of a million dots is indexed and looked up in linear time', () => {
  const long = 'a.'.repeat(1_000_000);
  const startedMs = cpuMs();
  const selectors = new Selectors([long, 'a']);
  expect([selectors.has('a'), selectors.hasBelow('a'), selectors.hasBelow(long)]).toEqual([true, true, false]);
  // building each of its prefixes would take minutes
  expect(cpuMs() - startedMs).toBeLessThan(5_000);
});
