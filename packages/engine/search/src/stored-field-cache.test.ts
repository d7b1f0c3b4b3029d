import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openScratchIndex } from './scratch-index.test-support.js';

const COUNT = 80;
/** More than the cache holds, a few in each chunk: chunks of dropped hits are used again, also while a hit moves from the older half to the newer. */
const documents = Array.from({ length: COUNT }, (_, id) => ({
  id,
  text: `${id}${id % 7 === 0 ? 'ü' : 'x'}`.repeat(25_000 + ((id * 7_919) % 16_000)),
}));

it(`hits are those of their documents, however often the cache drops some (seed ${TEST_SEED})`, async () => {
  const index = await openScratchIndex(documents, { searchableAttributes: ['id'] });
  try {
    const page = fc.record({ offset: fc.nat(COUNT - 1), limit: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(page, { minLength: 1, maxLength: 20 }), (pages) => {
        for (const { offset, limit } of pages) {
          const { hits } = JSON.parse(index.searchText({ offset, limit })) as { hits: unknown };
          expect(hits).toEqual(documents.slice(offset, offset + limit));
        }
      }),
      { seed: TEST_SEED, numRuns: 20 },
    );
  } finally {
    await index.close();
  }
});
