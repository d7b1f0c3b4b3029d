// Sizes and offsets shared by both compilers: plain integer constants only. The drawings are in docs/internals/kernel-abi.md.

/** Where the lock and the state of the heap are in a memory that threads share, and where the compiler places its own data. */
export const HEAP_LOCK = 1024;
export const HEAP_STATE = 1088;
export const SHARED_DATA = 8192;
/** Bytes of a bitmap's header; its words follow. */
export const BITMAP_HEADER_BYTES = 16;
/** Documents in a full block of a posting list. */
export const BLOCK_DOCS = 128;
/** Bytes of one skip entry of a posting list: last docid, end of the docs bytes, end of the positions bytes. */
export const SKIP_ENTRY_BYTES = 12;
/** Bytes of a position table's header; u64 entries follow. */
export const TABLE_HEADER_BYTES = 8;
/** Bytes of one (term, key) record of the inverter. */
export const RECORD_BYTES = 8;
/** The value for "no document" in arrays of docids. */
export const NO_DOCUMENT = 0xffffffff;
/** Classes of UTF-16 units in the walk over a text: part of a word, hard separator, hard only before a space, symbol; any other is soft. */
export const UNIT_WORD = 0;
export const UNIT_HARD = 2;
export const UNIT_PAIR = 3;
export const UNIT_SYMBOL = 6;
/** The host's classification of a word, where it is no term: takes a position, takes none, separates hard. */
export const WORD_UNINDEXED = 0xfffffffc;
export const WORD_SKIPPED = 0xfffffffd;
export const WORD_HARD = 0xfffffffe;
/** Positions: the end of a field, the step of a hard separator, the longest indexed word in bytes (MAX_WORD_BYTES of base: a test compares). */
export const POSITION_END = 65536;
export const STEP_CONTEXT = 8;
export const WORD_BYTES_MAX = 250;
/** The longest word of a dictionary, in bytes of UTF-8: longer than any indexed word. */
export const DICTIONARY_WORD_BYTES_MAX = 1000;
/** Bytes of one (list, deleted bitmap) pair handed to the kernel. */
export const LIST_PAIR_BYTES = 8;
/** Bitmaps of `scatterPositions`: positions 0 to 15, then 24, 32, 64 and so on to 65536. */
export const POSITION_BUCKETS = 29;
/** A plan of paths: bytes of its header, of an edge, of a frame of the walk over paths; the end node; the value for unresolved documents. */
export const PLAN_HEADER_BYTES = 60;
export const PLAN_EDGE_BYTES = 20;
export const PLAN_FRAME_BYTES = 20;
export const PATH_END = 1;
export const PATH_UNKNOWN = 0xffffffff;
/** Bytes of a rank-indexed list's header; ranks, masks and ends of keys follow. */
export const RANK_INDEX_HEADER_BYTES = 16;
/** Bytes of the header of a forward column; starts and groups follow. */
export const FORWARD_HEADER_BYTES = 32;
/** Bytes of a column of texts to be merged, and of a merged text. */
export const MERGED_COLUMN_BYTES = 24;
export const MERGED_TEXT_BYTES = 12;
/** How the vectors of a set are stored: f32 numbers, bytes with a scale for each vector, signs. */
export const VECTORS_F32 = 0;
export const VECTORS_INT8 = 1;
export const VECTORS_SIGNS = 2;
/** Bytes of the header of a vector set and of a graph. */
export const VECTOR_SET_BYTES = 32;
export const GRAPH_BYTES = 48;
/** The result of a walk that reached its limit of vectors. */
export const WALK_ENDED = 0xffffffff;
/** The value for "no node". */
export const NO_NODE = 0xffffffff;
/** Added to distances within the kernel, so that none is negative and their bits have their order. */
export const DISTANCE_OFFSET = 2;
/**
 * Windows stored with a segment: those of fields come first, then those of the positions 0 to 5. Words and prefixes have them that occur in one of this many
 * documents.
 */
export const WINDOW_FIELDS_MAX = 24;
export const WINDOW_POSITIONS = 6;
export const WINDOW_SLOTS = 30;
export const WINDOW_COMMON_SHARE = 128;
export const WINDOW_WORDS_MIN = 16;
/** Bytes of a record of such windows, before the byte counts of each window. */
export const WINDOW_RECORD_BYTES = 20;
