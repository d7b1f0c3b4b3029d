// The rows of a forward column by docid: a bitmap of its documents with the number of those before each word (rank directory).

import { scratchAlloc } from "../arena";

/** The table is not worth its memory when fewer than one docid in 32 has a document. */
const DOCIDS_PER_ROW_MAX: u32 = 32;
/** Bytes for 64 docids: u64 bits, u32 documents before them, four unused. */
const WORD_BYTES_LOG: usize = 4;

/**
 * The table of `count` ascending documents, in scratch, with docids counted from the first; 0 when most docids between the first and the last are gaps.
 * O(docids)
 */
export function rowRanks(docs: usize, count: u32): usize {
  if (count == 0) return 0;
  const first = load<u32>(docs);
  const span = load<u32>(docs + (<usize>(count - 1) << 2)) - first + 1;
  if (span / DOCIDS_PER_ROW_MAX > count) return 0;
  const words = (<usize>span + 63) >> 6;
  const ranks = scratchAlloc(<u32>(words << WORD_BYTES_LOG));
  memory.fill(ranks, 0, words << WORD_BYTES_LOG);
  for (let row: u32 = 0; row < count; row++) {
    const docId = load<u32>(docs + (<usize>row << 2)) - first;
    const at = ranks + (<usize>(docId >> 6) << WORD_BYTES_LOG);
    store<u64>(at, load<u64>(at) | (<u64>1 << (docId & 63)));
  }
  let before: u32 = 0;
  for (let at = ranks; at < ranks + (words << WORD_BYTES_LOG); at += 1 << WORD_BYTES_LOG) {
    store<u32>(at, before, 8);
    before += <u32>popcnt<u64>(load<u64>(at));
  }
  return ranks;
}

/** The number of documents before the one with this docid, counted from the first. O(1) */
// @ts-ignore: decorator
@inline export function rankOf(ranks: usize, docId: u32): u32 {
  const at = ranks + (<usize>(docId >> 6) << WORD_BYTES_LOG);
  return load<u32>(at, 8) + <u32>popcnt<u64>(load<u64>(at) & ((<u64>1 << (docId & 63)) - 1));
}
