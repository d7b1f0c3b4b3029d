import type { DocId } from '@fossick/base';
import type { Bitmap, Block, ColumnByDocument, None, U32Array } from '../ptr.js';

/** Groups of docids in kernel memory: u32 offsets[count + 1] into u32 docs, which ascend within a group. */
export interface DocGroups {
  readonly count: number;
  readonly offsets: U32Array;
  readonly docs: U32Array;
}
/** Byte-sorted texts in kernel memory: u32 offsets[count + 1] into bytes. */
export interface TextRow {
  readonly count: number;
  readonly offsets: U32Array;
  readonly bytes: Block;
}
/** Which documents count: those in `universe` (0: all of the column) and not in `deleted` (0: none). */
export interface LiveDocs {
  readonly universe: Bitmap | None;
  readonly deleted: Bitmap | None;
}

/** Input of `Columns.turn`. */
export interface ColumnGroups {
  readonly numbers: DocGroups;
  readonly strings: DocGroups;
  /** u32 ascending documents in kernel memory, which must outlive the table; 0 when there are no gaps between them. */
  readonly docs: U32Array | None;
  readonly firstDoc: DocId;
  readonly docCount: number;
}
/** A column by document, in long-lived memory: number groups, and string groups counted on from them. */
export interface ForwardColumn {
  readonly ptr: ColumnByDocument;
  readonly byteCount: number;
  readonly numberCount: number;
  readonly groupCount: number;
}
/** Ascending groups and how many documents of each count. */
export interface GroupCounts {
  readonly groups: Uint32Array;
  readonly counts: Uint32Array;
}

/** Ranges of indexes that were found, and the index to continue from. */
export interface NearTexts {
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly next: number;
}

/** The texts of one column, to be merged with those of others. */
export interface CountedTexts {
  readonly texts: TextRow;
  readonly counts: Uint32Array;
  /** Documents of each text; a text with 0 is left out. null: no text is left out. */
  readonly live: Uint32Array | null;
}
