import type { DocId, SegmentId } from '@fossick/base';
import { readColumn } from '@fossick/columns';
import { decodeDocument } from '@fossick/documents';
import {
  columnsIdOf,
  DocSet,
  fieldChunk,
  getChunks,
  type IndexManifest,
  listsLocation,
  PARTS,
  readFieldNames,
  readManifest,
  rowsOf,
  type SegmentInfo,
  segmentKey,
  TABLES,
} from '@fossick/format';
import { type Bitmap, createKernel, type Kernel, postingListIn } from '@fossick/kernel';
import { EXACT_PARTS, FUZZY_PARTS, type TableParts } from '@fossick/postings';
import type { Store } from '@fossick/storage';
import { Catalogue } from '../catalogue/catalogue.js';
import { readDeleted, readDocs, readLive } from '../documents/document-sets.js';
import { readSettings } from '../documents/stored-settings.js';
import { writeResidentBitmap } from '../view/resident-bitmap.js';
import { bitCountFor } from '../view/resident-docs.js';

/** How many problems of one kind are listed. */
const LISTED_PROBLEMS_MAX = 3;
/** Bytes of long-lived kernel memory above which the kernel is renewed: posting lists are loaded one after another. */
const LIST_BATCH_BYTES = 8 * 2 ** 20;

/** What was checked in an index, and what is wrong with it: nothing when `problems` is empty. */
export interface IndexCheckResult {
  readonly documentCount: number;
  readonly segmentCount: number;
  readonly wordCount: number;
  readonly problems: readonly string[];
}

/** Collects sentences about problems, a few of each kind. */
class Problems {
  readonly found: string[] = [];
  private readonly counts = new Map<string, number>();

  add(kind: string, detail: string): void {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    if (count <= LISTED_PROBLEMS_MAX) this.found.push(`${kind}: ${detail}`);
  }
  /** All problems, with a line that counts those not listed. */
  reported(): string[] {
    const more = [...this.counts].filter(([, count]) => count > LISTED_PROBLEMS_MAX);
    return [...this.found, ...more.map(([kind, count]) => `${kind}: ${count - LISTED_PROBLEMS_MAX} more`)];
  }
}

/**
 * Compares the parts of an index with one another: live documents, their rows and ids, the documents of segments,
 * dictionaries with the lengths and the documents of their posting lists, columns. Every row is read, so its checksum
 * is verified too. Nobody may write meanwhile. O(bytes)
 */
export function verifyIndex(store: Store): IndexCheckResult {
  const rows = rowsOf(store);
  const problems = new Problems();
  const manifest = readManifest(rows);
  const fieldNames = readFieldNames(rows);
  readSettings(rows);
  const live = readLive(rows, manifest);
  if (live.count !== manifest.documentCount)
    problems.add('live documents', `${live.count}, and the manifest says ${manifest.documentCount}`);
  if (live.bound > manifest.docIdBound)
    problems.add('live documents', `one is ${live.bound - 1}, and the manifest says below ${manifest.docIdBound}`);
  verifyDocuments(store, live, fieldNames, problems);
  verifyIds(store, live, problems);
  const covered = new DocSet();
  let wordCount = 0;
  for (const info of manifest.segments) {
    verifySegmentDocs(store, info, manifest, { live, covered }, problems);
    wordCount += info.wordCounts[0] + info.wordCounts[1];
    verifyWords(store, info, manifest, problems);
    verifyColumns(store, info, fieldNames, problems);
  }
  if (covered.count !== live.count)
    problems.add('segments', `${covered.count} live documents are in one, of ${live.count}`);
  return {
    documentCount: live.count,
    segmentCount: manifest.segments.length,
    wordCount,
    problems: problems.reported(),
  };
}

/**
 * Every live document has a row that can be decoded. Other rows were left by an interrupted batch, which is no problem.
 */
