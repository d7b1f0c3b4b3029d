/**
 * Which texts of a sorted list have which trigram: three consecutive bytes of UTF-8. A text that contains another has all its trigrams, so that few texts need to be
 * compared. The bytes are drawn in docs/internals/storage-layout.md.
 */
import { partitionPoint } from '@fossick/base';
import { ByteReader } from './byte-codec.js';

/** Text i is text[textOffsets[i]..textOffsets[i + 1]]. */
export interface TrigramTexts {
  readonly text: Uint8Array;
  readonly textOffsets: Uint32Array;
}

/** A copy of bytes [from, to) of a stored table. */
export type ReadBytes = (from: number, to: number) => Uint8Array;

const TRIGRAM_BYTES = 3;
/** A byte that no UTF-8 text contains: twice after a text whose end is marked. */
const END = 0xff;
/** Number of trigrams, bytes of their head. */
const HEAD_BYTES = 8;
/** A list with this many more bytes than texts are left costs more to read than these to compare. */
const READ_SHARE = 16;

/** Numbers for trigrams in the order of their first occurrence: a hash table of two arrays. */
class TrigramNumbers {
  private slots = new Uint32Array(1 << 12);
  private mask = this.slots.length - 1;
  /** The trigram of each number. */
  trigrams = new Uint32Array(1 << 11);
  count = 0;

  /** The number of a trigram, a new one for a new trigram. O(1) */
  add(trigram: number): number {
    let slot = this.slotOf(trigram);
    for (let known = this.slots[slot]!; known !== 0; known = this.slots[slot]!) {
      if (this.trigrams[known - 1] === trigram) return known - 1;
      slot = (slot + 1) & this.mask;
    }
    if (this.count === this.trigrams.length) {
      this.grow();
      return this.add(trigram);
    }
    this.trigrams[this.count] = trigram;
    this.slots[slot] = ++this.count;
    return this.count - 1;
  }

  private slotOf(trigram: number): number {
    return (Math.imul(trigram, 0x9e3779b1) >>> 8) & this.mask;
  }

  /** At most half of the slots are full. */
  private grow(): void {
    const larger = new Uint32Array(this.trigrams.length * 2);
    larger.set(this.trigrams);
    this.trigrams = larger;
    this.slots = new Uint32Array(larger.length * 2);
    this.mask = this.slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      let slot = this.slotOf(larger[number]!);
      while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask;
      this.slots[slot] = number + 1;
    }
  }
}

/** Lists the texts with each trigram, in two passes over the texts: for the sizes of the lists, and for the lists. */
class TrigramEncoder {
  private readonly texts: TrigramTexts;
  private readonly marksEnds: boolean;
  private readonly numbers = new TrigramNumbers();
  /** By trigram: the text it was found in last, plus one. */
  private latest = new Uint32Array(0);
  /** By trigram: the bytes of its list, then where it continues. */
  private places = new Float64Array(0);

  constructor(texts: TrigramTexts, marksEnds: boolean) {
    this.texts = texts;
    this.marksEnds = marksEnds;
  }

  encode(): Uint8Array {
    this.visit((number, gap) => {
      this.places[number]! += varintBytes(gap);
    });
    const { count, trigrams } = this.numbers;
    if (count === 0) return new Uint8Array(0);
    const order = Uint32Array.from({ length: count }, (_, number) => number).sort(
      (a, b) => trigrams[a]! - trigrams[b]!,
    );
    let headBytes = 0;
    let listBytes = 0;
    let before = 0;
    for (const number of order) {
      headBytes += varintBytes(trigrams[number]! - before) + varintBytes(this.places[number]!);
      listBytes += this.places[number]!;
      before = trigrams[number]!;
    }
    const bytes = new Uint8Array(HEAD_BYTES + headBytes + listBytes);
    new DataView(bytes.buffer).setUint32(0, count, true);
    new DataView(bytes.buffer).setUint32(4, headBytes, true);
    let at = HEAD_BYTES;
    let listAt = HEAD_BYTES + headBytes;
    before = 0;
    for (const number of order) {
      const size = this.places[number]!;
      at = writeVarint(bytes, writeVarint(bytes, at, trigrams[number]! - before), size);
      before = trigrams[number]!;
      this.places[number] = listAt;
      listAt += size;
    }
    this.latest.fill(0);
    this.visit((number, gap) => {
      this.places[number] = writeVarint(bytes, this.places[number]!, gap);
    });
    return bytes;
  }

  /** Calls with each trigram of each text once, and the distance to the text that had it before. */
  private visit(each: (number: number, gap: number) => void): void {
    const { text, textOffsets } = this.texts;
    for (let index = 0; index + 1 < textOffsets.length; index++) {
      const end = textOffsets[index + 1]!;
      const last = this.marksEnds ? end : end - TRIGRAM_BYTES + 1;
      for (let at = textOffsets[index]!; at < last; at++) {
        const second = at + 1 < end ? text[at + 1]! : END;
        const third = at + 2 < end ? text[at + 2]! : END;
        const number = this.numbers.add((text[at]! << 16) | (second << 8) | third);
        if (number >= this.latest.length) this.grow();
        const latest = this.latest[number]!;
        if (latest === index + 1) continue;
        this.latest[number] = index + 1;
        each(number, index + 1 - latest);
      }
    }
  }

