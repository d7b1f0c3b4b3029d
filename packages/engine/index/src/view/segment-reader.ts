import { type FieldId, latin1Text, type SegmentId, type TermOrdinal } from '@fossick/base';
import { type ColumnReader, type GeoPoints, GroupWindows } from '@fossick/columns';
import {
  columnsIdOf,
  getChunks,
  type IndexManifest,
  listsLocation,
  PARTS,
  type RowReader,
  type SegmentInfo,
} from '@fossick/format';
import {
  type Bitmap,
  type Block,
  type Dictionary,
  type DocGroups,
  joinPostingLists,
  type Kernel,
  type MadeStructure,
  type None,
  type PostingLists,
  type Structure,
  type Structures,
  type U32Array,
  u32ArrayIn,
} from '@fossick/kernel';
import { HeldByKey, HeldOnDemand, HeldStructure, type SearchMemory } from '@fossick/kernel/memory';
import {
  AdjacentPairs,
  EXACT_PARTS,
  FUZZY_PARTS,
  joinedWindows,
  type ListHost,
  PrefixPostings,
  ResidentPostings,
  type SegmentPostings,
  SegmentTerms,
  SegmentWindowRecords,
  StoredPairs,
  TermDictionaryReader,
  type WordLocation,
  type WordTable,
  wordCountKey,
} from '@fossick/postings';
import { openVectors, type VectorReader } from '@fossick/vectors';
import { deletedPages } from '../documents/document-sets.js';
import type { SegmentView } from './index-view.js';
import { bitCountFor, ResidentDocs } from './resident-docs.js';
import { SegmentColumns } from './segment-columns.js';

/** One segment as a thread has it open. Its words never change, only which of its documents are deleted. */
export class SegmentReader implements SegmentView {
  private readonly kernel: Kernel;
  private readonly memory: SearchMemory;
  private readonly rows: RowReader;
  private info: SegmentInfo;
  readonly id: SegmentId;
  private readonly deletedDocs: ResidentDocs;
  private readonly terms: HeldOnDemand<SegmentTerms>;
  private readonly tables = new Map<WordTable, TermDictionaryReader>();
  private readonly wordCounts: HeldOnDemand<WordCountGroups | null>;
  private readonly wordCountWindows: GroupWindows;
  private readonly prefixLists: HeldByKey<string, PrefixPostings>;
  private readonly infixLists: HeldByKey<string, ResidentPostings>;
  private columns: SegmentColumns;
  /** By dimension and name; null: there are none. */
  private readonly vectorTables: HeldByKey<string, VectorReader | null>;
  /** The stored windows and pairs of common words; null: the segment has none. */
  private readonly windows: HeldOnDemand<SegmentWindowRecords | null>;
  private readonly storedPairs: HeldOnDemand<StoredPairs | null>;
  private bitCount = 0;
  /** `deleted` has documents that are not deleted, but expired. */
  private hasHidden = false;
  private readonly scope = { fieldCount: 0 };
  private readonly listHost: ListHost;
  private readonly pairs: AdjacentPairs;
  /** Structures of the segment, with keys of their own. */
  readonly structures: Structures;