function verifyDocuments(store: Store, live: DocSet, fieldNames: readonly string[], problems: Problems): void {
  let count = 0;
  for (const { key, value } of store.table(TABLES.documents).range({})) {
    const docId = new DataView(key.buffer, key.byteOffset).getUint32(0) as DocId;
    if (!live.has(docId)) continue;
    count += 1;
    try {
      decodeDocument(value, fieldNames);
    } catch (error) {
      problems.add('documents', `the row of ${docId} cannot be read: ${(error as Error).message}`);
    }
  }
  if (count !== live.count) problems.add('documents', `${live.count - count} live documents have no row`);
}

/** Every live document has exactly one id. */
function verifyIds(store: Store, live: DocSet, problems: Problems): void {
  const named = new DocSet();
  for (const { key, value } of store.table(TABLES.ids).range({})) {
    const docId = new DataView(value.buffer, value.byteOffset).getUint32(0) as DocId;
    if (!live.has(docId)) continue;
    if (!named.add(docId))
      problems.add('ids', `\`${Buffer.from(key).toString('latin1')}\` names the document ${docId}, as another id does`);
  }
  if (named.count !== live.count) problems.add('ids', `${live.count - named.count} live documents have none`);
}

/** Documents of a segment that are not deleted are live, and in no other segment. */
function verifySegmentDocs(
  store: Store,
  { id, docCount, deadCount }: SegmentInfo,
  manifest: IndexManifest,
  { live, covered }: { readonly live: DocSet; readonly covered: DocSet },
  problems: Problems,
): void {
  const rows = rowsOf(store);
  const kind = `segment ${id}`;
  const docs = readDocs(rows, id, manifest);
  const deleted = readDeleted(rows, id, manifest);
  if (docs.count !== docCount) problems.add(kind, `${docs.count} documents, and the manifest says ${docCount}`);
  if (deleted.count !== deadCount)
    problems.add(kind, `${deleted.count} dead documents, and the manifest says ${deadCount}`);
  for (const docId of deleted.toArray())
    if (!docs.has(docId)) problems.add(kind, `${docId} is dead and was never there`);
  for (const docId of docs.toArray()) {
    if (deleted.has(docId)) continue;
    if (!live.has(docId)) problems.add(kind, `the document ${docId} is not live`);
    if (!covered.add(docId)) problems.add(kind, `the document ${docId} is in another segment too`);
  }
}

/**
 * Both word tables have as many words as the manifest says, and lists of the given lengths, of documents of the
 * segment.
 */
function verifyWords(store: Store, info: SegmentInfo, manifest: IndexManifest, problems: Problems): void {
  const kernel = createKernel();
  const bitCount = bitCountFor(manifest.docIdBound);
  const docs = writeResidentBitmap(kernel, readDocs(rowsOf(store), info.id, manifest), bitCount);
  ([FUZZY_PARTS, EXACT_PARTS] as const).forEach((parts, table) => {
    const kind = `segment ${info.id}, ${table === 0 ? 'fuzzy' : 'exact'} words`;
    try {
      verifyTable(kernel, store, { info, parts, wordCount: info.wordCounts[table]!, docs, bitCount }, (detail) =>
        problems.add(kind, detail),
      );
    } catch (error) {
      problems.add(kind, (error as Error).message);
    }
  });
}

interface TableLook {
  readonly info: SegmentInfo;
  readonly parts: TableParts;
  readonly wordCount: number;
  /** Bitmap of the documents of the segment. */
  readonly docs: Bitmap;
  readonly bitCount: number;
}

function verifyTable(
  kernel: Kernel,
  store: Store,
  { info, parts, wordCount, docs, bitCount }: TableLook,
  problem: (detail: string) => void,
): void {
  const rows = rowsOf(store);
  const lengths = getChunks(rows, info.id, parts.offsets);
  const offsets = lengths === undefined ? new Uint32Array(1) : kernel.varints.sums(lengths);
  const dictionary = getChunks(rows, info.id, parts.dictionary);
  if (offsets.length !== wordCount + 1) problem(`${offsets.length - 1} lists, and the manifest says ${wordCount}`);
  if (dictionary !== undefined) {
    const ptr = kernel.dictionaries.load(dictionary);
    const size = kernel.dictionaries.size(ptr);
    if (size !== wordCount) problem(`${size} words in the dictionary, and the manifest says ${wordCount}`);
    kernel.memory.free(ptr);
  } else if (wordCount > 0) problem('the dictionary is missing');
  const { firstChunk, rowBytes } = listsLocation(info, parts.postings);
  const postings = getChunks(rows, info.id, parts.postings, firstChunk, rowBytes) ?? new Uint8Array(0);
  if (postings.length !== offsets.at(-1))
    problem(`${postings.length} bytes of lists, and their lengths sum up to ${offsets.at(-1)}`);
  else verifyLists(kernel, { postings, offsets, docs, bitCount }, problem);
}

