import type { Bitmap, Block, ColumnByDocument, None, U32Array } from './ptr.js';

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

/** What turnColumn is made of. */
export interface ColumnGroups {
  readonly numbers: DocGroups;
  readonly strings: DocGroups;
  /** u32 ascending documents in kernel memory, which must outlive the table; 0 when there are no gaps between them. */
  readonly docs: U32Array | None;
  readonly firstDoc: number;
  readonly docCount: number;
}
/** A column by document, in long-lived memory: number groups, and string groups counted on from them. */
export interface ForwardColumn {
  readonly ptr: ColumnByDocument;
  readonly byteCount: number;
  readonly numberCount: number;
  readonly groupCount: number;
}
/** Groups, ascending, and how many documents of each count. */
export interface GroupCounts {
  readonly groups: Uint32Array;
  readonly counts: Uint32Array;
}

/** Ranges of places that were found, and the place to go on from. */
export interface NearTexts {
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly next: number;
}

/** Texts of one column with what is counted of each. */
export interface CountedTexts {
  readonly texts: TextRow;
  readonly counts: Uint32Array;
  /** Texts whose number here is 0 are left out; null: none is. */
  readonly live: Uint32Array | null;
}

/** Scans over the groups of columns. Lists that are answered are copies. */
export interface ColumnKernel {
  /** target |= documents of groups [from, to) that count; of all when `live` is absent. */
  orGroups(
    target: Bitmap,
    groups: Pick<DocGroups, 'offsets' | 'docs'>,
    from: number,
    to: number,
    live?: LiveDocs,
  ): void;
  /** The same for a list of groups, each `base` more than its number. */
  orListedGroups(target: Bitmap, groups: DocGroups, list: Uint32Array, base: number, live: LiveDocs): void;
  /** How many documents of each group of [from, to) count. O(their documents) */
  countGroups(groups: DocGroups, from: number, to: number, live: LiveDocs): Uint32Array;
  /**
   * Groups with a document that counts, from `from` on in steps of `step` and before `to`, in that order, `limit` at most. O(documents of
   * the groups gone through)
   */
  presentGroups(
    groups: DocGroups,
    range: { readonly from: number; readonly to: number; readonly step: 1 | -1 },
    limit: number,
    live: LiveDocs,
  ): GroupCounts;
  /** The first group from `from` on in steps of `step` with a document that counts; -1 when none. */
  nextGroup(groups: DocGroups, from: number, step: 1 | -1, live: LiveDocs): number;
  /** The number of the first entry of a group that counts, from the start of the column's; -1 when none. */
  firstEntry(groups: DocGroups, group: number, live: LiveDocs): number;

  /** Turns a column around, in long-lived memory that the caller frees. O(entries), times log documents where these have gaps. */
  turnColumn(column: ColumnGroups): ForwardColumn;
  /** The groups of one document, ascending; undefined when the column does not have it. */
  groupsOf(forward: ForwardColumn, doc: number): Uint32Array | undefined;
  /** The first document from `from` on that counts; -1 when none. */
  nextLiveDoc(forward: ForwardColumn, live: LiveDocs, from: number): number;
  /** The groups that have a document that counts. O(groups of those documents), and O(groups) unless they are many times more. */
  countByDocument(forward: ForwardColumn, live: LiveDocs): GroupCounts;
  /**
   * The first group of each document that counts, in the order of a sort (numbers before strings in either direction), as u64
   * group * 2^32 + docid, ascending. O(documents * log documents)
   */
  firstGroups(forward: ForwardColumn, live: LiveDocs, isDescending: boolean): BigUint64Array;
  /**
   * Of documents [from, to) that count, in docid order, gives those a bit in `firsts` whose groups have none in `seen`, and their groups a
   * bit in `seen`. Ends after `limit` of them. Answers how many, and the groups that are new in `seen`, ascending.
   */
  firstsBetween(
    forward: ForwardColumn,
    live: LiveDocs,
    range: { readonly from: number; readonly to: number; readonly limit: number },
    seen: Bitmap,
    firsts: Bitmap,
  ): { readonly count: number; readonly groups: Uint32Array };

  /** A copy of one text. */
  textAt(texts: TextRow, place: number): Uint8Array;
  /** The first place whose text is not before the key, or with `isAfter` behind it; within [from, to) when given. O(log texts) */
  textBound(texts: TextRow, key: Uint8Array, isAfter: boolean, from?: number, to?: number): number;
  /** For each of ascending places in `texts`, given `base` more: the place of the same text in another row, -1 where it has none. */
  findTexts(texts: TextRow, places: Uint32Array, base: number, other: TextRow): Int32Array;
  /**
   * Visits each distinct text of several columns in byte order, with a column that has it, its place there and the sum of counts.
   * O(texts * log columns)
   */
  mergeTexts(columns: readonly CountedTexts[], visit: (column: number, place: number, count: number) => void): void;
  /**
   * Which texts from `from` on begin with something within `edits` (insert, delete, replace, swap of neighbours) of a query of one code
   * point at least, as ranges [from, to) of places: a text, or a prefix of it that no shorter start of the query comes closer to. Looks at
   * `lookCount` texts at most, and answers where to go on: what a prefix decides, it decides for all that share it. O(query) a look
   */
  nearTexts(texts: TextRow, query: Uint32Array, edits: number, from: number, lookCount: number): NearTexts;
  /** Whether all texts are of printable ASCII without upper-case letters. O(bytes / 16) */
  isPlainText(texts: TextRow): boolean;
}
