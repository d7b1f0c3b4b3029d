import { CHUNK_BYTES, getChunks, PARTS, partByteCount, type RowSource, type SegmentInfo } from '@fossick/format';
import { decodeOffsets, EXACT_PARTS, FUZZY_PARTS, type TableParts } from '../bytes/word-table.js';

/**
 * A list is unpacked while it is merged: 8 bytes for each occurrence, and at most 18 reserved for its new form
 * (encode.ts of the kernel). An occurrence takes at least one byte of a list.
 */
const UNPACKED_RATIO = 8 + 18;
/** Bytes of a word as a text of the merged table, of its place in a list, and of two offsets, in addition to its characters. */
const WORD_BYTES = 32 + 2 * 4;
/** Bytes of a word in the dictionary, in the kernel and in its new form, and as a text. */
const DICTIONARY_FORMS = 4;
/** Bytes of a trigram table: itself, and what counts its lists. */
const TRIGRAM_FORMS = 4;
/** Counts of words by document are held as numbers, which the part has as differences of a byte or two. */
const COUNT_FORMS = 8;

/**
 * The most bytes that merging the words of a segment with those of others takes, in addition to what every merge takes; those of
 * several segments add up. O(words)
 */
export function wordMergeBytes(rows: RowSource, info: SegmentInfo): number {
  const tables = [FUZZY_PARTS, EXACT_PARTS].map((parts, table) =>
    tableBytes(rows, info, parts, info.wordCounts[table]!),
  );
  const counts = partByteCount(rows, partOf(info, PARTS.wordCounts));
  return Math.max(COUNT_FORMS * counts, ...tables);
}

/** The tables are merged one after the other. */
function tableBytes(rows: RowSource, info: SegmentInfo, parts: TableParts, wordCount: number): number {
  if (wordCount === 0) return 0;
  const dictionary = partByteCount(rows, partOf(info, parts.dictionary));
  const offsets = decodeOffsets(getChunks(rows, info.id, parts.offsets), wordCount);
  let longest = 0;
  for (let word = 0; word < wordCount; word++) longest = Math.max(longest, offsets[word + 1]! - offsets[word]!);
  const trigrams = partByteCount(rows, partOf(info, parts.trigrams));
  return UNPACKED_RATIO * longest + DICTIONARY_FORMS * dictionary + WORD_BYTES * wordCount + TRIGRAM_FORMS * trigrams;
}

function partOf({ id }: SegmentInfo, part: TableParts['dictionary']) {
  return { segmentId: id, part, firstChunk: 0, rowBytes: CHUNK_BYTES };
}
