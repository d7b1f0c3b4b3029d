import type { LocalOrdinal } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildDictionary } from '../dictionaries/dictionary-build.test-support.js';
import { createKernel } from '../kernel.js';

const NO_DOCUMENT = 0xffffffff;
const encoder = new TextEncoder();
/** Few letters, so that words share prefixes; a zero byte, which the sort must not take for the end of a word. */
const word = fc
  .array(fc.constantFrom('a', 'b', 'é', '\u0000', '日', '😀', 'abcd'), { maxLength: 8 })
  .map((units) => units.join(''));

describe.each(['checked', 'fast'] as const)('word tables, %s build', (build) => {
  test('are sorted, complete and the dictionary that the host would write', () => {
    const kernel = createKernel({ build });
    const inverter = kernel.lists.createInverter();
    const idle = kernel.memory.allocatedBytes;
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.boolean()), { maxLength: 200 }), (words) => {
        words.forEach(([lemma, isExact], i) => {
          inverter.document(i as LocalOrdinal);
          inverter.add(inverter.term(lemma, isExact ? 1 : 0), i as LocalOrdinal, 7);
        });
        for (const table of [0, 1] as const) {
          const own = [...new Set(words.filter(([, isExact]) => isExact === (table === 1)).map(([lemma]) => lemma))];
          const bytes = own.map((lemma) => encoder.encode(lemma)).sort(Buffer.compare);
          const parts = inverter.table(table);
          expect(parts.wordCount).toBe(own.length);
          expect([...parts.dictionary]).toEqual([...buildDictionary(bytes)]);
          expect(parts.offsets.length).toBe(own.length + 1);
        }
        inverter.reset();
      }),
      { numRuns: 100 },
    );
    expect(kernel.memory.allocatedBytes).toBe(idle);
  });

  test('leave out documents without a docid, and words that only they had', () => {
    const kernel = createKernel({ build });
    const inverter = kernel.lists.createInverter();
    const occur = (ordinal: number, ...lemmas: string[]): void => {
      inverter.document(ordinal as LocalOrdinal);
      for (const [position, lemma] of lemmas.entries())
        inverter.add(inverter.term(lemma, 0), ordinal as LocalOrdinal, position);
    };
    occur(0, 'both', 'gone');
    occur(1, 'both');
    occur(2, 'both', 'new');
    inverter.setDocIds(Uint32Array.of(NO_DOCUMENT, 40, 9));
    const { dictionary, postings } = inverter.table(0);
    expect([...dictionary]).toEqual([...buildDictionary([encoder.encode('both'), encoder.encode('new')])]);
    const list = postings.slice();
    const docs = kernel.bitmaps.create(64);
    kernel.lists.orDocs(docs, { ptr: kernel.lists.scratch(list), deleted: 0 });
    expect([...kernel.bitmaps.members(docs, 0, 9)]).toEqual([9, 40]);
  });

  test('reject text that the walk does not handle, with no effect', () => {
    const inverter = createKernel({ build }).lists.createInverter();
    const classes = new Uint8Array(128);
    classes[32] = 1;
    classes[64] = 4;
    inverter.setRules({
      classes,
      isSymbol: () => false,
      classifiesAll: false,
      splitsNumbers: false,
      classify: () => ({ kind: 'skipped' }),
    });
    inverter.document(0 as LocalOrdinal);
    expect(inverter.addText('one @', 0, 0, 0)).toBe(-1);
    expect(inverter.addText('one é', 0, 0, 0)).toBe(-1);
    expect(inverter.addText('one 😀', 0, 0, 0)).toBe(-1);
    expect(inverter.addText('one \ud83d', 0, 0, 0)).toBe(-1);
    expect(inverter.addText('one two', 0, 0, 5)).toBe(6);
    expect(inverter.emitted).toBe(2);
    expect(inverter.table(0).wordCount).toBe(2);
    expect(() => inverter.term('x'.repeat(251), 0)).toThrow(RangeError);
  });
});
