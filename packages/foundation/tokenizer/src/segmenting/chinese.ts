import { Dictionary, type SharedDictionary } from '../dictionaries/dictionary.js';
import { readOwnFile } from '../dictionaries/package-file.js';
import { type TrieTables, WordTrie } from './word-trie.js';

const ASCII_WORD = /^[0-9A-Za-z]+$/;
/** Characters that jieba looks up in its dictionary; any other is a word of its own. */
const DICTIONARY_RUN =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2EBEF}\u{2F800}-\u{2FA1F}a-zA-Z0-9+#&._%-]+/gu;

interface Jieba {
  /** A trie of words; their numbers are frequencies. */
  readonly words: WordTrie;
  readonly logTotal: number;
}

const jieba = new Dictionary('chinese', readJieba, ({ words, logTotal }): Jieba => {
  return { words: new WordTrie(words), logTotal };
});

/**
 * Cuts Chinese text: the most probable path through jieba's dictionary; words longer than two characters are cut again
 * into words of two, else three, else one, so that parts of compounds are found. Returns UTF-16 lengths. Loads the
 * dictionary (5 MB of text, and as much memory) at its first call. O(length x longest word).
 */
export function segmentChinese(piece: string): readonly number[] {
  const dictionary = jieba.get();
  const lengths: number[] = [];
  let end = 0;
  for (const run of piece.matchAll(DICTIONARY_RUN)) {
    pushChars(piece.slice(end, run.index), lengths);
    end = run.index + run[0].length;
    cutRun(run[0], dictionary, lengths);
  }
  pushChars(piece.slice(end), lengths);
  return lengths;
}

const SPACE = 0x20;

function readJieba(): { readonly words: TrieTables; readonly logTotal: number } {
  // jieba's own dictionary without its tags: a line `word frequency` for each word, distinct and in order
  const bytes = readOwnFile('dictionaries/chinese.gz');
  const units = new Uint16Array(bytes.length);
  let starts: Uint32Array = new Uint32Array(1 << 19);
  let frequencies: Uint32Array = new Uint32Array(starts.length);
  let unitCount = 0;
  let count = 0;
  let total = 0;
  for (let at = 0; at < bytes.length; ) {
    let end = at;
    while (bytes[end] !== SPACE) end++;
    unitCount = decodeInto(units, unitCount, bytes, at, end);
    at = end;
    let frequency = 0;
    for (let digit = bytes[++at]! - 0x30; digit >= 0 && digit <= 9; digit = bytes[++at]! - 0x30) {
      frequency = frequency * 10 + digit;
    }
    if (count + 1 === starts.length) {
      starts = doubled(starts);
      frequencies = doubled(frequencies);
    }
    frequencies[count++] = frequency;
    starts[count] = unitCount;
    total += frequency;
    at++;
  }
  const words = WordTrie.buildFromUnits(units, starts.subarray(0, count + 1), frequencies);
  return { words: words.tables, logTotal: Math.log(total) };
}

/** Decodes the UTF-8 bytes [from, to) into units from index `at` on; returns the index after the last. */
function decodeInto(units: Uint16Array, at: number, bytes: Uint8Array, from: number, to: number): number {
  let slot = at;
  for (let byte = from; byte < to; ) {
    const first = bytes[byte++]!;
    const more = (): number => bytes[byte++]! & 0x3f;
    if (first < 0x80) units[slot++] = first;
    else if (first < 0xe0) units[slot++] = ((first & 0x1f) << 6) | more();
    else if (first < 0xf0) units[slot++] = ((first & 0x0f) << 12) | (more() << 6) | more();
    else {
      const point = ((first & 0x07) << 18) | (more() << 12) | (more() << 6) | more();
      units[slot++] = 0xd7c0 + (point >> 10);
      units[slot++] = 0xdc00 + (point & 0x3ff);
    }
  }
  return slot;
}

function doubled(numbers: Uint32Array): Uint32Array {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

function pushChars(text: string, lengths: number[]): void {
  for (const char of text) lengths.push(char.length);
}

/** Cuts a run of dictionary characters; consecutive single ASCII letters and digits are one word. */
function cutRun(run: string, dictionary: Jieba, lengths: number[]): void {
  const ends = bestEnds(run, dictionary);
  let plainStart = -1;
  for (let at = 0; at < run.length; ) {
    const end = ends[at]!;
    const isPlain = end === at + 1 && run.charCodeAt(at) < 0x80 && ASCII_WORD.test(run[at]!);
    if (isPlain) {
      if (plainStart < 0) plainStart = at;
    } else {
      if (plainStart >= 0) lengths.push(at - plainStart);
      plainStart = -1;
      recut(run.slice(at, end), dictionary.words, lengths);
    }
    at = end;
  }
  if (plainStart >= 0) lengths.push(run.length - plainStart);
}

/** For each offset, the end of the first word of the most probable cut of the rest of the run. */
function bestEnds(run: string, { words, logTotal }: Jieba): Uint32Array {
  const length = run.length;
  const ends = new Uint32Array(length);
  const scores = new Float64Array(length + 1);
  for (let at = length - 1; at >= 0; at--) {
    let best = Number.NEGATIVE_INFINITY;
    let bestEnd = 0;
    let node = 0;
    for (let end = at; end < length; ) {
      node = words.child(node, run.charCodeAt(end++));
      if (node === 0) break;
      const frequency = words.numberAt(node);
      if (frequency < 0) continue;
      const score = Math.log(frequency) - logTotal + scores[end]!;
      // Ties go to the longer word, which comes later.
      if (score >= best) {
        best = score;
        bestEnd = end;
      }
    }
    if (bestEnd === 0) {
      // No word begins here: the character counts as a word of frequency 1.
      bestEnd = at + (run.codePointAt(at)! > 0xffff ? 2 : 1);
      best = scores[bestEnd]! - logTotal;
    }
    ends[at] = bestEnd;
    scores[at] = best;
  }
  return ends;
}

function recut(word: string, words: WordTrie, lengths: number[]): void {
  const chars = [...word];
  if (chars.length <= 2 || ASCII_WORD.test(word)) {
    lengths.push(word.length);
    return;
  }
  for (let at = 0; at < chars.length; ) {
    const size = [2, 3].find((count) => at + count <= chars.length && words.has(chars.slice(at, at + count).join('')));
    const taken = chars.slice(at, at + (size ?? 1));
    lengths.push(taken.join('').length);
    at += taken.length;
  }
}

export function chineseDictionary(): SharedDictionary {
  return jieba;
}
