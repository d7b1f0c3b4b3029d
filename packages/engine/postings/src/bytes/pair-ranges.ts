/** The pairs of a segment, range by range, for merges. */

import type { RowReader, RowSource } from '@fossick/format/building';
import { getChunks, listsLocation, PARTS, PartReader, type SegmentInfo } from '@fossick/format/building';
import { decodePairHeader, endsBytes, PairDocs, type PairedWord, type PairHeader } from './pair-lists.js';

/** The documents of pairs in one range. */
export interface RangePairs {
  /** Ascending, counted from the start of the range; valid until the next call. */
  docsOf(pair: number): Uint16Array | Uint32Array;
}

/** The same as they are stored. */
export interface StoredRangePairs extends RangePairs {
  /** The list of a pair. */
  listOf(pair: number): Uint8Array;
}

/** Reads the pairs that are stored with a segment. */
export class PairRanges {
  readonly header: PairHeader;
  private readonly reader: PartReader;
  private readonly numbers: ReadonlyMap<string, number>;

  private constructor(header: PairHeader, reader: PartReader) {
    this.header = header;
    this.reader = reader;
    this.numbers = new Map(header.words.map((word, number) => [keyOf(word), number]));
  }

  /** Null for a segment without pairs. */
  static open(rows: RowSource | RowReader, info: Pick<SegmentInfo, 'id' | 'rowBytes'>): PairRanges | null {
    const bytes = getChunks(rows, info.id, PARTS.pairHeader);
    const header = bytes === undefined ? null : decodePairHeader(bytes);
    return header === null ? null : new PairRanges(header, new PartReader(rows, listsLocation(info, PARTS.pairs)));
  }

  /** Null when the word is not paired. */
  numberOf(word: PairedWord): number | null {
    return this.numbers.get(keyOf(word)) ?? null;
  }

  /** The pairs of a range, by its number from docid 0 on; null when the segment has no documents there. Valid until the next call. O(bytes of the range) */
  range(range: number): StoredRangePairs | null {
    const { rangeAt, firstRange, rangeBits, words } = this.header;
    const [from, to] = [rangeAt[range - firstRange], rangeAt[range - firstRange + 1]];
    if (from === undefined || to === undefined) return null;
    const bytes = this.reader.read(from, to);
    const listsAt = endsBytes(words.length);
    const ends = new Uint32Array(bytes.slice(0, listsAt).buffer);
    const docs = new PairDocs(rangeBits);
    const listOf = (pair: number): Uint8Array =>
      bytes.subarray(listsAt + (pair === 0 ? 0 : ends[pair - 1]!), listsAt + ends[pair]!);
    return {
      listOf,
      docsOf: (pair) => {
        docs.clear();
        docs.add(listOf(pair), 0);
        return docs.docIds;
      },
    };
  }
}

const keyOf = ({ table, ordinal }: PairedWord): string => `${table}.${ordinal}`;
