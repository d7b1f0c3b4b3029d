/** `CONTAINS` on attributes of the setting `substringAttributes` against a plain scan of the documents. */
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { normalizeFacet } from '@fossick/tokenizer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const seed = TEST_SEED;

const part = fc.oneof(
  fc.array(fc.constantFrom('a', 'b', 'c', 'É', ' ', '京都', '1'), { maxLength: 8 }).map((letters) => letters.join('')),
  fc.string({ maxLength: 6 }),
);
const value = fc.oneof(
  part,
  part,
  fc.array(part, { maxLength: 3 }),
  fc.integer({ min: -9, max: 9 }),
  fc.constant(null),
);

interface Stored {
  readonly id: number;
  readonly name: string | number | null | readonly string[];
}

const textsOf = ({ name }: Stored): readonly string[] =>
  Array.isArray(name) ? name : typeof name === 'string' ? [name] : [];

/** Ids of the documents with a text that contains the other one, both normalised. */
function scanned(documents: Iterable<Stored>, wanted: string): number[] {
  const found = [...documents].filter((each) => textsOf(each).some((text) => normalizeFacet(text).includes(wanted)));
  return found.map(({ id }) => id).sort((a, b) => a - b);
}

function found(index: ScratchIndex, filter: string): number[] {
  return index
    .idsOf({ filter, limit: 1_000 })
    .map(Number)
    .sort((a, b) => a - b);
}

test(`finds what a scan finds, in new, merged, changed and rebuilt segments (seed ${seed})`, async () => {
  const property = fc.asyncProperty(
    fc.array(fc.array(fc.tuple(fc.nat(30), value), { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 }),
    fc.array(
      part.filter((text) => text.trim() !== ''),
      { minLength: 4, maxLength: 8 },
    ),
    async (batches, wanted) => {
      const index = await openScratchIndex([], {
        filterableAttributes: ['name', 'id'],
        searchableAttributes: ['name'],
        substringAttributes: ['name'],
      });
      try {
        const documents = new Map<number, Stored>();
        const check = (): void => {
          const quoted = wanted.map((text) => `name CONTAINS ${JSON.stringify(text)}`);
          const each = wanted.map((text) => scanned(documents.values(), normalizeFacet(text)));
          expect(quoted.map((filter) => found(index, filter))).toEqual(each);
          const either = [...new Set(each.flat())].sort((a, b) => a - b);
          expect(found(index, quoted.join(' OR '))).toEqual(either);
          expect(found(index, `NOT ${quoted[0]}`)).toEqual(
            [...documents.keys()].filter((id) => !each[0]!.includes(id)).sort((a, b) => a - b),
          );
        };
        for (const batch of batches) {
          const added = new Map(batch.map(([id, name]) => [id, { id, name }]));
          await index.add([...added.values()]);
          for (const [id, document] of added) documents.set(id, document);
        }
        check();
        await index.merge();
        check();
        await index.change({ substringAttributes: null });
        check();
        await index.change({ substringAttributes: ['*'] });
        check();
      } finally {
        await index.close();
      }
    },
  );
  await fc.assert(property, { seed, numRuns: 12 });
});
