import type { TermOrdinal } from '@fossick/base';
import { describe, expect, it } from 'vitest';
import type { Dictionary } from '../ptr.js';
import type { FuzzyMatches } from './dictionaries.js';
import { Bed, seeded } from './dictionary-bed.test-support.js';
import { buildDictionary } from './dictionary-build.test-support.js';
import { osaDistance, prefixDistance, ReferenceDictionary } from './reference-dictionary.test-support.js';

const encoder = new TextEncoder();

const alphabets = {
  two: [...'ab'],
  four: [...'abcd'],
  accents: [...'aéèbß'],
  cyrillic: [...'абвгдежя'],
  han: [...'中文字典检索引擎东京'],
  mixed: [...'aéж中𐍈😀z', '\ud7ff', '\ue000', '\uffff'],
};

function randomWord(random: (below: number) => number, alphabet: readonly string[], longest: number): string {
  const length = 1 + random(longest);
  return Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
}

/** One or two random edits, transpositions among them. */
function mutate(random: (below: number) => number, alphabet: readonly string[], word: string): string {
  const letters = [...word];
  for (let edits = 1 + random(2); edits > 0; edits--) {
    const at = random(letters.length + 1);
    const letter = alphabet[random(alphabet.length)] as string;
    const kind = random(4);
    if (kind === 0) letters.splice(at, 0, letter);
    else if (kind === 1) letters.splice(at, 1);
    else if (kind === 2) letters.splice(at, 1, letter);
    else if (at > 0) letters.splice(at - 1, 2, ...letters.slice(at - 1, at + 1).reverse());
  }
  return letters.join('');
}

function readable(matches: FuzzyMatches, words: readonly string[]): string[] {
  return Array.from(matches.ordinals, (o, i) => `${words[o]}:${matches.distances[i]}:${matches.firstDiffers[i]}`);
}

