import type { DocId, SegmentId } from '@fossick/base';
import { LIST_ROW_BYTES, PARTS, PartWriter, putChunks, type SegmentRows } from '@fossick/format/building';
import type { Inverter, Kernel, PostingList, WindowWriter } from '@fossick/kernel';

/** Segments with fewer documents get no windows: reading their postings is as fast. */
const DOCS_MIN = 4_096;
/**
 * Windows are not written while all docids of the index are below this: walking all its lists takes some milliseconds then, once, while windows take a sixth of
 * the indexing time and an eighth of the disk space (docs/internals/decisions/postings.md).
 */
const INDEX_DOCS_MIN = 65_536;
/** Windows span all documents from the first to the last: none are written when fewer than one in this many of these is in the segment. */
const SPAN_SHARE = 8;
/** Bytes buffered in kernel memory before they are written. */
const WAITING_BYTES = 1 << 18;

/** Magic number of the part of records. */
export const WINDOWS_MAGIC = 0x31_57_53_46;
export const WINDOWS_HEADER_WORDS = 4;

/** The range of a segment's docids. */
export interface DocRange {
  readonly firstDoc: DocId;
  readonly lastDoc: DocId;
  readonly docCount: number;
}

/**
 * Writes with a segment the documents of its common words and common prefixes, by field and by early position. The first search for a word reads
 * them instead of all positions.
 */
export class SegmentWindows {
  private readonly sink: SegmentRows;
  private readonly segmentId: SegmentId;
  private readonly docRange: DocRange;
  private readonly fieldCount: number;
  private readonly writer: WindowWriter;
  private readonly part: PartWriter;

  private constructor(kernel: Kernel, sink: SegmentRows, segmentId: SegmentId, docRange: DocRange, fieldCount: number) {
    this.sink = sink;
    this.segmentId = segmentId;
    this.docRange = docRange;
    this.fieldCount = fieldCount;
    this.writer = kernel.windows.createWriter(docRange.firstDoc, docRange.lastDoc, fieldCount);
    this.part = new PartWriter(sink, { segmentId, part: PARTS.windows, firstChunk: 0, rowBytes: LIST_ROW_BYTES });
  }

  /** Null when windows are not worth writing. The caller closes it. */
  static begin(
    kernel: Kernel,
    sink: SegmentRows,
    segmentId: SegmentId,
    docRange: DocRange,
    fieldCount: number,
  ): SegmentWindows | null {
    const { firstDoc, lastDoc, docCount } = docRange;
    if (lastDoc < INDEX_DOCS_MIN || docCount < DOCS_MIN || docCount * SPAN_SHARE < lastDoc - firstDoc) return null;
    return new SegmentWindows(kernel, sink, segmentId, docRange, fieldCount);
  }

  startTable(table: 0 | 1): void {
    this.writer.startTable(table);
  }

  /** Adds the next word of the table in byte order. */
  add(word: Uint8Array, list: PostingList): void {
    this.writer.add(word, list);
    if (this.writer.waitingBytes >= WAITING_BYTES) this.part.append(this.writer.take());
  }

  /** Adds all words of the table that the inverter made last. */
  addTable(table: 0 | 1, inverter: Inverter, wordCount: number): void {
    this.writer.startTable(table);
    for (let word = 0; word < wordCount; ) {
      word = this.writer.addTable(inverter, wordCount, word, WAITING_BYTES);
      this.part.append(this.writer.take());
    }
  }

  /** Writes the remaining windows; returns the bytes of all of them. */
  finish(): number {
    this.writer.end();
    this.part.append(this.writer.take());
    this.part.finish();
    const records = this.writer.records();
    const { firstDoc, lastDoc } = this.docRange;
    const bytes = new Uint8Array(WINDOWS_HEADER_WORDS * 4 + records.length);
    const header = new DataView(bytes.buffer);
    for (const [at, word] of [WINDOWS_MAGIC, firstDoc, lastDoc, this.fieldCount].entries())
      header.setUint32(at * 4, word, true);
    bytes.set(records, WINDOWS_HEADER_WORDS * 4);
    putChunks(this.sink, this.segmentId, PARTS.windowRecords, bytes);
    return this.part.byteCount + bytes.length;
  }

  close(): void {
    this.writer.close();
  }
}
