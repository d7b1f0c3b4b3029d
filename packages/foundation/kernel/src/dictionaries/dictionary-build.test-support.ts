import { DICTIONARY_WORD_BYTES_MAX } from '../layout.js';

/** Bytes before the root node: u32 word count, u32 byte size of the tree. */
export const DICTIONARY_HEADER_BYTES = 8;

const TERMINAL = 0x80;
const INNER = 0x40;
/** Label lengths from here on take two bytes of their own. */
const LENGTH_ESCAPE = 0x3f;
/** Flags, an escaped label length and two numbers of at most five bytes. */
const NODE_BYTES_MAX = 13;

/**
 * Serialises byte-sorted, distinct words as a radix tree (docs/internals/kernel-dictionary.md). O(total bytes).
 * Throws a RangeError when the words are unsorted, repeated or longer than DICTIONARY_WORD_BYTES_MAX.
 */
export function buildDictionary(words: readonly Uint8Array[]): Uint8Array {
  return new TreeWriter(words).finish();
}

/** Writes from the end of its buffer to the start: a node's children are done, and measured, before its header. */
class TreeWriter {
  private readonly words: readonly Uint8Array[];
  /** shared[i]: bytes that word i has in common with word i - 1. */
  private readonly shared: Uint16Array;
  private readonly buffer: Uint8Array;
  private at: number;

  constructor(words: readonly Uint8Array[]) {
    this.words = words;
    this.shared = new Uint16Array(words.length);
    let byteCount = DICTIONARY_HEADER_BYTES + NODE_BYTES_MAX;
    for (let i = 0; i < words.length; i++) {
      const word = words[i] as Uint8Array;
      if (word.length > DICTIONARY_WORD_BYTES_MAX) {
        throw new RangeError(`dictionary word ${i} has ${word.length} bytes, more than ${DICTIONARY_WORD_BYTES_MAX}`);
      }
      if (i > 0) this.shared[i] = sharedLength(words[i - 1] as Uint8Array, word, i);
      // A word adds a leaf and splits at most one node.
      byteCount += word.length + 2 * NODE_BYTES_MAX;
    }
    this.buffer = new Uint8Array(byteCount);
    this.at = byteCount;
  }

  finish(): Uint8Array {
    const count = this.words.length;
    if (count === 0) this.writeByte(0);
    else this.writeRoot(count);
    const treeBytes = this.buffer.length - this.at;
    this.at -= DICTIONARY_HEADER_BYTES;
    const header = new DataView(this.buffer.buffer, this.at, DICTIONARY_HEADER_BYTES);
    header.setUint32(0, count, true);
    header.setUint32(4, treeBytes, true);
    return this.buffer.slice(this.at);
  }

  /** The root has an empty label, so that walks start the same in every dictionary. */
  private writeRoot(count: number): void {
    const isWord = this.words[0]?.length === 0;
    const end = this.at;
    this.writeChildren(isWord ? 1 : 0, count, 0);
    this.writeHeader(isWord, count, end, 0, 0, 0);
  }

  /** Writes the children of the words [from, to) below the first `depth` bytes, which they share. */
  private writeChildren(from: number, to: number, depth: number): void {
    let groupEnd = to;
    for (let i = to - 1; i >= from; i--) {
      if (i > from && (this.shared[i] as number) > depth) continue;
      this.writeNode(i, groupEnd, depth);
      groupEnd = i;
    }
  }

  /** Writes the node of the words [from, to): nodes above hold their first `depth` bytes, and they share at least one more. */
  private writeNode(from: number, to: number, depth: number): void {
    const first = this.words[from] as Uint8Array;
    let labelEnd = first.length;
    for (let i = from + 1; i < to; i++) labelEnd = Math.min(labelEnd, this.shared[i] as number);
    const isWord = first.length === labelEnd;
    const end = this.at;
    this.writeChildren(isWord ? from + 1 : from, to, labelEnd);
    this.writeHeader(isWord, to - from, end, from, depth, labelEnd);
  }

  /** Writes what precedes the children: flags, label (bytes [start, stop) of a word), and counts where there are any. */
  private writeHeader(isWord: boolean, count: number, end: number, word: number, start: number, stop: number): void {
    const childBytes = end - this.at;
    if (childBytes > 0) {
      this.writeVarint(childBytes);
      this.writeVarint(count);
    }
    const length = stop - start;
    const bytes = this.words[word] as Uint8Array;
    for (let i = stop - 1; i >= start; i--) this.writeByte(bytes[i] as number);
    const flags = (isWord ? TERMINAL : 0) | (childBytes > 0 ? INNER : 0);
    if (length < LENGTH_ESCAPE) {
      this.writeByte(flags | length);
      return;
    }
    this.writeByte(length >>> 8);
    this.writeByte(length & 0xff);
    this.writeByte(flags | LENGTH_ESCAPE);
  }

  private writeByte(value: number): void {
    this.buffer[--this.at] = value;
  }

  /** Little-endian base 128, written from its last byte backwards. */
  private writeVarint(value: number): void {
    let shift = 0;
    while (shift < 28 && value >>> (shift + 7) !== 0) shift += 7;
    this.writeByte((value >>> shift) & 0x7f);
    for (shift -= 7; shift >= 0; shift -= 7) this.writeByte(((value >>> shift) & 0x7f) | 0x80);
  }
}

function sharedLength(left: Uint8Array, right: Uint8Array, index: number): number {
  const length = Math.min(left.length, right.length);
  let i = 0;
  while (i < length && left[i] === right[i]) i++;
  const isSorted = i < right.length && (i === left.length || (left[i] as number) < (right[i] as number));
  if (!isSorted) throw new RangeError(`dictionary words ${index - 1} and ${index} are not in byte order or are equal`);
  return i;
}
