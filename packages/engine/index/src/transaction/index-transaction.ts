import { BatchCanceled, compareBytes, type DocId, type DocIds, type SegmentId } from '@fossick/base';
import { rebuildColumns } from '@fossick/columns';
import { decodeDocument, encodeDocument, externalIdOf, FieldNames, type JsonObject } from '@fossick/documents';
import {
  CurrentRows,
  DocSet,
  documentKey,
  type IndexManifest,
  type RowSink,
  type RowSource,
  readFieldNames,
  readManifest,
  TABLES,
  writeState as writeIndexState,
} from '@fossick/format';
import type { IndexSettings } from '@fossick/settings';
import { WORD_RULES } from '@fossick/tokenizer';
import { checkVectors, withoutGenerated } from '@fossick/vectors';
import { LIVE_PAGES } from '../documents/doc-pages.js';
import { ExternalIds } from '../documents/external-ids.js';
import { LiveDocuments } from '../documents/live-documents.js';
import { readSettings, storedSettings } from '../documents/stored-settings.js';
import type { SegmentWriter } from '../segment/segment-writer.js';
import { checkGeo, type GeoChecks, geoChecksOf } from './check-geo.js';
import { DocumentCounter } from './document-counter.js';
import { type IdempotencyRecord, writeRecords } from './idempotency-records.js';
import { IntermediateCommits } from './intermediate-commits.js';
import { joinStored, vectorsCheckOf } from './merge-document.js';
import type { PreparedDocument, PutMode } from './prepared-document.js';
import { SegmentList } from './segment-list.js';
import { type Savepoint, UndoLog } from './undo-log.js';
import type { IndexTransactionOptions } from './write-context.js';

/** Stored bytes between two checks of the memory that indexing holds. */
const BYTES_BETWEEN_LOOKS = 256 << 10;
/**
 * Share of the indexing memory that a segment may hold: sorting and writing it takes as much again, and freed memory is
 * not returned at once.
 */
const SEGMENT_SHARE = 1 / 4;

/**
 * All changes of one commit to one index. A new document is indexed at once, into a segment that grows up to its memory
 * limit. A document that changes again, or is restored by a rollback, is marked dirty and indexed by `flush`, once,
 * however often it was rewritten. `writeState` writes the manifest.
 */
export class IndexTransaction {
  private readonly options: IndexTransactionOptions;
  primaryKey: string | null;
  private readonly live: LiveDocuments;
  readonly fields: FieldNames;
  settings: IndexSettings;
  private readonly manifest: IndexManifest;
  private readonly segments: SegmentList;
  private readonly counter: DocumentCounter;
  private readonly fieldCountBefore: number;
  /** Documents whose row differs from what the segments and the builder contain. */
  private dirty = new DocSet();
  private builder: SegmentWriter | undefined;
  private bytesSinceLook = 0;
  private readonly ids: ExternalIds;
  private geoChecks: GeoChecks;
  private savepoint: Savepoint | undefined;
  private readonly intermediate: IntermediateCommits;
  private readonly rows = new CurrentRows();
  private readonly settingsBefore: IndexSettings;
  /** Records that replace those of the last commit; undefined: those stay. */
  receipts: readonly IdempotencyRecord[] | undefined;

  constructor(open: RowSink, options: IndexTransactionOptions) {
    this.options = options;
    const { rows } = this;
    rows.continueWith(open);
    this.manifest = readManifest(rows);
    this.primaryKey = this.manifest.primaryKey;
    this.settings = readSettings(rows);
    this.fields = new FieldNames(readFieldNames(rows));
    this.fieldCountBefore = this.fields.count;
    this.settingsBefore = this.settings;
    this.live = new LiveDocuments(rows, this.manifest);
    this.ids = new ExternalIds(rows, this.live.count > 0);
    this.intermediate = new IntermediateCommits(this.manifest.nextSegmentId, options.context.maxIndexingBytes);
    this.counter = new DocumentCounter(this.manifest, this.settings);
    this.geoChecks = geoChecksOf(this.settings, this.settings);
    this.segments = new SegmentList(rows, this.manifest);
  }

