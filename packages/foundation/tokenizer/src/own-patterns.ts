/** Separators and dictionary words of the settings, and the form in which words of the settings are compared with texts: without case, accents and forms of compatibility. */
import { CodeSet } from './code-set.js';
import { NONSPACING_MARK_RANGES } from './data/letters.js';
import type { Language } from './language.js';
import { decompose, fold, isPrintableAscii } from './normalize.js';
import { trieOf, type WordTrie } from './segmenting/word-trie.js';

const MARKS = new CodeSet(NONSPACING_MARK_RANGES);
const FIRST_MARK = 0x300;
/** More marks than this on one character are not of a language. */
const MARKS_MAX = 8;
const CACHE_SIZE = 32_768;
const forms = new Map<string, string>();
const swedishForms = new Map<string, string>();

/**
 * The comparable form of a text, made of those of its characters, so that it does not depend on what stands around it. Letters that
 * Swedish keeps stay where that is the language. O(length).
 */
export function comparableForm(text: string, language?: Language): string {
  if (isPrintableAscii(text)) return text.toLowerCase();
  const isSwedish = language === 'swe';
  const decomposed = isSwedish ? decompose(text, language) : text;
  let form = '';
  for (let at = 0; at < decomposed.length; ) {
    const end = charEnd(decomposed, at, decomposed.length);
    form += comparableChar(decomposed.slice(at, end), isSwedish);
    at = end;
  }
  return form === '' ? text : form;
}

/** The end of the character at `at`, with the marks on it. */
export function charEnd(text: string, at: number, end: number): number {
  let next = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
  for (let marks = 0; next < end && marks < MARKS_MAX; marks++) {
    const code = text.codePointAt(next)!;
    if (code < FIRST_MARK || !MARKS.has(code)) break;
    next += code > 0xffff ? 2 : 1;
  }
  return next;
}

/** The comparable form of one character with its marks; empty where words are indexed without it. */
export function comparableChar(char: string, isSwedish = false): string {
  const cache = isSwedish ? swedishForms : forms;
  let form = cache.get(char);
  if (form === undefined) {
    const decomposed = decompose(char, isSwedish ? 'swe' : undefined);
    // Han characters stay, as in Japanese: their variants are in a dictionary, which most settings never need
    form = fold(decomposed, isSwedish ? 'swe' : 'jpn');
    // An accent alone decomposes to a space with a mark, and is no space; control characters may be separators.
    if (decomposed === '' || (decomposed.startsWith(' ') && char.trim() !== '')) form = char;
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(char, form);
  }
  return form;
}

/** A word does not go on after so many characters that are not indexed: each is read once for each word before it. */
const SKIPPED_MAX = 8;
const UNKNOWN = 0;
const BEGINS = 1;
const NONE = 2;

/** The separators and dictionary words of the settings, which cut a text wherever its comparable form is theirs. */
export class OwnPatterns {
  private readonly trie: WordTrie;
  /** By UTF-16 unit: whether a pattern begins with it. Most units begin none. */
  private readonly beginnings = new Uint8Array(0x10000);

  constructor(patterns: readonly string[]) {
    this.trie = trieOf(patterns.map((pattern) => comparableForm(pattern)));
  }

  /** UTF-16 length of the longest pattern at `at` that ends by `end`; 0 when none does. O(length of the pattern). */
  matchLength(text: string, at: number, end: number): number {
    const unit = text.charCodeAt(at);
    if (this.beginnings[unit] === NONE) return 0;
    let longest = 0;
    let node = 0;
    let skipped = 0;
    for (let next = at; next < end && skipped < SKIPPED_MAX; ) {
      const from = next;
      next = charEnd(text, next, end);
      const form = comparableChar(text.slice(from, next));
      skipped = form === '' ? skipped + 1 : 0;
      node = this.after(node, form);
      if (from === at && !isSurrogate(unit) && this.beginnings[unit] === UNKNOWN)
        this.beginnings[unit] = this.after(0, comparableChar(text[at]!)) === 0 ? NONE : BEGINS;
      if (node === 0) break;
      if (this.trie.numberAt(node) >= 0) longest = next - at;
    }
    return longest;
  }

  /** Whether this character alone is a pattern. */
  has(char: string): boolean {
    const node = this.after(0, comparableChar(char));
    return node !== 0 && this.trie.numberAt(node) >= 0;
  }

  /** Whether a pattern of more characters begins with this one. */
  isBeginning(char: string): boolean {
    const node = this.after(0, comparableChar(char));
    return node !== 0 && this.trie.hasChildren(node);
  }

  /** The node after a form; 0 when no pattern goes on so. */
  private after(from: number, form: string): number {
    let node = from;
    for (let at = 0; at < form.length; at++) {
      node = this.trie.child(node, form.charCodeAt(at));
      if (node === 0) return 0;
    }
    return node;
  }
}

const isSurrogate = (unit: number): boolean => (unit & 0xf800) === 0xd800;
