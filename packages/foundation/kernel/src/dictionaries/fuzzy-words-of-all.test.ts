import { describe, expect, it } from 'vitest';
import type { Dictionary } from '../ptr.js';
import type { FuzzyWords } from './dictionaries.js';
import { Bed, seeded } from './dictionary-bed.test-support.js';
import { ReferenceDictionary } from './reference-dictionary.test-support.js';

describe.each(['fast', 'checked'] as const)('typos in several dictionaries, %s build', (build) => {
  const bed = new Bed(build);
  const host = bed.kernel;

  function load(words: readonly string[]): readonly [dictionary: Dictionary, oracle: ReferenceDictionary] {
    const oracle = new ReferenceDictionary(words);
    return [bed.load(host.dictionaries.build(oracle.bytes)), oracle];
  }

  /** The result of one dictionary of all words, words of one typo first. */
  function expected(oracle: ReferenceDictionary, query: string, budget: 1 | 2, isPrefix: boolean): string[][] {
    const { ordinals, distances, firstDiffers } = oracle.fuzzyWords(query, budget, isPrefix);
    const [one, two]: [string[], string[]] = [[], []];
    for (const [at, ordinal] of ordinals.entries()) {
      const isTwo = distances[at] === 2 || (budget === 2 && firstDiffers[at] === 1 && two.length < 50);
      (isTwo ? two : one).push(oracle.words[ordinal]!);
    }
    return [one, two];
  }

  function check(parts: readonly (readonly string[])[], query: string): void {
    bed.forget();
    const loaded = parts.map((words) => (words.length === 0 ? ([0, null] as const) : load(words)));
    const all = new ReferenceDictionary(parts.flat());
    const dictionaries = loaded.map(([dictionary]) => dictionary);
    for (const budget of [1, 2] as const)
      for (const isPrefix of [false, true]) {
        const found = host.dictionaries.fuzzyWordsOfAll(dictionaries, query, budget, isPrefix);
        const label = `${query} budget ${budget} prefix ${isPrefix}`;
        expect([found.oneCount, found.twoCount], label).toEqual(
          expected(all, query, budget, isPrefix).map(({ length }) => length),
        );
        const words = expected(all, query, budget, isPrefix).flat();
        expect(rows(found, dictionaries.length), label).toEqual(
          words.map((word) => loaded.map(([, oracle]) => oracle?.findWord(word) ?? -1)),
        );
      }
  }

  const rows = ({ oneCount, twoCount, ordinals }: FuzzyWords, width: number): number[][] =>
    Array.from({ length: oneCount + twoCount }, (_, at) => [...ordinals.subarray(at * width, (at + 1) * width)]);

  it('finds what one dictionary of all words would', () => {
    const random = seeded(20);
    const letters = [...'abcé中😀'];
    const word = (): string => Array.from({ length: 1 + random(7) }, () => letters[random(letters.length)]).join('');
    for (let round = 0; round < 60; round++) {
      const words = Array.from({ length: 120 }, word);
      const parts = Array.from({ length: 1 + random(6) }, () => words.filter(() => random(3) === 0));
      for (let i = 0; i < 6; i++) check(parts, random(2) === 0 ? words[random(words.length)]! : word());
    }
  });

  it('keeps as many of one typo and of two as one dictionary, wherever they are', () => {
    const random = seeded(21);
    const signs = Array.from({ length: 300 }, (_, at) => String.fromCodePoint(0x4e00 + at * 3));
    const near = signs.flatMap((x) => [`hel${x}o`, `h${x}llo`, `${x}ello`, `he${x}lo${x}`]);
    for (const share of [1, 2, 3, 20]) {
      const parts = Array.from({ length: 4 }, () => near.filter(() => random(share) === 0));
      for (const query of ['hello', 'hell', '一ello']) check(parts, query);
    }
  });

  it('takes long words, the empty word, and no dictionary at all', () => {
    const long = 'a'.repeat(1_000);
    check([['', 'b', long], [], ['a', long, `${long.slice(1)}b`]], 'a');
    check([[long], [long.slice(0, 999)]], 'aaab');
    expect(host.dictionaries.fuzzyWordsOfAll([], 'hello', 2, true)).toEqual(
      expect.objectContaining({ oneCount: 0, twoCount: 0 }),
    );
    expect(host.dictionaries.fuzzyWordsOfAll([0, 0], 'hello', 2, true).ordinals).toHaveLength(0);
  });
});
