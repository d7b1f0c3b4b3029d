import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSortedWords, SortedWords } from './morpheme-file.js';

/** Encoded as tools/data/make-korean-dictionary.mjs does. */
function coded(words: readonly Buffer[]): Buffer {
  let previous: Buffer = Buffer.alloc(0);
  return Buffer.concat(
    words.map((word) => {
      let shared = 0;
      while (shared < previous.length && word[shared] === previous[shared]) shared++;
      previous = word;
      return Buffer.concat([Buffer.from([shared, word.length - shared]), word.subarray(shared)]);
    }),
  );
}

it('finds every word at a place, the shortest first, as looking for each of them does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\u00e9', '\ud55c', '\u{20bb7}'), maxLength: 6 });
  fc.assert(
    fc.property(fc.uniqueArray(text.filter((word) => word !== '')), text, (given, around) => {
      const words = given.map((word) => Buffer.from(word)).sort(Buffer.compare);
      const sorted = new SortedWords(readSortedWords(coded(words), words.length));
      const bytes = Buffer.from(around + given.join(''));
      for (let start = 0; start < bytes.length; start++) {
        const found: [number, string][] = [];
        sorted.visit(bytes, start, (end, word) => found.push([end, words[word]!.toString('hex')]));
        const expected = words
          .filter((word) => bytes.subarray(start, start + word.length).equals(word))
          .map((word) => [start + word.length, word.toString('hex')])
          .sort(([a], [b]) => Number(a) - Number(b));
        expect(found).toEqual(expected);
      }
    }),
  );
});

it('refuses another number of words', () => {
  expect(() => readSortedWords(coded([Buffer.from('a')]), 2)).toThrow(RangeError);
});