/** The documents of a list have the given number, and belong to the segment. */
function verifyLists(
  kernel: Kernel,
  look: {
    readonly postings: Uint8Array;
    readonly offsets: Uint32Array;
    readonly docs: Bitmap;
    readonly bitCount: number;
  },
  problem: (detail: string) => void,
): void {
  const { postings, offsets, docs, bitCount } = look;
  const bits = kernel.bitmaps.createResident(bitCount);
  for (let from = 0; from < offsets.length - 1; ) {
    let to = from + 1;
    while (to < offsets.length - 1 && offsets[to + 1]! - offsets[from]! <= LIST_BATCH_BYTES) to++;
    const start = offsets[from]!;
    const base = kernel.memory.allocate(offsets[to]! - start);
    kernel.memory.write(base, postings.subarray(start, offsets[to]));
    for (let word = from; word < to; word++) {
      const ptr = postingListIn(base, offsets[word]! - start);
      kernel.bitmaps.clear(bits);
      kernel.lists.orDocs(bits, { ptr, deleted: 0 });
      const count = kernel.bitmaps.count(bits);
      if (count !== kernel.lists.docCount(ptr))
        problem(`the list of word ${word} has ${count} documents, not as many as it says`);
      else if (kernel.bitmaps.intersectionCount(bits, docs) !== count)
        problem(`the list of word ${word} has documents that are not of the segment`);
    }
    kernel.memory.free(base);
    from = to;
  }
  kernel.memory.free(bits);
}

/** Every column that the manifest names can be read, and its field has a name. */
function verifyColumns(store: Store, info: SegmentInfo, fieldNames: readonly string[], problems: Problems): void {
  const rows = rowsOf(store);
  info.facetFieldIds.forEach((fieldId, at) => {
    const kind = `segment ${info.id}, column \`${info.facetFields[at]}\``;
    if (fieldNames[fieldId] !== info.facetFields[at])
      problems.add(kind, `its field ${fieldId} is \`${fieldNames[fieldId]}\``);
    try {
      const bytes = getChunks(rows, columnsIdOf(info), PARTS.facetColumn, fieldChunk(fieldId));
      if (bytes === undefined) problems.add(kind, 'it is missing');
      else readColumn(bytes);
    } catch (error) {
      problems.add(kind, (error as Error).message);
    }
  });
  // parts that no other check reads: reading verifies their checksums
  for (const _ of store.table(TABLES.segments).range({
    start: segmentKey(info.id, 0, 0),
    end: segmentKey((info.id + 1) as SegmentId, 0, 0),
  }));
}

/**
 * Verifies every index of a root folder that is not open elsewhere, one after another in byte order of their names
 * (verifyIndex).
 */
export async function* verifyIndexes(
  rootFolder: string,
): AsyncGenerator<{ readonly uid: string; readonly verdict: IndexCheckResult }> {
  const catalogue = new Catalogue({ rootFolder });
  try {
    for (const { uid, folder } of [...catalogue.folders()]) yield { uid, verdict: verdictOn(catalogue, folder) };
  } finally {
    await catalogue.close();
  }
}

function verdictOn(catalogue: Catalogue, folder: string): IndexCheckResult {
  try {
    return verifyIndex(catalogue.store(folder));
  } catch (error) {
    const problems = [`it cannot be read: ${(error as Error).message}`];
    return { documentCount: 0, segmentCount: 0, wordCount: 0, problems };
  }
}
