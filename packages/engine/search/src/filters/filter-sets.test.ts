import { runsOf } from '@fossick/base/test-seed.test-support';
import { parseFilter } from '@fossick/filter';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openScratchIndex } from '../scratch-index.test-support.js';

/** Values with lone surrogates, accents, numbers and blanks among them. */
const value = fc.oneof(
  fc.constantFrom('', ' ', 'a', 'ab', 'aba', 'É', 'é', '1', '1.0', '01', ' x ', 'ﬁ', '\ud800', '\ufffd', 'aa', 'ba ab'),
  fc.string({ maxLength: 5 }),
  fc.integer({ min: -3, max: 3 }).map(String),
);

/** Reads the documents that a filter finds, in their order. */
async function finder(names: readonly (string | number)[]): Promise<{
  readonly find: (filter: string) => readonly number[];
  readonly close: () => Promise<void>;
}> {
  const documents = names.map((name, id) => ({ id, name }));
  const index = await openScratchIndex(documents, { filterableAttributes: ['name', 'id'] });
  return {
    find: (filter) =>
      index
        .search({ filter, limit: 1000 })
        .hits.map(({ id }) => id as number)
        .sort((a, b) => a - b),
    close: () => index.close(),
  };
}

test('a long IN finds what its values find one by one, many CONTAINS what each finds alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(value, fc.integer({ min: -3, max: 3 })), { minLength: 1, maxLength: 30 }),
      fc.array(value, { minLength: 5, maxLength: 12 }),
      async (names, wanted) => {
        const { find, close } = await finder(names);
        try {
          const quoted = wanted.map((text) => JSON.stringify(text));
          const either = (operator: string): string => quoted.map((text) => `name ${operator} ${text}`).join(' OR ');
          expect(find(`name IN [${quoted.join(', ')}]`)).toEqual(find(either('=')));
          const alone = new Set(quoted.flatMap((text) => find(`name CONTAINS ${text}`)));
          expect(find(either('CONTAINS'))).toEqual([...alone].sort((a, b) => a - b));
        } finally {
          await close();
        }
      },
    ),
    { numRuns: runsOf(40) },
  );
});

test('CONTAINS never joins two values', async () => {
  const { find, close } = await finder(['abc', 'abd', 'b', 'bcx', 'cab', 'zz']);
  expect(find('name CONTAINS "cab"')).toEqual([4]);
  expect(find('name CONTAINS "dbc"')).toEqual([]);
  expect(find('name CONTAINS bc')).toEqual([0, 3]);
  expect(
    find('name CONTAINS bc OR name CONTAINS z OR name CONTAINS zz OR name CONTAINS db OR name CONTAINS x'),
  ).toEqual([0, 3, 5]);
  await close();
});

test('a filter value of megabytes is cut before it is folded', () => {
  const filter = parseFilter(`name = "${' '.repeat(1_000_000)}${'1'.repeat(1_000_000)}x"`);
  expect(filter?.node.kind).toBe('compare');
});
