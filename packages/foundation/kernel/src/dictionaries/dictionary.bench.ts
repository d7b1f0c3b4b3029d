import { bench, describe } from 'vitest';
import { Bed, seeded } from './dictionary-bed.test-support.js';
import { ReferenceDictionary } from './reference-dictionary.test-support.js';

const WORD_COUNT = 100_000;

const random = seeded(1);
const onsets = ['b', 'c', 'd', 'f', 'g', 'h', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'st', 'tr', 'ch', ''];
const rimes = ['a', 'e', 'i', 'o', 'u', 'er', 'on', 'al', 'in'];
const syllables = onsets.flatMap((onset) => rimes.map((rime) => onset + rime));
const words = new Set<string>();
while (words.size < WORD_COUNT) {
  // The inner draw makes the first syllables frequent, as in text.
  words.add(Array.from({ length: 2 + random(4) }, () => syllables[random(1 + random(syllables.length))]).join(''));
}
const { words: sorted, bytes } = new ReferenceDictionary(words);
const bed = new Bed('fast');
const dictionary = bed.load(bed.kernel.dictionaries.build(bytes));
const queries = Array.from({ length: 500 }, () => {
  const word = sorted[random(sorted.length)] as string;
  const at = random(word.length - 1);
  return word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
});

let turn = 0;
const nextQuery = (): string => queries[turn++ % queries.length] as string;

describe(`${WORD_COUNT} words`, () => {
  bench('build', () => void bed.kernel.dictionaries.build(bytes));
  bench('budget 1', () => void bed.kernel.dictionaries.fuzzyWords(dictionary, nextQuery(), 1, false));
  bench('budget 1, prefix', () => void bed.kernel.dictionaries.fuzzyWords(dictionary, nextQuery(), 1, true));
  bench('budget 2', () => void bed.kernel.dictionaries.fuzzyWords(dictionary, nextQuery(), 2, false));
  bench('budget 2, prefix', () => void bed.kernel.dictionaries.fuzzyWords(dictionary, nextQuery(), 2, true));
  bench('findWord', () => void bed.kernel.dictionaries.find(dictionary, bytes[turn++ % bytes.length] as Uint8Array));
});