  /** The rows as this transaction sees them. */
  get source(): RowSource {
    return this.rows;
  }

  /** Whether it is time to commit what nobody sees yet, so that memory stays flat: `writeUncommittedRows`, then `continueWith`. */
  get isCommitDue(): boolean {
    return this.intermediate.isDue;
  }

  /** From now on the batch has rows that readers would see: nothing is committed before its end. */
  keepWhole(): void {
    this.intermediate.close();
  }

  /** Prepares the rows so far for a commit before the batch's end. */
  writeUncommittedRows(): void {
    const note = { primaryKey: this.primaryKey ?? '', fieldNames: this.fields.list };
    this.intermediate.commit(this.rows, note, this.segments.nextId);
  }

  /** Continues in the store's next transaction. */
  continueWith(rows: RowSink): void {
    this.rows.continueWith(rows);
  }

  /** Runs the work, then indexes what is left. Yields where the rows so far may be committed. */
  *run<T>(work: (transaction: IndexTransaction) => Generator<void, T>): Generator<void, T> {
    const result = yield* work(this);
    this.checkCanceled();
    yield* this.flush(true);
    return result;
  }

  /** Starts recording changes, until `release`; `rollback` takes back all of them since. */
  begin(): void {
    const { primaryKey, fields, segments, options } = this;
    const [log, fieldCount] = [new UndoLog(options.undoFile), fields.count];
    this.savepoint = { primaryKey, nextSegmentId: segments.nextId, fieldCount, log };
  }

  /** Ends the savepoint, if there is one. */
  release(): void {
    this.savepoint?.log.close();
    this.savepoint = undefined;
  }

  rollback(): void {
    if (this.savepoint === undefined) return;
    const { log, primaryKey, nextSegmentId, fieldCount } = this.savepoint;
    for (const { docId, row: before } of log.documents()) {
      const present = this.row(docId);
      const externalId = externalIdOf(this.decoded((before ?? present)!), this.primaryKey ?? '');
      this.setRow(externalId, docId, before, present);
      if (log.isAllotted(docId)) this.live.release(externalId, docId);
    }
    this.release();
    this.primaryKey = primaryKey;
    // A segment written since the savepoint refers to the new fields by their ids.
    if (this.segments.nextId !== nextSegmentId) return;
    this.fields.truncate(fieldCount);
    this.builder?.forgetFieldIds();
  }

  /** `outdated`: names of embedders whose vectors are all made again. */
  changeSettings(settings: IndexSettings, outdated: ReadonlySet<string>): void {
    const { embedders } = this.settings;
    this.settings = settings;
    this.geoChecks = geoChecksOf(settings, this.settingsBefore);
    if (!this.counter.embeddings.follow(settings)) return;
    const check = { mayLack: true, isNew: (name: string) => !Object.hasOwn(embedders, name) };
    // documents may hold vectors that were never checked, because their embedder did not exist yet
    for (const docId of this.liveDocIds()) {
      const document = this.document(docId);
      if (document === undefined) continue;
      const kept = withoutGenerated(document, outdated);
      checkVectors(kept, this.counter.embeddings.rules, externalIdOf(document, this.primaryKey ?? ''), check);
      this.counter.embeddings.count(document, 1);
    }
  }

  docIdOf(externalId: string): DocId | undefined {
    return this.ids.get(externalId);
  }

  /** Docids of all live documents, in ascending order. O(documents) */
  liveDocIds(): DocIds {
    return this.live.toArray();
  }

  document(docId: DocId): JsonObject | undefined {
    const bytes = this.row(docId);
    return bytes === undefined ? undefined : this.decoded(bytes);
  }

  row(docId: DocId): Uint8Array | undefined {
    return this.rows.get(TABLES.documents, documentKey(docId));
  }

  readonly decoded = (row: Uint8Array): JsonObject => decodeDocument(row, this.fields.list);

