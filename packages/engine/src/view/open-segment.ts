import type { Kernel, LivePostings, Ptr } from '@fossick/kernel';
import { closeColumns } from '../facets/index.js';
import { ByteReader } from '../indexing/byte-codec.js';
import type { SegmentInfo } from '../indexing/index-state.js';
import { columnsIdOf, readSegmentDead } from '../indexing/index-state.js';
import { fieldChunk, getChunks, PARTS, type RowReader, readSpan, type SegmentPart } from '../indexing/rows.js';
import { EXACT_PARTS, TOLERANT_PARTS } from '../indexing/segment-builder.js';
import { decodeWordCounts } from '../indexing/word-counts.js';
import { readVectorTables, type VectorTable } from '../vectors/vector-rows.js';
import type { SegmentPostings, SegmentView, WordTable } from './index-view.js';
import type { PostingCache, PostingLists } from './posting-cache.js';
import { writeResidentBitmap } from './resident-bitmap.js';
import type { LoadedList } from './resident-postings.js';

interface OpenTable {
  readonly dictionary: Ptr;
  /** Start of each list in the postings, and the end of the last. */
  readonly offsets: Uint32Array;
  readonly lists: PostingLists;
}
/** The list of no document: a list starts with its document count. */
const NO_POSTINGS = new Uint8Array(16);
/** A (field, word count) group in kernel memory. */
interface ResidentGroup {
  readonly offsets: Ptr;
  readonly docIds: Ptr;
}

