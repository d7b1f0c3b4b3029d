import { Dictionary, type SharedDictionary } from '../dictionaries/dictionary.js';
import { longestWords } from './longest-words.js';
import { readKhmerWords, readThaiWords } from './southeast-asian-words.js';
import { WordTrie } from './word-trie.js';

const thai = new Dictionary(
  'thai',
  () => WordTrie.build(readThaiWords()).tables,
  (tables) => new WordTrie(tables),
);
const khmer = new Dictionary(
  'khmer',
  () => WordTrie.build(readKhmerWords()).tables,
  (tables) => new WordTrie(tables),
);

/**
 * Cuts Thai text: the longest word at each offset, else one character. Returns UTF-16 lengths. Loads 62 000 words at
 * its first call. O(length x longest word).
 */
export function segmentThai(piece: string): readonly number[] {
  return longestWords(piece, thai.get());
}

/** The same for Khmer, with ICU's 81 000 words. */
export function segmentKhmer(piece: string): readonly number[] {
  return longestWords(piece, khmer.get());
}

export function thaiDictionary(): SharedDictionary {
  return thai;
}

export function khmerDictionary(): SharedDictionary {
  return khmer;
}
