import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PairDocs, PairListWriter } from '../bytes/pair-lists.js';
import { PairRange } from './pair-range.js';

const seed = TEST_SEED;

const shapes = fc.integer({ min: 7, max: 16 }).chain((rangeBits) =>
  fc.record({
    rangeBits: fc.constant(rangeBits),
    range: fc.nat(20),
    wordCount: fc.integer({ min: 1, max: 5 }),
    /** Words, documents and positions, whose order says which comes first. */
    tokens: fc.array(fc.tuple(fc.nat(4), fc.nat(2 ** rangeBits - 1), fc.nat(4), fc.nat(2)), { maxLength: 300 }),
    /** The first two words are side by side in all documents of the range. */
    isFull: fc.boolean(),
  }),
);

test('pairs of a range are its documents with a word right after another, whatever its size', () => {
  fc.assert(
    fc.property(shapes, ({ rangeBits, range, wordCount, tokens, isFull }) => {
      const size = 2 ** rangeBits;
      const first = range * size;
      const keysOf = Array.from({ length: wordCount }, () => new Map<number, Set<number>>());
      const add = (word: number, doc: number, key: number): void => {
        const keys = keysOf[word % wordCount]!;
        keys.set(doc, (keys.get(doc) ?? new Set()).add(key));
      };
      for (const [word, doc, position, field] of tokens) add(word, doc, field * 65_536 + position);
      for (let doc = 0; isFull && doc < size; doc++) for (const word of [0, 1]) add(word, doc, 65_536 + 30 + word);

      const pairs = new PairRange(first, rangeBits, wordCount);
      for (const keys of keysOf) {
        const flat: number[] = [];
        for (const doc of [...keys.keys()].sort((a, b) => a - b))
          for (const key of [...keys.get(doc)!].sort((a, b) => a - b)) flat.push(key, first + doc);
        pairs.add(Uint32Array.from(flat));
      }
      const steps = pairs.find();
      let step = steps.next();
      while (step.done !== true) step = steps.next();

      for (let pair = 0; pair < wordCount * wordCount; pair++) {
        const [left, right] = [keysOf[Math.floor(pair / wordCount)]!, keysOf[pair % wordCount]!];
        const expected: number[] = [];
        for (const [doc, keys] of right)
          if ([...keys].some((key) => key % 65_536 > 0 && left.get(doc)?.has(key - 1))) expected.push(first + doc);
        const out = new PairListWriter(rangeBits);
        out.append(step.value.docsOf(pair));
        const list = out.bytes;
        const docs = new PairDocs(rangeBits);
        docs.add(list, range);
        expect([...docs.docIds]).toEqual(expected.sort((a, b) => a - b));
        expect(list.length).toBeLessThanOrEqual(size / 8);
      }
    }),
    { seed, numRuns: 60 },
  );
});
