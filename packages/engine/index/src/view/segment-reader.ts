import type { FieldId, SegmentId, TermOrdinal } from '@fossick/base';
import {
  ColumnReader,
  encodeGeoPoints,
  GeoPoints,
  GroupWindows,
  pointsOfColumns,
  readColumn,
  type StoredBytes,
} from '@fossick/columns';
import {
  CHUNK_BYTES,
  columnsIdOf,
  fieldChunk,
  getChunks,
  type IndexManifest,
  listsLocation,
  PARTS,
  type PartLocation,
  type RowReader,
  readSpan,
  type SegmentInfo,
  type SegmentPart,
  segmentKey,
  TABLES,
} from '@fossick/format';
import {
  type Bitmap,
  type Dictionary,
  type DocGroups,
  joinPostingLists,
  type Kernel,
  type None,
  type PostingLists,
} from '@fossick/kernel';
import type { HeldMemory, MemoryEntry, SearchMemory } from '@fossick/memory';
import type { ListHost, SegmentPostings, WordLocation, WordTable } from '@fossick/postings';
import {
  AdjacentPairs,
  EXACT_PARTS,
  FUZZY_PARTS,
  joinedWindows,
  PrefixPostings,
  SegmentTerms,
  SegmentWindowRecords,
  StoredPairs,
  TermDictionaryReader,
  wordCountKey,
} from '@fossick/postings';
import { openVectors, type VectorReader } from '@fossick/vectors';
import { deletedPages } from '../documents/document-sets.js';
import type { SegmentView } from './index-view.js';
import { bitCountFor, ResidentDocs } from './resident-docs.js';

interface PrefixList {
  readonly list: PrefixPostings;
  readonly entry: MemoryEntry;
}
interface OpenTableOfVectors {
  readonly vectors: VectorReader;
  readonly entry: MemoryEntry;
}
/** Documents by (field, word count) in kernel memory, one block at `offsets`. */
interface WordCounts {
  readonly groups: DocGroups;
  readonly groupOf: ReadonlyMap<number, number>;
  readonly entry: MemoryEntry;
}

function columnLocation(info: SegmentInfo, part: SegmentPart, firstChunk = 0): PartLocation {
  return { segmentId: columnsIdOf(info), part, firstChunk, rowBytes: CHUNK_BYTES };
}

/** One segment as a thread has it open. Its words never change, only which of its documents are deleted. */
export class SegmentReader implements SegmentView {
  private readonly kernel: Kernel;
  private readonly memory: SearchMemory;
  private readonly rows: RowReader;
  private info: SegmentInfo;
  readonly id: SegmentId;
  private readonly deletedDocs: ResidentDocs;
  private knownTerms: { readonly terms: SegmentTerms; readonly entry: MemoryEntry } | undefined;
  private readonly tables = new Map<WordTable, TermDictionaryReader>();
  /** Null: the segment has none. */
  private wordCounts: WordCounts | null | undefined;
  private readonly wordCountWindows: GroupWindows;
  private readonly prefixLists = new Map<string, PrefixList>();
  /** By field; null: the segment has none. */
  private readonly columns = new Map<string, ColumnReader | null>();
  /** Null: the segment has none. */
  private points: GeoPoints | null | undefined;
  /** Null: the segment has none. */
  private boxes: Uint8Array | null | undefined;
  /** By dimension and name; null: there are none. */
  private readonly vectorTables = new Map<string, OpenTableOfVectors | null>();
  /** Null: the segment has none. */
  private knownWindows: { readonly records: SegmentWindowRecords; readonly entry: MemoryEntry } | null | undefined;
  /** Null: the segment has none. */
  private knownPairs: { readonly stored: StoredPairs; readonly entry: MemoryEntry } | null | undefined;
  private bitCount = 0;
  private readonly scope = { fieldCount: 0 };
  private readonly listHost: ListHost;
  private readonly pairs: AdjacentPairs;