  /** @param structures of its index: those of a segment never change */
  constructor(kernel: Kernel, memory: SearchMemory, rows: RowReader, info: SegmentInfo, structures: Structures) {
    this.kernel = kernel;
    this.structures = structures.scope(`segment ${info.id}:`);
    this.memory = memory;
    this.rows = rows;
    this.info = info;
    this.id = info.id;
    this.deletedDocs = new ResidentDocs(kernel, memory);
    this.pairs = new AdjacentPairs(kernel, memory, this.structures.scope('pairs:'));
    this.terms = new HeldOnDemand(memory, () => new SegmentTerms((bytes) => memory.grow('terms', bytes)));
    this.wordCounts = new HeldOnDemand(memory, () => WordCountGroups.read(kernel, rows, this.id, this.structures));
    const counted = (): WordCountGroups => this.wordCounts.load()!;
    this.wordCountWindows = new GroupWindows(kernel, memory, counted, this.structures.scope('word counts:'));
    this.prefixLists = new HeldByKey(memory);
    this.infixLists = new HeldByKey(memory);
    this.columns = new SegmentColumns(this, kernel, memory, rows, info);
    this.vectorTables = new HeldByKey(memory);
    this.windows = new HeldOnDemand(memory, () => SegmentWindowRecords.open(kernel, rows, this.info));
    this.storedPairs = new HeldOnDemand(memory, () => StoredPairs.open(rows, this.info));
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
      this.columns.close();
      this.info = { ...this.info, ...info, deadCount: this.info.deadCount };
      this.columns = new SegmentColumns(this, this.kernel, this.memory, this.rows, this.info);
    }
    const { hasHidden } = this;
    if (!hasHidden && this.bitCount === bitCount && this.info.deadCount === info.deadCount) return;
    this.hasHidden = false;
    if (info.deadCount === 0) this.deletedDocs.free();
    else this.deletedDocs.follow(deletedPages(this.rows, this.id, manifest), bitCount, hasHidden ? undefined : changed);
    this.info = info;
    this.bitCount = bitCount;
  }

  /** Treats documents as deleted until the next `refresh`. Only between views. */
  hide(docs: Bitmap): void {
    // at first of no document
    const bitmap = this.deletedDocs.ptr || this.deletedDocs.follow(() => undefined, this.bitCount, undefined);
    this.kernel.bitmaps.or(bitmap, docs);
    this.hasHidden = true;
  }

  loadTerms(): SegmentTerms {
    return this.terms.load();
  }

  dictionary(table: WordTable): Dictionary | None {
    return this.open(table).loadDictionary();
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

  infixPostings(text: string, withoutPrefixes: boolean, fields: Uint8Array): SegmentPostings | null {
    const key = `${withoutPrefixes ? 'p' : 'w'}${text}`;
    let list = this.infixLists.use(key) ?? null;
    if (list === null) {
      // that a text is in no word is not remembered: there are any number of such texts
      const made = this.infixList(text, withoutPrefixes, fields);
      if (made !== null) list = this.infixLists.load(key, () => made);
    }
    if (list !== null) list.deleted = this.deleted;
    return list;
  }

  prefixPostings(prefix: Uint8Array): SegmentPostings | null {
    const key = latin1Text(prefix);
    let list = this.prefixLists.use(key) ?? null;
    if (list === null) {
      const words = this.wordsOf(prefix);
      if (words !== null) list = this.prefixLists.load(key, () => words);
    }
    if (list !== null) list.deleted = this.deleted;
    return list;
  }

  orAdjacent(target: Bitmap, left: WordLocation, right: WordLocation, isByWord: boolean, within: Bitmap): void {
    const { kernel } = this;
    const key = `${isByWord ? 'w' : 'f'}${left.join('.')} ${right.join('.')}`;
    this.pairs.orDocs(key, target, within, this.deleted, (found) => {
      const [x, y] = [this.postings(...left), this.postings(...right)];
      for (const list of [x, y]) list.prepareWalk(within, true);
      if (isByWord) kernel.lists.adjacent(x, y, within, found);
      else kernel.lists.sameField(x, y, within, found);
    });
  }

  orStoredAdjacent(target: Bitmap, left: WordLocation, right: WordLocation): boolean {
    const storedPairs = this.storedPairs.load();
    const pair = storedPairs?.pairOf(left, right) ?? null;
    if (storedPairs === null || pair === null) return false;
    this.pairs.orStored(`s${pair}`, target, this.deleted, () => storedPairs.docs(pair));
    return true;
  }

  orWordCount(target: Bitmap, fieldId: FieldId, wordCount: number): void {
    const group = this.wordCounts.load()?.groupOf(wordCountKey(fieldId, wordCount));
    if (group !== undefined) this.wordCountWindows.or(target, group, group + 1, this.deleted);
  }

  column(field: string): ColumnReader | undefined {
    return this.columns.column(field);
  }

  geoPoints(): GeoPoints | undefined {
    return this.columns.geoPoints();
  }

  geoBoxes(): Uint8Array | undefined {
    return this.columns.geoBoxes();
  }

  vectors(name: string, dimCount: number, isQuantized: boolean): VectorReader | undefined {
    const key = `${dimCount}:${Number(isQuantized)}:${name}`;
    const open = (): VectorReader | null =>
      openVectors(this.kernel, this.rows, this.id, { name, dimCount, isQuantized });
    return this.vectorTables.load(key, open) ?? undefined;
  }

  /** Frees all kernel memory of the segment. Only between views. */
  close(): void {
    this.columns.close();
    this.pairs.close();
    for (const table of this.tables.values()) table.close();
    this.terms.drop();
    this.prefixLists.drop();
    this.infixLists.drop();
    this.windows.drop();
    this.storedPairs.drop();
    this.tables.clear();
    this.wordCountWindows.close();
    this.wordCounts.drop();
    this.vectorTables.drop();
    this.deletedDocs.free();
    this.bitCount = 0;
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
      const dictionary = table.loadDictionary();
      if (dictionary === 0) continue;
      const [from, to] = kernel.dictionaries.prefixRange(dictionary, prefix);
      if (to > from) ranges.push({ name, table, from, to });
    }
    if (ranges.length === 0) return null;
    const find = (): PostingLists => {
      const [first, second] = ranges.map(({ table, from, to }) => table.addresses(from, to));
      return second === undefined ? first! : joinPostingLists(first!, second);
    };
    const stored = ranges.map(
      ({ name, from }) => this.windows.load()?.ofPrefix(name, prefix, from as TermOrdinal) ?? null,
    );
    const windows = stored.reduce((left, right) =>
      left === null || right === null ? null : joinedWindows(left, right),
    );
    const host = { ...this.listHost, structures: this.structures.scope(`prefix ${latin1Text(prefix)}:`) };
    return new PrefixPostings(host, find, deleted, windows);
  }

  private infixList(text: string, withoutPrefixes: boolean, fields: Uint8Array): ResidentPostings | null {
    const { kernel, deleted } = this;
    const mark = kernel.memory.mark();
    const [fuzzy, exact] = [this.open('fuzzy'), this.open('exact')].map((table) =>
      table.infixLists(text, withoutPrefixes),
    );
    const lists = joinPostingLists(fuzzy!, exact!);
    const merged = lists.length === 0 ? null : kernel.wordLists.mergeInFields(lists, fields);
    kernel.memory.release(mark);
    if (merged === null) return null;
    // which fields count is a setting, so that it is no structure of the segment
    const make = (): MadeStructure => ({ blocks: [merged.ptr], byteCount: merged.byteCount });
    return new ResidentPostings(this.listHost, { make }, deleted);
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
        structures: this.structures.scope(`${table}:`),
        windowsOf: (ordinal) => this.windows.load()?.ofWord(table, ordinal) ?? null,
      });
      this.tables.set(table, open);
    }
    return open;
  }
}

