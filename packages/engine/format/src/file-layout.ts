import type { TableLayout } from '@fossick/storage/files';
import type { IndexManifest } from './index-state.js';
import { LIST_ROW_BYTES, type ListPart, PARTS, TABLES } from './rows.js';

/** Parts of which a search reads some rows; it reads others as a whole. */
const READ_IN_ROWS: ReadonlySet<number> = new Set<ListPart>([
  PARTS.fuzzyPostings,
  PARTS.exactPostings,
  PARTS.windows,
  PARTS.pairs,
]);
/** The byte of the key of a row of a segment that is the number of its part. */
const PART_AT = 4;
/** Bytes of such a key that rows of one part and field have in common: segment, part, and the high half of the chunk. */
const PART_PREFIX_BYTES = 7;

/** Rows of parts that are read in rows: each is a block of its own. */
const LIST_BLOCK_BYTES = 1;
/**
 * Bytes in a row of lists: a list has some hundred bytes. Over the films rows of 8 KiB take two to three times as many bytes
 * for a search, rows of half the length save little, because each is packed by itself.
 */
const LIST_FILE_ROW_BYTES = 2 << 10;
/** About this many rows of lists at most: readers hold the first key of each. */
const LIST_ROWS = 64 << 10;
/** Documents: some of them, of which a hit needs one. */
const DOCUMENT_BLOCK_BYTES = 2 << 10;
/** About this many blocks of documents at most: readers hold the first key of each. */
const DOCUMENT_BLOCKS = 128 << 10;
/** Ids: only for reading one document. */
const ID_BLOCK_BYTES = 16 << 10;
/** What is read as a whole is in few blocks, each unpacked at once. */
const WHOLE_BLOCK_BYTES = 1 << 20;

const whole: TableLayout = { prefixBytes: 0, blockBytes: () => WHOLE_BLOCK_BYTES, isGrouped: () => true };

type FileLayout = Readonly<Record<string, TableLayout>>;

/** The blocks of an index that readers fetch as a whole: large ones, which take the fewest bytes. */
export const WHOLE_LAYOUT: FileLayout = {
  [TABLES.meta]: whole,
  [TABLES.segments]: whole,
  [TABLES.documents]: whole,
  [TABLES.ids]: whole,
};

/** Whether a part of a segment has rows of a length of its own (SegmentInfo.rowBytes). */
export function isListPart(part: number): boolean {
  return READ_IN_ROWS.has(part);
}

/** Bytes in a row of lists where a search fetches only what it reads. */
export function listRowBytesOf({ segments }: IndexManifest): number {
  const listBytes = segments.reduce((sum, { postingBytes }) => sum + postingBytes, 0);
  return Math.min(LIST_ROW_BYTES, Math.max(LIST_FILE_ROW_BYTES, Math.ceil(listBytes / LIST_ROWS)));
}

/** The blocks of an index of which a search fetches only what it reads. @param documentBytes of all stored documents */
export function partsLayout(documentBytes: number): FileLayout {
  const documentBlock = Math.max(DOCUMENT_BLOCK_BYTES, Math.ceil(documentBytes / DOCUMENT_BLOCKS));
  return {
    [TABLES.meta]: whole,
    [TABLES.segments]: {
      prefixBytes: PART_PREFIX_BYTES,
      blockBytes: (key) => (isListPart(key[PART_AT]!) ? LIST_BLOCK_BYTES : WHOLE_BLOCK_BYTES),
      isGrouped: (key) => !isListPart(key[PART_AT]!),
    },
    [TABLES.documents]: { prefixBytes: 0, blockBytes: () => documentBlock, isGrouped: () => false },
    [TABLES.ids]: { prefixBytes: 0, blockBytes: () => ID_BLOCK_BYTES, isGrouped: () => false },
  };
}