/** One segment as a thread has it open. Its words never change, only which of its documents are dead. */
export class OpenSegment implements SegmentView {
  readonly id: number;
  dead: Ptr = 0;
  private readonly tables = new Map<WordTable, OpenTable>();
  private groups: Map<number, ResidentGroup> | undefined;
  private readonly prefixLists: PostingLists = new Map();
  /** Null once it is known that there are none. */
  private boxes: Uint8Array | null | undefined;
  /** By size and name; null once it is known that there are none. */
  private readonly vectorTables = new Map<string, VectorTable | null>();
  private readonly residents: Ptr[] = [];
  private bitCount = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly cache: PostingCache,
    private readonly rows: RowReader,
    private info: SegmentInfo,
  ) {
    this.id = info.id;
  }

  /** Takes over what a newer manifest says of the segment. Only between views. */
  refresh(info: SegmentInfo, bitCount: number): void {
    if (columnsIdOf(this.info) !== columnsIdOf(info)) {
      closeColumns(this.kernel, this);
      this.boxes = undefined;
      this.info = { ...this.info, ...info, deadCount: this.info.deadCount };
    }
    if (this.bitCount === bitCount && this.info.deadCount === info.deadCount) return;
    if (this.dead !== 0) this.kernel.free(this.dead);
    this.dead = 0;
    if (info.deadCount > 0) this.dead = writeResidentBitmap(this.kernel, readSegmentDead(this.rows, this.id), bitCount);
    this.info = info;
    this.bitCount = bitCount;
  }

  dictionary(table: WordTable): Ptr {
    return this.open(table).dictionary;
  }

  postings(table: WordTable, ordinal: number): SegmentPostings {
    const { offsets, lists } = this.open(table);
    const from = offsets[ordinal];
    const to = offsets[ordinal + 1];
    if (from === undefined || to === undefined)
      throw new Error(`segment ${this.id} has no word ${ordinal} in its ${table} table`);
    const part = table === 'tolerant' ? PARTS.tolerantPostings : PARTS.exactPostings;
    return this.cache.list(lists, ordinal, this.dead, () => {
      const ptr = this.kernel.allocate(to - from);
      this.readPostings(part, from, to, ptr);
      return { ptr, byteCount: to - from };
    });
  }

  prefixPostings(prefix: Uint8Array): SegmentPostings | null {
    let key = prefix.length;
    for (const byte of prefix) key = key * 256 + byte;
    const list = this.cache.list(this.prefixLists, key, this.dead, () => this.mergePrefix(prefix));
    return this.kernel.docCount(list.ptr) === 0 ? null : list;
  }

  orWordCount(target: Ptr, fieldId: number, wordCount: number): void {
    this.groups ??= this.loadGroups();
    const group = this.groups.get(groupKey(fieldId, wordCount));
    if (group === undefined) return;
    if (this.dead === 0) {
      this.kernel.orGroups(target, group.offsets, group.docIds, 0, 1);
      return;
    }
    const mark = this.kernel.mark();
    const docs = this.kernel.bitmap(this.bitCount);
    this.kernel.orGroups(docs, group.offsets, group.docIds, 0, 1);
    this.kernel.andNot(docs, this.dead);
    this.kernel.or(target, docs);
    this.kernel.release(mark);
  }

  facetColumn(field: string): Uint8Array | undefined {
    const place = this.info.facetFields.findIndex((name) => name === field);
    if (place < 0) return undefined;
    const column = getChunks(
      this.rows,
      columnsIdOf(this.info),
      PARTS.facetColumn,
      fieldChunk(this.info.facetFieldIds[place]!),
    );
    if (column === undefined) throw new Error(`segment ${this.id} lacks the column of field ${field}`);
    return column;
  }

  geoBoxes(): Uint8Array | undefined {
    this.boxes ??= getChunks(this.rows, columnsIdOf(this.info), PARTS.geoBoxes) ?? null;
    return this.boxes ?? undefined;
  }

  vectors(name: string, dimCount: number): VectorTable | undefined {
    const key = `${dimCount}:${name}`;
    let table = this.vectorTables.get(key);
    if (table === undefined) {
      const found = readVectorTables(this.rows, this.id, (given, size) => given === name && size === dimCount);
      table = found[0] ?? null;
      this.vectorTables.set(key, table);
    }
    return table ?? undefined;
  }

  /** Frees all kernel memory of the segment. Only between views. */
  close(): void {
    closeColumns(this.kernel, this);
    for (const { dictionary, lists } of this.tables.values()) {
      this.cache.dropAll(lists);
      if (dictionary !== 0) this.kernel.free(dictionary);
    }
    this.cache.dropAll(this.prefixLists);
    this.tables.clear();
    for (const ptr of this.residents) this.kernel.free(ptr);
    this.residents.length = 0;
    this.groups = undefined;
    this.vectorTables.clear();
    if (this.dead !== 0) this.kernel.free(this.dead);
    this.dead = 0;
    this.bitCount = 0;
  }

  /** Dead documents stay in: the segment's content never changes, and they are left out at each use. */
  private mergePrefix(prefix: Uint8Array): LoadedList {
    const mark = this.kernel.mark();
    const lists: LivePostings[] = [];
    for (const table of ['tolerant', 'exact'] as const) {
      const { dictionary, offsets } = this.open(table);
      if (dictionary === 0) continue;
      const [from, to] = this.kernel.prefixRange(dictionary, prefix);
      if (to <= from) continue;
      const part = table === 'tolerant' ? PARTS.tolerantPostings : PARTS.exactPostings;
      const base = this.kernel.scratch(offsets[to]! - offsets[from]!);
      this.readPostings(part, offsets[from]!, offsets[to]!, base);
      for (let word = from; word < to; word++) lists.push({ ptr: base + offsets[word]! - offsets[from]!, dead: 0 });
    }
    const merged = this.kernel.mergePostings(lists);
    this.kernel.release(mark);
    const bytes = merged.length === 0 ? NO_POSTINGS : merged;
    const ptr = this.kernel.allocate(bytes.length);
    this.kernel.write(ptr, bytes);
    return { ptr, byteCount: bytes.length };
  }

  /** Copies postings [from, to) of the part to `target`, from the store's pages to kernel memory at once. */
  private readPostings(part: SegmentPart, from: number, to: number, target: Ptr): void {
    readSpan(this.rows, { segmentId: this.id, part, from, to }, (piece, at) => this.kernel.write(target + at, piece));
  }

  private open(table: WordTable): OpenTable {
    let open = this.tables.get(table);
    if (open !== undefined) return open;
    const parts = table === 'tolerant' ? TOLERANT_PARTS : EXACT_PARTS;
    const bytes = getChunks(this.rows, this.id, parts.dictionary);
    const wordCount = this.info.wordCounts[table === 'tolerant' ? 0 : 1];
    const lengths = getChunks(this.rows, this.id, parts.offsets);
    open = {
      dictionary: bytes === undefined ? 0 : this.resident(bytes),
      offsets: decodeOffsets(lengths, wordCount),
      lists: new Map(),
    };
    this.tables.set(table, open);
    return open;
  }

  private resident(bytes: Uint8Array): Ptr {
    const ptr = this.kernel.allocate(bytes.length);
    this.kernel.write(ptr, bytes);
    return ptr;
  }

  private loadGroups(): Map<number, ResidentGroup> {
    const groups = new Map<number, ResidentGroup>();
    const bytes = getChunks(this.rows, this.id, PARTS.wordCounts);
    if (bytes === undefined) return groups;
    for (const { fieldId, wordCount, docIds } of decodeWordCounts(bytes)) {
      const ptr = this.kernel.allocate(8 + docIds.length * 4);
      this.kernel.writeU32(ptr, [0, docIds.length]);
      this.kernel.writeU32(ptr + 8, docIds);
      this.residents.push(ptr);
      groups.set(groupKey(fieldId, wordCount), { offsets: ptr, docIds: ptr + 8 });
    }
    return groups;
  }
}

function groupKey(fieldId: number, wordCount: number): number {
  return fieldId * 32 + wordCount;
}

/** Starts of lists from their varint lengths. */
export function decodeOffsets(lengths: Uint8Array | undefined, wordCount: number): Uint32Array {
  const offsets = new Uint32Array(wordCount + 1);
  if (lengths === undefined) return offsets;
  const reader = new ByteReader(lengths);
  for (let i = 0; i < wordCount; i++) offsets[i + 1] = offsets[i]! + reader.varint();
  return offsets;
}
