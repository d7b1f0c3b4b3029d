import { readKhmerWords } from './khmer-words.js';
import { longestWords } from './longest-words.js';
import { readThaiWords } from './thai-words.js';
import { WordTrie } from './word-trie.js';

let thai: WordTrie | undefined;
let khmer: WordTrie | undefined;

/**
 * Cuts Thai text: the longest word at each place, else one character. Answers UTF-16 lengths. Loads
 * 62 000 words at its first call. O(length x longest word).
 */
export function segmentThai(piece: string): readonly number[] {
  thai ??= WordTrie.build(readThaiWords());
  return longestWords(piece, thai);
}

/** The same for Khmer, with ICU's 81 000 words. */
export function segmentKhmer(piece: string): readonly number[] {
  khmer ??= WordTrie.build(readKhmerWords());
  return longestWords(piece, khmer);
}
