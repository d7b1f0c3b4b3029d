import { charEnd, comparableChar, comparableForm } from './comparable.js';
import { trieOf, type WordTrie } from './segmenting/word-trie.js';

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
