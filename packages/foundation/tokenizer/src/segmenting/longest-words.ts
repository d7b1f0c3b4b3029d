import type { WordTrie } from './word-trie.js';

/**
 * Cuts a piece by the longest word at each offset; where no word begins, one character is a word. Returns UTF-16
 * lengths. O(length x longest word).
 */
export function longestWords(piece: string, words: WordTrie): readonly number[] {
  const lengths: number[] = [];
  for (let at = 0; at < piece.length; ) {
    const length = words.longestMatch(piece, at, piece.length) || (piece.codePointAt(at)! > 0xffff ? 2 : 1);
    lengths.push(length);
    at += length;
  }
  return lengths;
}

/**
 * The same, but consecutive characters where no word begins are one piece, such as the unknown part of a compound.
 * O(length x longest word).
 */
export function longestWordsOrRuns(piece: string, words: WordTrie): readonly number[] {
  const lengths: number[] = [];
  let runStart = 0;
  for (let at = 0; at < piece.length; ) {
    const length = words.longestMatch(piece, at, piece.length);
    if (length === 0) {
      at += piece.codePointAt(at)! > 0xffff ? 2 : 1;
      continue;
    }
    if (runStart < at) lengths.push(at - runStart);
    lengths.push(length);
    at += length;
    runStart = at;
  }
  if (runStart < piece.length) lengths.push(piece.length - runStart);
  return lengths;
}
