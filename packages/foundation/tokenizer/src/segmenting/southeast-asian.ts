import { utf8Text } from '@fossick/base';
import { Dictionary, type SharedDictionary } from '../dictionaries/dictionary.js';
import { readOwnFile } from '../dictionaries/package-file.js';
import { longestWords } from './longest-words.js';
import { WordTrie } from './word-trie.js';

/** Smaller bytes begin a word: the number of units it shares with the previous one. */
const FIRST_CHARACTER = 0x20;
const FIRST_THAI_BYTE = 0x81;
const THAI_OF_BYTE = 0x0e00 - 0x80;
const ELLIPSIS = 0x2026;

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

/**
 * PyThaiNLP's 62 055 Thai words, distinct and in order of their UTF-16 units. The file is front-coded, one byte for
 * each unit, as tools/data/make-thai-words.mjs writes it. O(total length).
 */
export function readThaiWords(): string[] {
  const bytes = readOwnFile('dictionaries/thai.gz');
  const words: string[] = [];
  let previous = '';
  for (let at = 0; at < bytes.length; ) {
    const shared = bytes[at++]!;
    const units: number[] = [];
    while (at < bytes.length && bytes[at]! >= FIRST_CHARACTER) units.push(unitOf(bytes[at++]!));
    previous = previous.slice(0, shared) + String.fromCharCode(...units);
    words.push(previous);
  }
  return words;
}

function unitOf(byte: number): number {
  if (byte < 0x80) return byte;
  return byte < FIRST_THAI_BYTE ? ELLIPSIS : byte + THAI_OF_BYTE;
}

/** ICU's 81 028 Khmer words, distinct and in order of their UTF-16 units. O(total length). */
export function readKhmerWords(): string[] {
  return utf8Text(readOwnFile('dictionaries/khmer.gz')).trimEnd().split('\n');
}