/** The documents of a segment by field and number of words, in kernel memory: one block at `offsets`. */
class WordCountGroups extends HeldStructure implements DocGroups {
  readonly count: number;
  readonly offsets: U32Array;
  readonly docs: U32Array;
  private readonly groupByKey: ReadonlyMap<number, number>;

  /** @param structure its numbers are where the documents begin in the block, and the keys */
  private constructor(structure: Structure) {
    super('columns', structure);
    const [docsAt, ...keys] = structure.numbers as readonly [number, ...number[]];
    const block = structure.blocks[0] as Block;
    this.count = keys.length;
    this.offsets = u32ArrayIn(block, 0);
    this.docs = u32ArrayIn(block, docsAt);
    this.groupByKey = new Map(keys.map((key, group) => [key, group]));
  }

  /** Null for a segment without any. */
  static read(
    kernel: Kernel,
    rows: RowReader,
    segmentId: SegmentId,
    structures: Structures = kernel.ownStructures,
  ): WordCountGroups | null {
    const bytes = getChunks(rows, segmentId, PARTS.wordCounts);
    if (bytes === undefined) return null;
    const structure = structures.load('word counts', () => {
      const before = kernel.memory.allocatedBytes;
      const { keys, offsets, docIds } = kernel.varints.readGroups(bytes);
      const byteCount = kernel.memory.allocatedBytes - before;
      return { blocks: [offsets], numbers: [docIds - offsets, ...keys], byteCount };
    });
    return new WordCountGroups(structure);
  }

  /** The group of a key (`wordCountKey`). */
  groupOf(key: number): number | undefined {
    return this.groupByKey.get(key);
  }
}
