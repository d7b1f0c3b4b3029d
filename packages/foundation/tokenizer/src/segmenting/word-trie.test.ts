import { describe, expect, it } from 'vitest';
import { longestWords, longestWordsOrRuns } from './longest-words.js';
import { trieOf, WordTrie } from './word-trie.js';

/** mulberry32: the seed is printed with every failure. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('word trie', () => {
  it('finds what it holds and nothing else, like a set', () => {
    const seed = 20_240_611;
    const random = randomFrom(seed);
    const word = (): string =>
      Array.from({ length: 1 + random() * 6 }, () => 'abcกข𝒳'.at(random() * 7) ?? 'z').join('');
    const words = new Set(Array.from({ length: 2000 }, word));
    const trie = trieOf(words);
    for (const one of words) expect(trie.has(one), `seed ${seed}: ${one}`).toBe(true);
    for (let round = 0; round < 2000; round++) {
      const text = word() + word();
      const longest = Math.max(0, ...[...words].filter((one) => text.startsWith(one)).map((one) => one.length));
      expect(trie.longestMatch(text, 0, text.length), `seed ${seed}: ${text}`).toBe(longest);
    }
  });

  it('keeps a number for each word', () => {
    const trie = WordTrie.build(['a', 'ab', 'b'], Uint32Array.of(7, 0, 4_294_967_294));
    const number = (word: string): number =>
      trie.numberAt([...word].reduce((node, char) => trie.child(node, char.charCodeAt(0)), 0));
    expect([number('a'), number('ab'), number('b')]).toEqual([7, 0, 4_294_967_294]);
    expect(trie.numberAt(0)).toBe(-1);
    expect(trie.child(0, 'c'.charCodeAt(0))).toBe(0);
  });

  it('refuses words out of order', () => {
    expect(() => WordTrie.build(['b', 'a'])).toThrow(RangeError);
    expect(() => WordTrie.build(['a', 'a'])).toThrow(RangeError);
    expect(() => WordTrie.build([''])).toThrow(RangeError);
  });

  it('stays inside the end it is given', () => {
    expect(trieOf(['a', 'abc']).longestMatch('abc', 0, 2)).toBe(1);
  });
});

describe('longest words', () => {
  const words = trieOf(['ab', 'abc', 'd']);
  const cut = (segment: typeof longestWords, text: string): string[] => {
    let at = 0;
    return segment(text, words).map((length) => {
      at += length;
      return text.slice(at - length, at);
    });
  };

  it('takes the longest word, else a character', () => {
    expect(cut(longestWords, 'abcabxy𝒳d')).toEqual(['abc', 'ab', 'x', 'y', '𝒳', 'd']);
  });

  it('joins characters that are no word', () => {
    expect(cut(longestWordsOrRuns, 'xyabcq𝒳dz')).toEqual(['xy', 'abc', 'q𝒳', 'd', 'z']);
    expect(cut(longestWordsOrRuns, '')).toEqual([]);
  });
});
