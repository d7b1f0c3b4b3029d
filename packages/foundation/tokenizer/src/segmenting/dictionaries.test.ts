import { expect, it } from 'vitest';
import { DictionaryMissing, type DictionaryName, withoutReading } from '../dictionaries/dictionary.js';
import { createTokenizer } from '../tokenizer.js';
import { giveDictionary, readDictionary } from './dictionaries.js';

const TEXTS: readonly (readonly [name: DictionaryName, locale: string, text: string])[] = [
  ['german', 'deu', 'Donaudampfschifffahrtsgesellschaft Apfelbaum'],
  ['chinese', 'cmn', '海贼王是尾田荣一郎创作的日本漫画系列'],
  ['japanese', 'jpn', '関西国際空港限定トートバッグ'],
  ['korean', 'kor', '학교에서 한국의여왕을'],
  ['thai', 'tha', 'ภาษาไทยง่ายนิดเดียว'],
  ['khmer', 'khm', 'ប្រទេសកម្ពុជា'],
];
const cut = (locale: string, text: string): string[] =>
  createTokenizer({})
    .tokenize(text, [locale])
    .map(({ lemma }) => lemma);

it.each(
  TEXTS,
)('%s cuts alike by tables that came from another thread, and is not read where that is off', (name, locale, text) => {
  // A thread reads each dictionary once, so the order of these cases matters: each comes before its dictionary is read.
  let missing: unknown;
  try {
    withoutReading(() => cut(locale, text));
  } catch (error) {
    missing = error;
  }
  expect(missing).toBeInstanceOf(DictionaryMissing);
  expect((missing as DictionaryMissing).dictionary).toBe(name);
  const { tables, buffers } = readDictionary(name);
  expect(buffers.length).toBeGreaterThan(0);
  giveDictionary(name, structuredClone(tables, { transfer: [...buffers] }));
  const given = withoutReading(() => cut(locale, text));
  expect(given.length).toBeGreaterThan(1);
  expect(given.join('|')).toMatchSnapshot();
});

it('passes on results and errors of work, and reads dictionaries again afterwards', () => {
  expect(withoutReading(() => withoutReading(() => 1) + 1)).toBe(2);
  expect(() =>
    withoutReading(() => {
      throw new RangeError('of the work');
    }),
  ).toThrow(RangeError);
});
