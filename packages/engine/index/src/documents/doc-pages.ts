import type { DocId, DocIds, SegmentId } from '@fossick/base';
import {
  boundOf,
  DocSet,
  deletePart,
  PAGE_DOCS,
  PAGE_WORDS,
  PARTS,
  type RowReader,
  type RowSink,
  type RowSource,
  segmentKey,
  TABLES,
} from '@fossick/format/building';

const IDS_FORM = 0;
const BITS_FORM = 1;

/** Identifies a set of documents: those of a segment, its deleted ones, or (of segment 0, which is the index itself) all live ones. */
export interface PagesLocation {
  readonly segmentId: SegmentId;
  readonly part: typeof PARTS.docPages | typeof PARTS.deletedPages;
}
/** All live documents of an index. */
export const LIVE_PAGES: PagesLocation = { segmentId: 0 as SegmentId, part: PARTS.docPages };
export const docPagesOf = (segmentId: SegmentId): PagesLocation => ({ segmentId, part: PARTS.docPages });
export const deletedPagesOf = (segmentId: SegmentId): PagesLocation => ({ segmentId, part: PARTS.deletedPages });

/** The number of pages for documents below a bound. */
export const pagesBelow = (docIdBound: number): number => Math.ceil(docIdBound / PAGE_DOCS);

/** The key of a page's row. A page without documents has no row. */
function pageKey({ segmentId, part }: PagesLocation, page: number): Uint8Array {
  return segmentKey(segmentId, part, page);
}

/**
 * `[u8 0][u16 ids in the page]...` or `[u8 1][bits, 32-bit words, without those after the last document]`, little-endian, whichever is smaller.
 */
function encodePage(bits: Uint32Array): Uint8Array {
  const bound = boundOf(bits);
  const bitBytes = Math.ceil(bound / 32) * 4;
  const ids: number[] = [];
  for (let word = 0; word < bits.length && ids.length * 2 < bitBytes; word++)
    for (let left = bits[word]!; left !== 0; left &= left - 1) ids.push(word * 32 + (31 - Math.clz32(left & -left)));
  if (ids.length * 2 < bitBytes) {
    const bytes = new Uint8Array(1 + ids.length * 2);
    ids.forEach((id, at) => {
      bytes[1 + at * 2] = id & 255;
      bytes[2 + at * 2] = id >>> 8;
    });
    bytes[0] = IDS_FORM;
    return bytes;
  }
  const bytes = new Uint8Array(1 + bitBytes);
  bytes[0] = BITS_FORM;
  bytes.set(new Uint8Array(bits.buffer, bits.byteOffset, bitBytes), 1);
  return bytes;
}

/** The bits of a page's row. */
function decodePage(row: Uint8Array): Uint32Array {
  const bits = new Uint32Array(PAGE_WORDS);
  if (row[0] === BITS_FORM) new Uint8Array(bits.buffer).set(row.subarray(1));
  else
    for (let at = 1; at < row.length; at += 2) {
      const id = row[at]! | (row[at + 1]! << 8);
      bits[id >>> 5]! |= 1 << (id & 31);
    }
  return bits;
}

/** The bits of one page; undefined when it has no document. */
export function readPage(rows: RowSource, location: PagesLocation, page: number): Uint32Array | undefined {
  const row = rows.get(TABLES.segments, pageKey(location, page));
  return row === undefined ? undefined : decodePage(row);
}

/** All documents of a set, which has none in page `pageCount` or later. O(pages) */
export function readPages(rows: RowSource, location: PagesLocation, pageCount: number): DocSet {
  const docs = new DocSet();
  for (let page = 0; page < pageCount; page++) {
    const bits = readPage(rows, location, page);
    if (bits !== undefined) docs.addPage(page, bits);
  }
  return docs;
}