  /**
   * The document to store under its id, with those stored vectors that it does not replace; undefined when it is
   * skipped. Throws ApiError for wrong `_geo`, `_geojson` and `_vectors`.
   */
  prepare(externalId: string, document: JsonObject, mode: PutMode): PreparedDocument | undefined {
    const known = this.docIdOf(externalId);
    if (known === undefined && mode.skipCreation) return undefined;
    const before = known === undefined ? undefined : this.row(known);
    const stored = before && (() => this.decoded(before));
    const { rules } = this.counter.embeddings;
    const joined = joinStored(document, mode, rules, stored);
    checkGeo(joined, this.geoChecks, externalId, mode.isStored !== true && Object.hasOwn(document, '_geo'));
    const whole = checkVectors(joined, rules, externalId, vectorsCheckOf(document, mode, stored));
    return { externalId, known, before, whole };
  }

  /**
   * Stores a prepared document and returns its docid. Nothing may have been stored under the same id since it was
   * prepared.
   */
  store({ externalId, known, before, whole }: PreparedDocument): DocId {
    this.fields.addDocument(whole);
    const after = encodeDocument(whole, this.fields);
    if (known !== undefined && before !== undefined && compareBytes(before, after) === 0) return known;
    const kept = known ?? this.live.leftId(externalId);
    const docId = kept ?? this.live.allot();
    this.savepoint?.log.note(docId, before, kept === undefined);
    this.setRow(externalId, docId, after, before, whole);
    return docId;
  }

  /** Returns whether the document existed. */
  deleteDocument(externalId: string): boolean {
    const docId = this.docIdOf(externalId);
    if (docId === undefined) return false;
    const before = this.row(docId);
    this.savepoint?.log.note(docId, before, false);
    this.setRow(externalId, docId, undefined, before);
    return true;
  }

  deleteDocId(docId: DocId): void {
    const document = this.document(docId);
    if (document !== undefined) this.deleteDocument(externalIdOf(document, this.primaryKey ?? ''));
  }

  /** Removes every document. Returns their number. */
  clear(): number {
    const count = this.live.count;
    this.keepWhole();
    this.rows.clear(TABLES.documents);
    this.ids.clear();
    this.segments.dropAll();
    this.live.clear();
    this.dirty.clear();
    this.builder = undefined;
    this.counter.clear();
    return count;
  }

  /** Indexes every stored document again, under the present settings. */
  reindexAll(): void {
    this.checkShapes();
    for (const docId of this.liveDocIds()) this.dirty.add(docId);
    this.segments.dropAll();
  }

  /** Stored points and shapes are checked as soon as the settings use them. */
  private checkShapes(): void {
    if (!this.geoChecks.isGeoUsed && !this.geoChecks.isGeojsonUsed) return;
    for (const docId of this.liveDocIds()) {
      const document = this.document(docId);
      if (document !== undefined) checkGeo(document, this.geoChecks, externalIdOf(document, this.primaryKey ?? ''));
    }
  }

  /** Rebuilds the columns of every segment under the present settings. Words and segments stay. */
  *reindexColumns(): Generator<void> {
    this.checkShapes();
    const { settings, fields } = this;
    const document = (docId: DocId): JsonObject | undefined => this.document(docId);
    const steps = this.segments.rebuildColumns(this.manifest, (columnsId, docIds) => {
      this.options.context.onProgress('extracting facets', 0, 1);
      return rebuildColumns(this.rows, columnsId, docIds, { settings, fields, document });
    });
    for (const _ of steps) {
      this.checkCanceled();
      if (this.isCommitDue) yield;
    }
  }

  /**
   * Indexes the dirty documents and writes the current segment, so that a view of this transaction's rows sees them.
   * Yields where the rows so far may be committed. `isLast`: no documents follow.
   */
  *flush(isLast = false): Generator<void> {
    const docIds = this.dirty.toArray();
    this.dirty = new DocSet();
    if (docIds.length > 0) this.options.context.onProgress('extracting words', 0, 1);
    for (let i = 0; i < docIds.length; i++) {
      const docId = docIds[i]!;
      const row = this.row(docId);
      if (row === undefined) continue;
      this.collect(docId, row, undefined);
      if (this.isCommitDue) yield;
      if ((i & 255) !== 0) continue;
      this.checkCanceled();
      this.options.context.onProgress('document', i, docIds.length);
    }
    this.writeBuilder(isLast);
    this.ids.write();
  }

