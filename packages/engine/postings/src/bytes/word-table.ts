import type { SegmentId } from '@fossick/base';
import {
  ByteReader,
  ByteWriter,
  LIST_ROW_BYTES,
  type ListPart,
  listsLocation,
  PARTS,
  putChunks,
  putPart,
  type SegmentPart,
  type SegmentRows,
} from '@fossick/format/building';
import type { WordTableParts } from '@fossick/kernel';

/** The three parts of one word table. */
export interface TableParts {
  readonly dictionary: SegmentPart;
  readonly offsets: SegmentPart;
  readonly postings: ListPart;
}
export const FUZZY_PARTS: TableParts = {
  dictionary: PARTS.fuzzyDictionary,
  offsets: PARTS.fuzzyOffsets,
  postings: PARTS.fuzzyPostings,
};
export const EXACT_PARTS: TableParts = {
  dictionary: PARTS.exactDictionary,
  offsets: PARTS.exactOffsets,
  postings: PARTS.exactPostings,
};

/** Writes the parts of a word table while their views are valid: nothing here calls the kernel. */
export function writeTable(
  sink: SegmentRows,
  segmentId: SegmentId,
  { wordCount, dictionary, offsets, postings }: WordTableParts,
  parts: TableParts,
): { readonly wordCount: number; readonly postingBytes: number } {
  if (wordCount === 0) return { wordCount, postingBytes: 0 };
  putChunks(sink, segmentId, parts.dictionary, dictionary);
  putChunks(sink, segmentId, parts.offsets, encodeOffsets(offsets));
  putPart(sink, listsLocation({ id: segmentId, rowBytes: LIST_ROW_BYTES }, parts.postings), postings);
  return { wordCount, postingBytes: postings.length };
}

/** Posting offsets as the varint lengths of the lists; offsets[0] is 0. */
export function encodeOffsets(offsets: Uint32Array): Uint8Array {
  const writer = new ByteWriter(offsets.length * 2);
  for (let i = 1; i < offsets.length; i++) writer.varint(offsets[i]! - offsets[i - 1]!);
  return writer.bytes();
}

/** Starts of lists, from their varint lengths. */
export function decodeOffsets(lengths: Uint8Array | undefined, wordCount: number): Uint32Array {
  const offsets = new Uint32Array(wordCount + 1);
  if (lengths === undefined) return offsets;
  const reader = new ByteReader(lengths);
  for (let i = 0; i < wordCount; i++) offsets[i + 1] = offsets[i]! + reader.varint();
  return offsets;
}