/** Writes the pages of a set that has no rows yet. */
export function writePages(sink: Pick<RowSink, 'put'>, location: PagesLocation, docs: DocSet): void {
  for (let page = 0; page < docs.pageCount; page++) {
    const bits = docs.page(page);
    if (boundOf(bits) > 0) sink.put(TABLES.segments, pageKey(location, page), encodePage(bits!));
  }
}

/**
 * A set of documents as an open transaction sees it: pages are read on demand, and `write` puts the changed ones. So the cost of a commit
 * depends on the pages it changes, not on the number of documents.
 */
export class StoredDocs {
  private readonly rows: RowSink;
  private readonly location: PagesLocation;
  private readonly loaded = new DocSet();
  /** Pages that were read, or are known to be empty. */
  private readonly known = new Set<number>();
  private readonly changed = new Set<number>();
  /** Whether pages that were not read may have rows. */
  private hasRows = true;
  count: number;

  /**
   * @param rows the rows of the currently open transaction
   * @param count the number of documents in the set
   */
  constructor(rows: RowSink, location: PagesLocation, count: number) {
    this.rows = rows;
    this.location = location;
    this.count = count;
  }

  has(docId: DocId): boolean {
    this.load((docId / PAGE_DOCS) >>> 0);
    return this.loaded.has(docId);
  }

  /** Returns whether the set changed. */
  add(docId: DocId): boolean {
    const page = (docId / PAGE_DOCS) >>> 0;
    this.load(page);
    if (!this.loaded.add(docId)) return false;
    this.changed.add(page);
    this.count += 1;
    return true;
  }

  /** Returns whether the set changed. */
  delete(docId: DocId): boolean {
    const page = (docId / PAGE_DOCS) >>> 0;
    this.load(page);
    if (!this.loaded.delete(docId)) return false;
    this.changed.add(page);
    this.count -= 1;
    return true;
  }

  /** Removes every document. O(pages) at the next `write`. */
  clear(): void {
    this.loaded.clear();
    this.known.clear();
    this.changed.clear();
    this.hasRows = false;
    this.count = 0;
  }

  /** The least id >= from that is not in the set. O(full pages after `from`) */
  nextFree(from: number): DocId {
    let docId = from as DocId;
    while (this.has(docId)) {
      const word = this.loaded.page((docId / PAGE_DOCS) >>> 0)![(docId >>> 5) % PAGE_WORDS];
      docId = ((docId & 31) === 0 && word === 0xffffffff ? docId + 32 : docId + 1) as DocId;
    }
    return docId;
  }

  /** All documents below `bound`, in ascending order. O(pages) */
  toArray(bound: number): DocIds {
    for (let page = 0; page < pagesBelow(bound); page++) this.load(page);
    return this.loaded.toArray();
  }

  /** Writes the pages changed since the last call; returns their numbers, or null when all rows were replaced. */
  write(): readonly number[] | null {
    const isCleared = !this.hasRows;
    if (isCleared) {
      deletePart(this.rows, this.location.segmentId, this.location.part);
      this.hasRows = true;
    }
    const pages = [...this.changed].sort((left, right) => left - right);
    for (const page of pages) {
      const bits = this.loaded.page(page);
      if (boundOf(bits) > 0) this.rows.put(TABLES.segments, pageKey(this.location, page), encodePage(bits!));
      else this.rows.delete(TABLES.segments, pageKey(this.location, page));
    }
    this.changed.clear();
    return isCleared ? null : pages;
  }

  private load(page: number): void {
    if (this.known.has(page)) return;
    this.known.add(page);
    const bits = this.hasRows ? readPage(this.rows, this.location, page) : undefined;
    if (bits !== undefined) this.loaded.addPage(page, bits);
  }
}

/** Reads single pages of a commit, for readers. */
export type PageReader = (page: number) => Uint32Array | undefined;

export function pageReader(rows: RowReader, location: PagesLocation): PageReader {
  return (page) => rows.read(TABLES.segments, pageKey(location, page), decodePage);
}