  constructor(kernel: Kernel, memory: SearchMemory, rows: RowReader, info: SegmentInfo) {
    this.kernel = kernel;
    this.memory = memory;
    this.rows = rows;
    this.info = info;
    this.id = info.id;
    this.deletedDocs = new ResidentDocs(kernel, memory);
    this.pairs = new AdjacentPairs(kernel, memory);
    this.wordCountWindows = new GroupWindows(kernel, memory, () => this.documentsByWordCount()!.groups);
    this.listHost = { kernel, onGrowth: memory.growPostings, scope: this.scope };
  }

  get deleted(): Bitmap | None {
    return this.deletedDocs.ptr;
  }

  /** Updates the segment from a newer manifest. Only between views. `changed`: changed pages of deleted documents, undefined when unknown. */
  refresh(info: SegmentInfo, manifest: IndexManifest, fieldCount: number, changed: Iterable<number> | undefined): void {
    const bitCount = bitCountFor(manifest.docIdBound);
    this.scope.fieldCount = fieldCount;
    if (columnsIdOf(this.info) !== columnsIdOf(info)) {
      this.closeColumns();
      this.info = { ...this.info, ...info, deadCount: this.info.deadCount };
    }
    if (this.bitCount === bitCount && this.info.deadCount === info.deadCount) return;
    if (info.deadCount === 0) this.deletedDocs.free();
    else this.deletedDocs.follow(deletedPages(this.rows, this.id, manifest), bitCount, changed);
    this.info = info;
    this.bitCount = bitCount;
  }

  get terms(): SegmentTerms {
    if (this.knownTerms === undefined) {
      const terms = new SegmentTerms((bytes) => this.memory.grow('terms', bytes));
      const forget = (): void => {
        this.knownTerms = undefined;
      };
      this.knownTerms = { terms, entry: this.memory.hold(terms, forget) };
    } else this.memory.touch(this.knownTerms.entry);
    return this.knownTerms.terms;
  }

  dictionary(table: WordTable): Dictionary | None {
    return this.open(table).dictionary;
  }

  postings(table: WordTable, ordinal: TermOrdinal): SegmentPostings {
    return this.open(table).list(ordinal, this.deleted);
  }

  orWords(target: Bitmap, table: WordTable, ordinals: readonly TermOrdinal[]): void {
    this.open(table).orDocs(target, ordinals, this.deleted);
  }

  docCount(table: WordTable, ordinal: TermOrdinal): number {
    return this.open(table).docCount(ordinal);
  }

  prefixPostings(prefix: Uint8Array): SegmentPostings | null {
    const key = Buffer.from(prefix).toString('latin1');
    const known = this.prefixLists.get(key);
    if (known !== undefined) {
      this.memory.touch(known.entry);
      known.list.deleted = this.deleted;
      return known.list;
    }
    const list = this.wordsOf(prefix);
    if (list !== null) {
      const entry = this.memory.hold(list, () => this.prefixLists.delete(key));
      this.prefixLists.set(key, { list, entry });
    }
    return list;
  }

  orAdjacent(target: Bitmap, left: WordLocation, right: WordLocation, isByWord: boolean, within: Bitmap): void {
    const { kernel } = this;
    const key = `${isByWord ? 'w' : 'f'}${left.join('.')} ${right.join('.')}`;
    this.pairs.orDocs(key, target, within, this.deleted, (found) => {
      const [x, y] = [this.postings(...left), this.postings(...right)];
      for (const list of [x, y]) list.positionLists(within, true);
      if (isByWord) kernel.lists.adjacent(x, y, within, found);
      else kernel.lists.sameField(x, y, within, found);
    });
  }

  orStoredAdjacent(target: Bitmap, left: WordLocation, right: WordLocation): boolean {
    const { storedPairs } = this;
    const pair = storedPairs?.pairOf(left, right) ?? null;
    if (storedPairs === null || pair === null) return false;
    this.pairs.orStored(`s${pair}`, target, this.deleted, () => storedPairs.docs(pair));
    return true;
  }

  orWordCount(target: Bitmap, fieldId: FieldId, wordCount: number): void {
    const group = this.documentsByWordCount()?.groupOf.get(wordCountKey(fieldId, wordCount));
    if (group !== undefined) this.wordCountWindows.or(target, group, group + 1, this.deleted);
  }

