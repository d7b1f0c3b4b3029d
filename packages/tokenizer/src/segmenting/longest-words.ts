import type { WordTrie } from './word-trie.js';

/**
 * Cuts a piece by the longest word at each place; where none begins, one character is a word of its own. Answers
 * UTF-16 lengths. O(length x longest word).
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
 * The same, but characters where no word begins are gathered to one piece that lasts until a word does begin: what a
 * compound's unknown parts are. O(length x longest word).
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
