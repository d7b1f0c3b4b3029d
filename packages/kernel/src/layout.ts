// Sizes and offsets shared by both compilers: plain integer constants only. The drawings are in docs/kernel-abi.md.

/** Bytes of a bitmap's header; its words follow. */
export const BITMAP_HEADER_BYTES = 16;
/** Documents in a full block of a posting list. */
export const BLOCK_DOCS = 128;
/** Bytes of one skip entry of a posting list: last docid, end of the docs bytes, end of the positions bytes. */
export const SKIP_ENTRY_BYTES = 12;
/** Bytes of a position table's header; u64 entries follow. */
export const TABLE_HEADER_BYTES = 8;
/** Bytes of one (termId, docId, key) record of the inverter. */
export const RECORD_BYTES = 12;
/** Bytes of one (list, dead bitmap) pair handed to the kernel. */
export const LIST_PAIR_BYTES = 8;
/** Bitmaps of `spreadPositions`: positions 0 to 15, then 24, 32, 64 and so on to 65536. */
export const POSITION_BUCKETS = 29;