  column(field: string): ColumnReader | undefined {
    let column = this.columns.get(field);
    if (column === undefined) {
      const stored = this.storedColumn(field);
      column = stored === undefined ? null : new ColumnReader(this, this.kernel, this.memory, stored);
      this.columns.set(field, column);
    }
    return column ?? undefined;
  }

  geoPoints(): GeoPoints | undefined {
    this.points ??= this.openPoints() ?? null;
    return this.points ?? undefined;
  }

  geoBoxes(): Uint8Array | undefined {
    this.boxes ??= getChunks(this.rows, columnsIdOf(this.info), PARTS.geoBoxes) ?? null;
    return this.boxes ?? undefined;
  }

  vectors(name: string, dimCount: number, isQuantized: boolean): VectorReader | undefined {
    const key = `${dimCount}:${Number(isQuantized)}:${name}`;
    const known = this.vectorTables.get(key);
    if (known === null) return undefined;
    if (known !== undefined) {
      this.memory.touch(known.entry);
      return known.vectors;
    }
    const vectors = openVectors(this.kernel, this.rows, this.id, { name, dimCount, isQuantized });
    if (vectors === null) {
      this.vectorTables.set(key, null);
      return undefined;
    }
    const entry = this.memory.hold(vectors, () => this.vectorTables.delete(key));
    this.vectorTables.set(key, { vectors, entry });
    return vectors;
  }

  /** Frees all kernel memory of the segment. Only between views. */
  close(): void {
    this.closeColumns();
    this.pairs.close();
    for (const table of this.tables.values()) table.close();
    if (this.knownTerms !== undefined) this.memory.drop(this.knownTerms.entry);
    for (const { entry } of [...this.prefixLists.values()]) this.memory.drop(entry);
    if (this.knownWindows) this.memory.drop(this.knownWindows.entry);
    this.knownWindows = undefined;
    if (this.knownPairs) this.memory.drop(this.knownPairs.entry);
    this.knownPairs = undefined;
    this.tables.clear();
    this.wordCountWindows.close();
    if (this.wordCounts) this.memory.drop(this.wordCounts.entry);
    this.wordCounts = undefined;
    for (const table of [...this.vectorTables.values()]) if (table !== null) this.memory.drop(table.entry);
    this.vectorTables.clear();
    this.deletedDocs.free();
    this.bitCount = 0;
  }

  private storedColumn(field: string): StoredBytes | undefined {
    const fieldId = this.fieldIdOf(field);
    if (fieldId === undefined) return undefined;
    const { rows } = this;
    const place = columnLocation(this.info, PARTS.facetColumn, fieldChunk(fieldId));
    return { read: (from, to, take) => readSpan(rows, place, from, to, take) };
  }

  /** Segments of earlier releases lack the part: it is derived from their columns. */
  private openPoints(): GeoPoints | undefined {
    const { rows } = this;
    const place = columnLocation(this.info, PARTS.geoPoints);
    const isStored = rows.read(TABLES.segments, segmentKey(place.segmentId, place.part, 0), () => true);
    if (isStored === true)
      return new GeoPoints(this, this.memory, {
        read: (from, to, take) => readSpan(rows, place, from, to, take),
      });
    const sides = ['_geo.lat', '_geo.lng'].map((field) => this.fieldIdOf(field));
    if (sides.includes(undefined)) return undefined;
    return new GeoPoints(this, this.memory, () => {
      const [lat, lng] = sides.map((fieldId) =>
        readColumn(getChunks(rows, place.segmentId, PARTS.facetColumn, fieldChunk(fieldId!))!),
      );
      return encodeGeoPoints(pointsOfColumns(lat!, lng!));
    });
  }

  private fieldIdOf(field: string): FieldId | undefined {
    const position = this.info.facetFields.indexOf(field);
    return position < 0 ? undefined : this.info.facetFieldIds[position];
  }

