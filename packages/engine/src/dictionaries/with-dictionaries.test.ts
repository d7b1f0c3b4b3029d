import { createTokenizer, DictionaryMissing, withoutReading } from '@fossick/tokenizer';
import { expect, it } from 'vitest';
import { withDictionariesSync } from './with-dictionaries.js';

const cut = (text: string): string[] =>
  createTokenizer({})
    .tokenize(text)
    .map(({ lemma }) => lemma);

it('begins work anew with the dictionary that it lacks, and leaves other faults as they are', () => {
  expect(() => withoutReading(() => cut('ភាសាខ្មែរ'))).toThrow(DictionaryMissing);
  let begun = 0;
  const work = (): string[] => {
    begun += 1;
    return cut('ភាសាខ្មែរ');
  };
  expect(withDictionariesSync(work).length).toBeGreaterThan(0);
  expect(begun).toBe(2);
  expect(() =>
    withDictionariesSync(() => {
      throw new RangeError('of the work');
    }),
  ).toThrow(RangeError);
});