describe.each(['fast', 'checked'] as const)('dictionary, %s build', (build) => {
  const bed = new Bed(build);
  const host = bed.kernel;

  function make(words: Iterable<string>): readonly [Dictionary, ReferenceDictionary] {
    const oracle = new ReferenceDictionary(words);
    const bytes = host.dictionaries.build(oracle.bytes);
    expect(Buffer.compare(bytes, buildDictionary(oracle.bytes))).toBe(0);
    return [bed.load(bytes), oracle];
  }

  function checkFuzzy(dictionary: Dictionary, oracle: ReferenceDictionary, query: string): void {
    for (const budget of [1, 2] as const) {
      for (const isPrefix of [false, true]) {
        const label = `${query} budget ${budget} prefix ${isPrefix}`;
        const found = readable(host.dictionaries.fuzzyWords(dictionary, query, budget, isPrefix), oracle.words);
        expect(found, label).toEqual(readable(oracle.fuzzyWords(query, budget, isPrefix), oracle.words));
      }
    }
  }

  it('has no words at pointer 0 nor when built from none', () => {
    const none = bed.load(host.dictionaries.build([]));
    for (const dictionary of [0, none] as const) {
      expect(host.dictionaries.size(dictionary)).toBe(0);
      expect(host.dictionaries.find(dictionary, encoder.encode('a'))).toBe(-1);
      expect(host.dictionaries.find(dictionary, new Uint8Array(0))).toBe(-1);
      expect(host.dictionaries.prefixRange(dictionary, new Uint8Array(0))).toEqual([0, 0]);
      expect(host.dictionaries.wordsBetween(dictionary, 0, 10)).toEqual([]);
      expect(() => host.dictionaries.wordAt(dictionary, 0 as TermOrdinal)).toThrow(RangeError);
      expect(host.dictionaries.fuzzyWords(dictionary, 'hello', 2, true).ordinals).toHaveLength(0);
    }
  });

  it('writes the bytes of docs/internals/kernel-dictionary.md', () => {
    const bytes = host.dictionaries.build(['car', 'care', 'cat'].map((word) => encoder.encode(word)));
    expect(Buffer.from(bytes).toString('hex')).toBe(
      '0300000010000000' + '40030d' + '4263610308' + 'c1720202' + '8165' + '8174',
    );
  });

  it('refuses unsorted, repeated and oversized words', () => {
    const bytes = (...words: string[]): Uint8Array[] => words.map((word) => encoder.encode(word));
    for (const words of [bytes('b', 'a'), bytes('a', 'a'), bytes('ab', 'a'), bytes('', ''), bytes('x'.repeat(1001))]) {
      expect(() => host.dictionaries.build(words)).toThrow(RangeError);
    }
  });

  it('keeps the empty word, a leading U+FEFF, astral characters and labels of every length', () => {
    const lengths = [1, 62, 63, 64, 127, 250, 255, 256, 999, 1000];
    const [dictionary, oracle] = make([
      '',
      '\ufeffword',
      '😀',
      '😁',
      ...lengths.map((n) => 'q'.repeat(n)),
      ...lengths.map((n) => `r${'s'.repeat(n - 1)}`),
    ]);
    expect(host.dictionaries.wordsBetween(dictionary, 0, 99)).toEqual(oracle.words);
    for (const [ordinal, word] of oracle.words.entries()) {
      expect(host.dictionaries.wordAt(dictionary, ordinal as TermOrdinal)).toBe(word);
      expect(host.dictionaries.find(dictionary, encoder.encode(word))).toBe(ordinal);
    }
    expect(host.dictionaries.find(dictionary, encoder.encode('q'.repeat(2000)))).toBe(-1);
    for (const letter of ['q', 'é', '😀'])
      for (const length of [400, 1001, 3000])
        expect(host.dictionaries.find(dictionary, letter.repeat(length))).toBe(-1);
    expect(host.dictionaries.find(dictionary, 'q'.repeat(1000))).toBe(oracle.findWord('q'.repeat(1000)));
    expect(host.dictionaries.prefixRange(dictionary, encoder.encode('q'.repeat(2000)))).toEqual([0, 0]);
  });

  it.each(Object.entries(alphabets))('cuts words in two as the oracle does: %s', (_name, alphabet) => {
    bed.forget();
    const random = seeded(alphabet.length + 1);
    const [left, leftOracle] = make(Array.from({ length: 150 }, () => randomWord(random, alphabet, 4)));
    const [right, rightOracle] = make(['', ...Array.from({ length: 150 }, () => randomWord(random, alphabet, 4))]);
    for (let i = 0; i < 200; i++) {
      const word = randomWord(random, alphabet, 8);
      const letters = [...word];
      const expected = letters.slice(1).flatMap((_letter, at) => {
        const [start, rest] = [letters.slice(0, at + 1).join(''), letters.slice(at + 1).join('')];
        const [a, b] = [leftOracle.findWord(start), rightOracle.findWord(rest)];
        return a < 0 || b < 0 ? [] : [encoder.encode(start).length, a, b];
      });
      expect([...host.dictionaries.cuts(left, right, word)], word).toEqual(expected);
      expect([...host.dictionaries.cuts(left, 0, word)]).toEqual([]);
      expect([...host.dictionaries.cuts(0, right, word)]).toEqual([]);
    }
  });

  it.each(Object.entries(alphabets))('finds words, prefixes and ranges as the oracle does: %s', (_name, alphabet) => {
    bed.forget();
    const random = seeded(alphabet.length);
    const [dictionary, oracle] = make(Array.from({ length: 400 }, () => randomWord(random, alphabet, 9)));
    expect(host.dictionaries.size(dictionary)).toBe(oracle.words.length);
    for (let i = 0; i < 300; i++) {
      const known = oracle.words[random(oracle.words.length)] as string;
      const word = random(2) === 0 ? randomWord(random, alphabet, 6) : known;
      const bytes = encoder.encode(word);
      expect(host.dictionaries.find(dictionary, bytes)).toBe(oracle.findWord(word));
      expect(host.dictionaries.find(dictionary, word)).toBe(oracle.findWord(word));
      const prefix = bytes.subarray(0, random(bytes.length + 1));
      expect(host.dictionaries.prefixRange(dictionary, prefix)).toEqual(oracle.prefixRange(prefix));
      const from = random(oracle.words.length);
      const to = random(oracle.words.length + 5);
      expect(host.dictionaries.wordsBetween(dictionary, from, to)).toEqual(
        oracle.words.slice(from, Math.max(from, to)),
      );
    }
  });

  it.each(Object.entries(alphabets))('finds typos as the oracle does: %s', (_name, alphabet) => {
    bed.forget();
    const random = seeded(99 + alphabet.length);
    for (let round = 0; round < 12; round++) {
      const longest = 3 + random(9);
      const seeds = Array.from({ length: 40 }, () => randomWord(random, alphabet, longest));
      const [dictionary, oracle] = make(seeds.flatMap((word) => [word, mutate(random, alphabet, word)]));
      for (let i = 0; i < 25; i++) {
        const base = seeds[random(seeds.length)] as string;
        checkFuzzy(dictionary, oracle, random(3) === 0 ? base : mutate(random, alphabet, base));
      }
    }
  });

  it('stops at 150 words of one typo and 50 of two', () => {
    bed.forget();
    const random = seeded(7);
    const letters = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + i * 3));
    const near = letters.flatMap((x) => [`hel${x}o`, `h${x}llo`, `${x}ello`, `he${x}lo${x}`]);
    for (const words of [
      near,
      near.filter((_, i) => i % 4 === 2),
      near.slice(0, 4 * 55),
      near.map((word) => (random(2) ? word : word + letters[random(300)])),
    ]) {
      const [dictionary, oracle] = make(words);
      for (const query of ['hello', 'hell', 'heo', '一ello']) checkFuzzy(dictionary, oracle, query);
    }
  });

  it('a first letter that differs counts as two typos', () => {
    const [dictionary, oracle] = make([
      'ello',
      'ehllo',
      'jello',
      'jellos',
      'hello',
      'help',
      'hallmark',
      'xhello',
      'yellow',
    ]);
    const names = (budget: 1 | 2, isPrefix: boolean): string[] =>
      readable(host.dictionaries.fuzzyWords(dictionary, 'hello', budget, isPrefix), oracle.words);
    expect(names(1, false)).toEqual([]);
    expect(names(2, false)).toEqual(['ehllo:1:1', 'ello:1:1', 'help:2:0', 'jello:1:1', 'xhello:1:1']);
    expect(names(2, true)).toEqual([
      'ehllo:1:1',
      'ello:1:1',
      'hallmark:2:0',
      'help:2:0',
      'jello:1:1',
      'jellos:1:1',
      'xhello:1:1',
      'yellow:1:1',
    ]);
    expect(readable(host.dictionaries.fuzzyWords(dictionary, 'hell', 1, true), oracle.words)).toEqual([
      'hallmark:1:0',
      'help:1:0',
    ]);
  });

  it('matches queries of up to 250 bytes and none beyond', () => {
    bed.forget();
    const [dictionary, oracle] = make([
      'a'.repeat(249),
      'a'.repeat(250),
      'é'.repeat(124),
      'é'.repeat(126),
      'a'.repeat(300),
    ]);
    for (const query of ['a'.repeat(250), 'a'.repeat(248), 'é'.repeat(125)]) checkFuzzy(dictionary, oracle, query);
    expect(host.dictionaries.fuzzyWords(dictionary, 'a'.repeat(251), 2, true).ordinals).toHaveLength(0);
    expect(host.dictionaries.fuzzyWords(dictionary, 'é'.repeat(126), 2, false).ordinals).toHaveLength(0);
    expect(host.dictionaries.fuzzyWords(dictionary, '', 2, true).ordinals).toHaveLength(0);
  });
});

describe('reference distances', () => {
  const cases = [
    ['ab', 'ba', 1],
    ['ca', 'abc', 3],
    ['', 'ab', 2],
    ['kitten', 'sitting', 3],
  ] as const;
  it.each(cases)('%s to %s', (a, b, distance) => {
    expect(osaDistance([...a], [...b])).toBe(distance);
  });

  it('settles at the first prefix that no start of the query is nearer to', () => {
    expect(prefixDistance([...'hallmark'], [...'hell'])).toBe(1);
    // 'ma' is two edits from 'mula', but one from 'mu': the rest of the query would have to follow, and does not
    expect(prefixDistance([...'mars'], [...'mula'])).toBe(3);
    expect(prefixDistance([...'ma'], [...'mula'])).toBe(2);
  });
});
