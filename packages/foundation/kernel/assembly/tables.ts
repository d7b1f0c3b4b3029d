// Tables of fixed size, which work needs only while one call runs. In a memory that several threads share each thread has tables of its own.

/**
 * The number of this thread among those that share the memory, from 1 on. Only the shared build has it.
 */
// @ts-ignore: decorator
@external("host", "threadNumber")
declare const hostThread: u32;

/** The number of this thread; 0 in a memory of its own. */
export const thread: u32 = ASC_FEATURE_THREADS ? hostThread : 0;

/** Threads that may share a memory. */
export const THREADS_MAX: usize = 255;
/** Bytes of the tables of one thread. */
const TABLE_BYTES: usize = 1 << 15;

// Where each table begins in the block of a thread; multiples of 16.
const CURSOR_BYTES: usize = 64 + 1024;
const CURSOR_RIGHT: usize = CURSOR_BYTES;
const SHAPES: usize = CURSOR_RIGHT + CURSOR_BYTES;
const DELTAS: usize = SHAPES + 1664;
const COUNTS: usize = DELTAS + 512;
const PROBE: usize = COUNTS + 512;
const MEASURED: usize = PROBE + 1024 + 16;
const TOUCHED: usize = MEASURED + 16;
const WORK: usize = TOUCHED + 16;
const TABLES_END: i32 = <i32>WORK + 2048 + 16384 + 1024;

/** The first byte after what the compiler has placed in memory; in a shared memory the tables of all threads follow. */
// @ts-ignore: decorator
@inline function placedEnd(): usize { return (__heap_base + 63) & ~63; }
const tables: usize = ASC_FEATURE_THREADS ? placedEnd() + <usize>(hostThread - 1) * TABLE_BYTES : memory.data(TABLES_END, 16);

/** The first byte that the heap may use. */
// @ts-ignore: decorator
@inline export function heapFirst(): usize { return ASC_FEATURE_THREADS ? placedEnd() + THREADS_MAX * TABLE_BYTES : (__heap_base + 15) & ~15; }

/** The two lists that are walked against each other (postings/cursor.ts). */
export const leftCursor: usize = tables;
export const rightCursor: usize = tables + CURSOR_RIGHT;
/** How numbers of each width are unpacked (postings/unpack.ts). */
export const unpackShapes: usize = tables + SHAPES;
/** The block of a posting list that is packed (postings/encode.ts). */
export const packedDeltas: usize = tables + DELTAS;
export const packedCounts: usize = tables + COUNTS;
/** The string to look up (inverting/word-set.ts). */
export const probeBytes: usize = tables + PROBE;
/** Of a vector (vectors/vector-set.ts). */
export const measuredVector: usize = tables + MEASURED;
/** Written so that the compiler keeps loads (vectors/graph-search.ts). */
export const touchedLines: usize = tables + TOUCHED;
/** The work area of dictionaries (dictionaries/dictionary-node.ts). */
export const dictionaryWork: usize = tables + WORK;
