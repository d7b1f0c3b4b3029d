import type { TermOrdinal } from '@fossick/base';
import {
  getChunks,
  listsLocation,
  PARTS,
  type PartLocation,
  type RowReader,
  readSpan,
  type SegmentInfo,
} from '@fossick/format';
import type { HeldMemory } from '@fossick/kernel/memory';
import { decodePairHeader, endsBytes, PairDocs, type PairHeader } from '../bytes/pair-lists.js';
import type { WordLocation } from './segment-postings.js';

/** Rough bytes of a word in the map. */
const WORD_BYTES = 100;
const END_BYTES = 4;

/** The documents where two common words of a segment are adjacent, as they are stored with it. The header is in memory, the lists in the store. */
export class StoredPairs implements HeldMemory {
  private readonly rows: RowReader;
  private readonly location: PartLocation;
  private readonly header: PairHeader;
  readonly kind = 'terms';
  readonly byteCount: number;
  /** Numbers of the words, by table and ordinal. */
  private readonly numbers = new Map<string, number>();

  private constructor(rows: RowReader, location: PartLocation, header: PairHeader) {
    this.rows = rows;
    this.location = location;
    this.header = header;
    for (const [number, { table, ordinal }] of header.words.entries())
      this.numbers.set(keyOf(table === 0 ? 'fuzzy' : 'exact', ordinal), number);
    this.byteCount = header.words.length * WORD_BYTES;
  }

  /** Null for a segment without pairs. */
  static open(rows: RowReader, info: SegmentInfo): StoredPairs | null {
    const bytes = getChunks(rows, info.id, PARTS.pairHeader);
    const header = bytes === undefined ? null : decodePairHeader(bytes);
    return header === null ? null : new StoredPairs(rows, listsLocation(info, PARTS.pairs), header);
  }

  /** The number of the pair, null when one of the words is not a common one. */
  pairOf(left: WordLocation, right: WordLocation): number | null {
    const [x, y] = [this.numbers.get(keyOf(...left)), this.numbers.get(keyOf(...right))];
    return x === undefined || y === undefined ? null : x * this.header.words.length + y;
  }

  /** The pair's documents, ascending, deleted ones included. Reads a few rows for each range of 65,536 documents. */
  docs(pair: number): Uint32Array<ArrayBuffer> {
    const { rangeAt, rangeBits, firstRange, words } = this.header;
    const docs = new PairDocs(rangeBits);
    for (let range = 0; range + 1 < rangeAt.length; range++) {
      const endsAt = rangeAt[range]!;
      const [from, to] = this.bounds(endsAt, pair);
      if (from === to) continue;
      const listsAt = endsAt + endsBytes(words.length);
      docs.add(this.read(listsAt + from, listsAt + to), firstRange + range);
    }
    return docs.docIds;
  }

  free(): void {
    this.numbers.clear();
  }

  /** The bytes of the pair's list in a range, counted from the first list on. */
  private bounds(endsAt: number, pair: number): readonly [from: number, to: number] {
    const at = endsAt + pair * END_BYTES;
    const bytes = this.read(pair === 0 ? at : at - END_BYTES, at + END_BYTES);
    const view = new DataView(bytes.buffer);
    return pair === 0 ? [0, view.getUint32(0, true)] : [view.getUint32(0, true), view.getUint32(END_BYTES, true)];
  }

  private read(from: number, to: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(to - from);
    readSpan(this.rows, this.location, from, to, (piece, at) => bytes.set(piece, at));
    return bytes;
  }
}

const keyOf = (table: WordLocation[0], ordinal: TermOrdinal): string => `${table}.${ordinal}`;
