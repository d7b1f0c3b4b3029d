import type { DocId, LocalOrdinal } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKernel } from './kernel.js';
import { postingListIn, type TermId } from './ptr.js';

/** Documents of a list of one block at least, whose widest gap has this many bits, and the occurrences of one of them. */
const lists = fc.record({
  gaps: fc.array(fc.nat(2 ** 22 - 1), { minLength: 128, maxLength: 270 }),
  bits: fc.nat(31),
  widest: fc.nat(127),
  occurrenceCount: fc.integer({ min: 1, max: 600 }),
});

describe.each(['checked', 'fast'] as const)('blocks of posting lists, %s build', (build) => {
  const kernel = createKernel({ build });

  test('gaps and counts of any width are read as they were written, within any bitmap', () => {
    const check = ({ gaps, bits, widest, occurrenceCount }: typeof lists extends fc.Arbitrary<infer T> ? T : never) => {
      const mark = kernel.memory.mark();
      const inverter = kernel.lists.createInverter();
      let next = 0;
      const docIds = Uint32Array.from(gaps, (gap, at) => {
        const doc = next + (at === widest ? 2 ** bits - 1 : gap % 2 ** bits);
        next = doc + 1;
        return doc;
      });
      for (const at of docIds.keys())
        for (let n = at === widest ? occurrenceCount : 1; n > 0; n--) inverter.add(0 as TermId, at as LocalOrdinal, n);
      inverter.setDocIds(docIds);
      const { postings } = inverter.encode(Uint32Array.of(0));
      inverter.reset();
      const list = { ptr: postingListIn(kernel.memory.scratchBytes(postings), 0), deleted: 0 as const };
      expect(Buffer.compare(kernel.lists.merge([list]), postings)).toBe(0);

      // ends within the block, and lacks most documents
      const universe = kernel.bitmaps.create(Math.min(docIds[90]!, 100_000) + 1);
      const wanted = [...docIds].filter((doc, at) => doc < kernel.bitmaps.bitCapacity(universe) && at % 7 < 2);
      for (const doc of wanted) kernel.bitmaps.set(universe, doc as DocId);
      const found = kernel.tables.entries(kernel.tables.gather([list], universe)).filter((_, at) => at % 2 === 1);
      expect([...new Set(found)]).toEqual(wanted);
      kernel.memory.release(mark);
    };
    fc.assert(fc.property(lists, check), { numRuns: 200 });
  });
});