  checkCanceled(): void {
    if (this.options.context.isCanceled()) throw new BatchCanceled();
  }

  /**
   * Writes deleted documents, live documents, field names and the manifest: the next commit makes all rows visible.
   * `nowMs`: milliseconds since the epoch.
   */
  writeState(nowMs: number): IndexManifest {
    this.options.context.onProgress('finalizing', 0, 1);
    this.intermediate.publish(this.rows);
    if (this.receipts !== undefined) writeRecords(this.rows, this.receipts);
    const changes = this.segments.writeDeleted();
    const { pages, counts } = this.live.write();
    changes.set(LIVE_PAGES.segmentId, pages);
    const manifest: IndexManifest = {
      ...this.manifest,
      ...(this.segments.areNew ? { wordRules: WORD_RULES } : {}),
      primaryKey: this.primaryKey,
      updatedAt: new Date(nowMs).toISOString(),
      segments: this.segments.infos,
      nextSegmentId: this.segments.nextId,
      obsolete: this.segments.deleteObsolete(),
      ...counts,
      ...this.counter.facts,
    };
    writeIndexState(this.rows, {
      manifest,
      settings: this.settings === this.settingsBefore ? undefined : storedSettings(this.settings),
      fieldNames: this.fields.count === this.fieldCountBefore ? undefined : this.fields.list,
      changes,
    });
    return manifest;
  }

  /**
   * Replaces the row of a document and updates all counts. `after` undefined: no row; `before`: the present row;
   * `whole`: the decoded document of `after`, when it is to be indexed.
   */
  private setRow(
    externalId: string,
    docId: DocId,
    after: Uint8Array | undefined,
    before: Uint8Array | undefined,
    whole?: JsonObject,
  ): void {
    if (before !== undefined) this.forget(docId, before);
    if (before !== undefined && !this.intermediate.docs.has(docId)) this.intermediate.close();
    if (after === undefined) {
      this.rows.delete(TABLES.documents, documentKey(docId));
      this.ids.delete(externalId);
      this.live.leave(externalId, docId);
      return;
    }
    this.rows.put(TABLES.documents, documentKey(docId), after);
    if (before === undefined) {
      this.ids.set(externalId, docId);
      this.intermediate.docs.add(docId);
    }
    this.intermediate.addRow(after.length);
    this.live.add(docId);
    const stored = whole ?? this.decoded(after);
    this.counter.count(stored, after.length, 1);
    if (whole === undefined || this.builder?.hasSeen(docId) === true) this.dirty.add(docId);
    else this.collect(docId, after, whole);
  }

  private collect(docId: DocId, row: Uint8Array, document: JsonObject | undefined): void {
    const { context, segmentWriterOf } = this.options;
    this.builder ??= segmentWriterOf(this.settings, this.fields);
    this.builder.add(docId, row, document);
    this.bytesSinceLook += row.length;
    if (this.bytesSinceLook < BYTES_BETWEEN_LOOKS) return;
    this.bytesSinceLook = 0;
    if (this.builder.heldBytes >= context.maxIndexingBytes * SEGMENT_SHARE) this.writeBuilder();
  }

  /** Removes a stored document from the counts and the segments. */
  private forget(docId: DocId, bytes: Uint8Array): void {
    const document = this.decoded(bytes);
    this.counter.count(document, bytes.length, -1);
    this.live.delete(docId);
    this.dirty.delete(docId);
    this.builder?.remove(docId);
    this.segments.markDeleted(docId);
  }

  private writeBuilder(isLast = false): void {
    const { builder } = this;
    this.builder = undefined;
    if (builder === undefined || builder.docs.count === 0) return;
    this.options.context.onProgress('merging word caches', 0, 1);
    const info = builder.write(this.rows, this.segments.nextId++ as SegmentId, isLast);
    this.intermediate.addSegment(info.postingBytes);
    this.segments.add(info, builder.docs);
  }
}