  private grow(): void {
    const length = this.numbers.trigrams.length;
    const latest = new Uint32Array(length);
    latest.set(this.latest);
    this.latest = latest;
    const places = new Float64Array(length);
    places.set(this.places);
    this.places = places;
  }
}

function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  return value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let to = at;
  let rest = value;
  while (rest >= 0x80) {
    bytes[to++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[to++] = rest;
  return to;
}

/**
 * The trigram table of texts; empty when none has a trigram. With `marksEnds` texts of one and two bytes are found, too, for two more trigrams of each
 * text. O(bytes)
 */
export function encodeTrigrams(texts: TrigramTexts, marksEnds: boolean): Uint8Array {
  return new TrigramEncoder(texts, marksEnds).encode();
}

/** The texts that may contain a text. */
export interface TrigramMatches {
  /** Indexes of texts, ascending. */
  readonly texts: Uint32Array;
  /** Whether all of them contain it; else they must be compared. */
  readonly isExact: boolean;
}

/** A stored trigram table: which trigrams there are is held, lists are read when they are needed. */
export class TrigramTable {
  private readonly read: ReadBytes;
  private readonly trigrams: Uint32Array;
  /** Start of each list, and the end of the last. */
  private readonly starts: Float64Array;

  /** Reads a table that `encodeTrigrams` made and that is not empty. O(trigrams) */
  constructor(read: ReadBytes) {
    this.read = read;
    const sizes = read(0, HEAD_BYTES);
    const view = new DataView(sizes.buffer, sizes.byteOffset, HEAD_BYTES);
    const [count, headBytes] = [view.getUint32(0, true), view.getUint32(4, true)];
    const head = read(HEAD_BYTES, HEAD_BYTES + headBytes);
    const numbers = new ByteReader(head);
    this.trigrams = new Uint32Array(count);
    this.starts = new Float64Array(count + 1);
    this.starts[0] = HEAD_BYTES + headBytes;
    let trigram = 0;
    for (let at = 0; at < count; at++) {
      trigram += numbers.varint();
      this.trigrams[at] = trigram;
      this.starts[at + 1] = this.starts[at]! + numbers.varint();
    }
  }

  /** Bytes that are held. */
  get byteCount(): number {
    return this.trigrams.byteLength + this.starts.byteLength;
  }

  /**
   * The texts that may contain a text of at least one byte, of at least three unless the ends of the texts are marked. O(its trigrams +
   * texts that have them)
   */
  matches(text: Uint8Array): TrigramMatches {
    if (text.length < TRIGRAM_BYTES) return { texts: this.withStart(text), isExact: true };
    const places = placesOf(text, (trigram) => this.placeOf(trigram));
    if (places === null) return { texts: new Uint32Array(0), isExact: true };
    places.sort((a, b) => this.bytesAt(a) - this.bytesAt(b));
    let texts = this.listAt(places[0]!);
    for (const place of places.slice(1)) {
      if (this.bytesAt(place) > READ_SHARE * texts.length) break;
      texts = intersection(texts, this.listAt(place));
    }
    return { texts, isExact: text.length === TRIGRAM_BYTES };
  }

  /** Texts with a trigram that begins with one or two bytes. */
  private withStart(start: Uint8Array): Uint32Array {
    const from = start.length === 1 ? start[0]! << 16 : (start[0]! << 16) | (start[1]! << 8);
    const [first, end] = [this.bound(from), this.bound(from + (start.length === 1 ? 1 << 16 : 1 << 8))];
    const lists: Uint32Array[] = [];
    let most = 0;
    for (let place = first; place < end; place++) {
      const list = this.listAt(place);
      lists.push(list);
      most = Math.max(most, list.at(-1)! + 1);
    }
    const found = new Uint8Array(most);
    let count = 0;
    for (const list of lists)
      for (const text of list) {
        count += 1 - found[text]!;
        found[text] = 1;
      }
    const texts = new Uint32Array(count);
    for (let text = 0, to = 0; to < count; text++) if (found[text] === 1) texts[to++] = text;
    return texts;
  }

  /** The first trigram that is not less. O(log trigrams) */
  private bound(trigram: number): number {
    return partitionPoint(0, this.trigrams.length, (at) => this.trigrams[at]! < trigram);
  }

  private placeOf(trigram: number): number {
    const place = this.bound(trigram);
    return this.trigrams[place] === trigram ? place : -1;
  }

  private bytesAt(place: number): number {
    return this.starts[place + 1]! - this.starts[place]!;
  }

  private listAt(place: number): Uint32Array {
    const bytes = this.read(this.starts[place]!, this.starts[place + 1]!);
    const numbers = new ByteReader(bytes);
    const texts = new Uint32Array(bytes.length);
    let count = 0;
    for (let latest = 0; !numbers.isAtEnd; ) {
      latest += numbers.varint();
      texts[count++] = latest - 1;
    }
    return texts.subarray(0, count);
  }
}

/** The places of the distinct trigrams of a text; null when one of them is in no text. */
function placesOf(text: Uint8Array, placeOf: (trigram: number) => number): number[] | null {
  const places = new Set<number>();
  for (let at = 0; at + TRIGRAM_BYTES <= text.length; at++) {
    const place = placeOf((text[at]! << 16) | (text[at + 1]! << 8) | text[at + 2]!);
    if (place < 0) return null;
    places.add(place);
  }
  return [...places];
}

function intersection(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(a.length, b.length));
  let count = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left, right] = [a[i]!, b[j]!];
    if (left === right) both[count++] = left;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return both.subarray(0, count);
}