  private closeColumns(): void {
    for (const column of this.columns.values()) column?.close();
    this.columns.clear();
    this.points?.close();
    this.points = undefined;
    this.boxes = undefined;
  }

  private wordsOf(prefix: Uint8Array): PrefixPostings | null {
    const { kernel, deleted } = this;
    const ranges: {
      readonly name: WordTable;
      readonly table: TermDictionaryReader;
      readonly from: number;
      readonly to: number;
    }[] = [];
    for (const name of ['fuzzy', 'exact'] as const) {
      const table = this.open(name);
      if (table.dictionary === 0) continue;
      const [from, to] = kernel.dictionaries.prefixRange(table.dictionary, prefix);
      if (to > from) ranges.push({ name, table, from, to });
    }
    if (ranges.length === 0) return null;
    const find = (): PostingLists => {
      const [first, second] = ranges.map(({ table, from, to }) => table.addresses(from, to));
      return second === undefined ? first! : joinPostingLists(first!, second);
    };
    const stored = ranges.map(({ name }) => this.windows?.ofPrefix(name, prefix) ?? null);
    const windows = stored.reduce((left, right) =>
      left === null || right === null ? null : joinedWindows(left, right),
    );
    return new PrefixPostings(this.listHost, find, deleted, windows);
  }

  /** The stored windows of common words; null for segments without any. */
  private get windows(): SegmentWindowRecords | null {
    if (this.knownWindows === undefined) {
      const records = SegmentWindowRecords.open(this.kernel, this.rows, this.info);
      const forget = (): void => {
        this.knownWindows = undefined;
      };
      this.knownWindows = records === null ? null : { records, entry: this.memory.hold(records, forget) };
    } else if (this.knownWindows !== null) this.memory.touch(this.knownWindows.entry);
    return this.knownWindows?.records ?? null;
  }

  /** The stored pairs of common words; null for segments without any. */
  private get storedPairs(): StoredPairs | null {
    if (this.knownPairs === undefined) {
      const stored = StoredPairs.open(this.rows, this.info);
      const forget = (): void => {
        this.knownPairs = undefined;
      };
      this.knownPairs = stored === null ? null : { stored, entry: this.memory.hold(stored, forget) };
    } else if (this.knownPairs !== null) this.memory.touch(this.knownPairs.entry);
    return this.knownPairs?.stored ?? null;
  }

  private open(table: WordTable): TermDictionaryReader {
    let open = this.tables.get(table);
    if (open === undefined) {
      const parts = table === 'fuzzy' ? FUZZY_PARTS : EXACT_PARTS;
      const wordCount = this.info.wordCounts[table === 'fuzzy' ? 0 : 1];
      open = new TermDictionaryReader(this.kernel, this.memory, this.rows, {
        segmentId: this.id,
        parts,
        postings: listsLocation(this.info, parts.postings),
        wordCount,
        listHost: this.listHost,
        windowsOf: (ordinal) => this.windows?.ofWord(table, ordinal) ?? null,
      });
      this.tables.set(table, open);
    }
    return open;
  }

  private documentsByWordCount(): WordCounts | null {
    if (this.wordCounts === undefined) this.wordCounts = this.loadGroups();
    else if (this.wordCounts !== null) this.memory.touch(this.wordCounts.entry);
    return this.wordCounts;
  }

  private loadGroups(): WordCounts | null {
    const bytes = getChunks(this.rows, this.id, PARTS.wordCounts);
    if (bytes === undefined) return null;
    const { kernel } = this;
    const before = kernel.memory.allocatedBytes;
    const { keys, offsets, docIds } = kernel.varints.readGroups(bytes);
    const held: HeldMemory = {
      kind: 'columns',
      byteCount: kernel.memory.allocatedBytes - before,
      free: () => kernel.memory.free(offsets),
    };
    const forget = (): void => {
      this.wordCounts = undefined;
    };
    const entry = this.memory.hold(held, forget);
    const groups: DocGroups = { count: keys.length, offsets, docs: docIds };
    return { groups, groupOf: new Map(Array.from(keys, (key, group) => [key, group])), entry };
  }
}
