import { ByteReader, ByteWriter } from './byte-codec.js';

const LIST_FORM = 0;
const BITS_FORM = 1;

/**
 * A growable set of document ids in plain memory: what the writer knows of live and dead documents. One bit a
 * document.
 */
export class DocSet {
  private words = new Uint32Array(16);
  /** Documents in the set. */
  count = 0;

  has(docId: number): boolean {
    return ((this.words[docId >>> 5] ?? 0) & (1 << (docId & 31))) !== 0;
  }

  /** Answers whether the set changed. */
  add(docId: number): boolean {
    const word = docId >>> 5;
    if (word >= this.words.length) this.grow(word + 1);
    const bit = 1 << (docId & 31);
    if ((this.words[word]! & bit) !== 0) return false;
    this.words[word]! |= bit;
    this.count += 1;
    return true;
  }

  /** Answers whether the set changed. */
  delete(docId: number): boolean {
    if (!this.has(docId)) return false;
    this.words[docId >>> 5]! &= ~(1 << (docId & 31));
    this.count -= 1;
    return true;
  }

  clear(): void {
    this.words.fill(0);
    this.count = 0;
  }

  copy(): DocSet {
    const other = new DocSet();
    other.words = this.words.slice();
    other.count = this.count;
    return other;
  }

  /** The least id >= from that is not in the set. */
  nextFree(from: number): number {
    let docId = from;
    while (this.has(docId))
      docId = (docId & 31) === 0 && this.words[docId >>> 5] === 0xffffffff ? docId + 32 : docId + 1;
    return docId;
  }

  /** Ids in ascending order. */
  toArray(): Uint32Array {
    const docIds = new Uint32Array(this.count);
    let at = 0;
    for (let word = 0; word < this.words.length; word++) {
      for (let bits = this.words[word]!; bits !== 0; bits &= bits - 1) {
        docIds[at++] = word * 32 + (31 - Math.clz32(bits & -bits));
      }
    }
    return docIds;
  }

  /** Highest id + 1; 0 when empty. */
  get bound(): number {
    for (let word = this.words.length - 1; word >= 0; word--) {
      const bits = this.words[word]!;
      if (bits !== 0) return word * 32 + 32 - Math.clz32(bits);
    }
    return 0;
  }

  /** The words of a kernel bitmap of `wordCount` words (bits beyond are cut). */
  bitmapBytes(wordCount: number): Uint8Array {
    const bits = new Uint32Array(wordCount);
    bits.set(this.words.subarray(0, Math.min(wordCount, this.words.length)));
    return new Uint8Array(bits.buffer);
  }

  private grow(wordCount: number): void {
    const larger = new Uint32Array(Math.max(wordCount, this.words.length * 2));
    larger.set(this.words);
    this.words = larger;
  }
}

/** `[u8 0][varint count][varint deltas]` or `[u8 1][bits, little endian]`, whichever is certain to be smaller. */
export function encodeDocSet(set: DocSet): Uint8Array {
  const bound = set.bound;
  const bitBytes = Math.ceil(bound / 32) * 4;
  if (set.count * 2 >= bitBytes && bitBytes > 0) {
    const bytes = new Uint8Array(1 + bitBytes);
    bytes[0] = BITS_FORM;
    bytes.set(set.bitmapBytes(bitBytes / 4), 1);
    return bytes;
  }
  const writer = new ByteWriter(16 + set.count * 5);
  writer.byte(LIST_FORM);
  writer.docIds(set.toArray());
  return writer.bytes();
}

/** The inverse of encodeDocSet. */
export function decodeDocSet(bytes: Uint8Array): DocSet {
  const set = new DocSet();
  if (bytes[0] === BITS_FORM) {
    const words = new Uint32Array(bytes.slice(1).buffer);
    for (let word = 0; word < words.length; word++) {
      for (let bits = words[word]!; bits !== 0; bits &= bits - 1) set.add(word * 32 + (31 - Math.clz32(bits & -bits)));
    }
    return set;
  }
  const reader = new ByteReader(bytes, 1);
  for (const docId of reader.docIds()) set.add(docId);
  return set;
}
