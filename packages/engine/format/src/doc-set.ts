import type { DocId, DocIds } from '@fossick/base';
import { ByteReader, ByteWriter } from './byte-codec.js';

/** The value for "no document"; it is above every docid. */
export const NO_DOCUMENT = 0xffffffff as DocId;

const LIST_FORM = 0;
const BITS_FORM = 1;

/** Documents of a page: 2 KiB of bits. */
export const PAGE_DOCS = 16_384;
export const PAGE_WORDS = PAGE_DOCS / 32;
const PAGE_SHIFT = 14;
const WORD_MASK = PAGE_WORDS - 1;

/**
 * A growable set of document ids in memory, in pages of PAGE_DOCS: an empty page takes no memory, so that a few documents of a large
 * index are a small set.
 */
export class DocSet {
  private readonly pages: (Uint32Array | undefined)[] = [];
  /** Documents in the set. */
  count = 0;

  has(docId: DocId): boolean {
    const page = this.pages[docId >>> PAGE_SHIFT];
    return page !== undefined && (page[(docId >>> 5) & WORD_MASK]! & (1 << (docId & 31))) !== 0;
  }

  /** Returns whether the set changed. */
  add(docId: DocId): boolean {
    const page = this.pageFor(docId >>> PAGE_SHIFT);
    const word = (docId >>> 5) & WORD_MASK;
    const bit = 1 << (docId & 31);
    if ((page[word]! & bit) !== 0) return false;
    page[word]! |= bit;
    this.count += 1;
    return true;
  }

  /** Returns whether the set changed. */
  delete(docId: DocId): boolean {
    if (!this.has(docId)) return false;
    this.pages[docId >>> PAGE_SHIFT]![(docId >>> 5) & WORD_MASK]! &= ~(1 << (docId & 31));
    this.count -= 1;
    return true;
  }

  clear(): void {
    this.pages.length = 0;
    this.count = 0;
  }

  /** One more than the number of the last page that may have documents. */
  get pageCount(): number {
    return this.pages.length;
  }

  /** The bits of a page, not to be modified; undefined when the page was never used. */
  page(number: number): Uint32Array | undefined {
    return this.pages[number];
  }

  /** Adds the documents of a page. O(page) */
  addPage(number: number, bits: Uint32Array): void {
    const page = this.pageFor(number);
    for (let word = 0; word < bits.length; word++) {
      const added = bits[word]! & ~page[word]!;
      if (added === 0) continue;
      page[word]! |= added;
      this.count += bitCount(added);
    }
  }

  /** Adds the documents of `other` that are not in `without`. O(pages) */
  addWithout(other: DocSet, without: DocSet): void {
    for (let number = 0; number < other.pages.length; number++) {
      const bits = other.pages[number];
      if (bits === undefined) continue;
      const left = without.pages[number];
      this.addPage(number, left === undefined ? bits : bits.map((word, at) => word & ~left[at]!));
    }
  }

  /** Intersects the set with another. O(pages) */
  keepOnly(other: DocSet): void {
    for (let number = 0; number < this.pages.length; number++) {
      const page = this.pages[number];
      const otherPage = other.pages[number];
      for (let word = 0; page !== undefined && word < PAGE_WORDS; word++) {
        const gone = page[word]! & ~(otherPage?.[word] ?? 0);
        if (gone === 0) continue;
        page[word]! &= ~gone;
        this.count -= bitCount(gone);
      }
    }
  }

  /** Ids in ascending order. */
  toArray(): DocIds {
    const docIds = new Uint32Array(this.count) as DocIds;
    let at = 0;
    for (let number = 0; number < this.pages.length; number++) {
      const page = this.pages[number];
      if (page === undefined) continue;
      const base = number * PAGE_DOCS;
      for (let word = 0; word < PAGE_WORDS; word++) {
        for (let bits = page[word]!; bits !== 0; bits &= bits - 1)
          docIds[at++] = (base + word * 32 + (31 - Math.clz32(bits & -bits))) as DocId;
      }
    }
    return docIds;
  }

  /** Lowest id; 0 when empty. */
  get first(): DocId {
    for (let number = 0; number < this.pages.length; number++) {
      const word = this.pages[number]?.findIndex((bits) => bits !== 0) ?? -1;
      if (word < 0) continue;
      const bits = this.pages[number]![word]!;
      return (number * PAGE_DOCS + word * 32 + (31 - Math.clz32(bits & -bits))) as DocId;
    }
    return 0 as DocId;
  }

  /** Highest id + 1; 0 when empty. */
  get bound(): number {
    for (let number = this.pages.length - 1; number >= 0; number--) {
      const bound = boundOf(this.pages[number]);
      if (bound > 0) return number * PAGE_DOCS + bound;
    }
    return 0;
  }

  /** The words of a kernel bitmap of `wordCount` words; bits beyond are dropped. */
  bitmapBytes(wordCount: number): Uint8Array {
    const bits = new Uint32Array(wordCount);
    for (let number = 0; number < this.pages.length; number++) {
      const page = this.pages[number];
      const from = number * PAGE_WORDS;
      if (page === undefined || from >= wordCount) continue;
      bits.set(from + PAGE_WORDS <= wordCount ? page : page.subarray(0, wordCount - from), from);
    }
    return new Uint8Array(bits.buffer);
  }

  private pageFor(number: number): Uint32Array {
    let page = this.pages[number];
    if (page === undefined) {
      page = new Uint32Array(PAGE_WORDS);
      this.pages[number] = page;
    }
    return page;
  }
}

/** Highest bit set + 1; 0 when there is none. */
export function boundOf(page: Uint32Array | undefined): number {
  if (page === undefined) return 0;
  for (let word = page.length - 1; word >= 0; word--) {
    const bits = page[word]!;
    if (bits !== 0) return word * 32 + 32 - Math.clz32(bits);
  }
  return 0;
}

/** Number of set bits of a 32-bit word. */
export function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** `[u8 0][varint count][varint deltas]` or `[u8 1][bits, little endian]`, whichever has the smaller upper bound. */
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
    for (let from = 0; from < words.length; from += PAGE_WORDS)
      set.addPage(from / PAGE_WORDS, words.subarray(from, from + PAGE_WORDS));
    return set;
  }
  const reader = new ByteReader(bytes, 1);
  for (const docId of reader.docIds()) set.add(docId);
  return set;
}
