import { createTokenizer, DictionaryMissing, withoutReading } from '@fossick/tokenizer';
import { expect, it } from 'vitest';
import { withDictionariesSync } from './with-dictionaries.js';

const cut = (text: string): string[] =>
  createTokenizer({})
    .tokenize(text)
    .map(({ lemma }) => lemma);

it('repeats work with the missing dictionary, and passes on other errors', () => {
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
