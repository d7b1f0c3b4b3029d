import { apiError } from '@fossick/base';
import { FieldNames } from '@fossick/documents';
import {
  emptyManifest,
  type RowReader,
  readFieldNames,
  readManifest,
  readVersion,
  rowsOf,
  writeState as writeIndexState,
} from '@fossick/format';
import { DEFAULT_SETTINGS, mergeSettings, reindexNeed, type SettingsPatch } from '@fossick/settings';
import { WORD_RULES } from '@fossick/tokenizer';
import type { CatalogueEntry } from './catalogue/catalogue-entry.js';
import type { WritableCatalogue } from './catalogue/catalogue-port.js';
import { makeTables } from './documents/document-sets.js';
import { readSettings, storedSettings } from './documents/stored-settings.js';
import { EmbeddingChange } from './embedding/embedding-change.js';
import type { VectorMaker } from './embedding/vector-maker.js';
import type { WriterWaits } from './extraction/writer-waits.js';
import { type CommitChange, IndexCommits, type SegmentThread } from './index-commits.js';
import type { Merger } from './merging/merger.js';
import { applyOperations } from './operations/apply-operations.js';
import type { BatchOperation, OperationOutcome, PayloadOperation } from './operations/operation.js';
import type { Payloads } from './operations/payloads.js';
import type { EngineWriter, IndexChange, IndexInfo, IndexOrigin, IndexSwap, TableSizes } from './port.js';
import { type IdempotencyKey, readRecords, recordFor } from './transaction/idempotency-records.js';
import type { IndexTransaction } from './transaction/index-transaction.js';
import { prepareStore } from './transaction/prepare-store.js';
import type { UndoFile } from './transaction/undo-log.js';
import { hasOlderWords } from './transaction/word-rules.js';
import type { WriteContext } from './transaction/write-context.js';
import { WriterKernel } from './writer-kernel.js';

/** What a writer works with. */
export interface WriterParts {
  readonly catalogue: WritableCatalogue;
  readonly merger: Merger;
  readonly payloads: Payloads;
  /** Limit of the memory of filters, in bytes. */
  readonly maxSearchBytes: number;
  readonly vectorMaker?: VectorMaker | undefined;
  /** A thread that makes the segments of large changes; absent: they are made here. */
  readonly extraction?: SegmentThread | undefined;
  readonly undoFileOf?: ((folder: string) => () => UndoFile) | undefined;
  readonly waits: () => WriterWaits;
  /** Rewrites an index without its free pages. */
  readonly compact: EngineWriter['compactIndex'];
}

/** All operations of a batch failed: nothing of it is committed. */
class OperationsRefused extends Error {
  readonly outcomes: OperationOutcome[];

  constructor(outcomes: OperationOutcome[]) {
    super(outcomes.find(({ error }) => error !== undefined)?.error?.message);
    this.outcomes = outcomes;
  }
}

/** Changes the indexes of a catalogue. Only one writer at a time. */
export class IndexWriter implements EngineWriter {
  private readonly parts: WriterParts;
  private readonly catalogue: WritableCatalogue;
  private readonly work: WriterKernel;
  private readonly merger: Merger;
  private readonly commits: IndexCommits;
  private readonly expiring = new ExpiringIndexes((rows, attribute) => this.work.nextExpiry(rows, attribute));

  constructor(parts: WriterParts) {
    this.parts = parts;
    this.catalogue = parts.catalogue;
    this.merger = parts.merger;
    this.catalogue.sweep();
    this.work = new WriterKernel(parts.maxSearchBytes);
    const { catalogue, merger, extraction, undoFileOf } = parts;
    this.commits = new IndexCommits({ catalogue, merger, work: this.work, extraction, undoFileOf });
  }

  waits(): WriterWaits {
    return this.parts.waits();
  }

  tableSizes(uid: string): TableSizes {
    return this.catalogue.tableSizes(uid);
  }

  hasDone(idempotencyKey: IdempotencyKey): boolean {
    return this.catalogue.recordOf(idempotencyKey) !== undefined;
  }

  index(uid: string): IndexInfo | undefined {
    const entry = this.catalogue.entry(uid);
    return entry === undefined ? undefined : this.catalogue.info(uid, entry);
  }

  createIndex(
    uid: string,
    primaryKey: string | null,
    { createdAt, fieldNames = [] }: IndexOrigin = {},
    idempotencyKey?: IdempotencyKey,
  ): IndexInfo {
    if (idempotencyKey !== undefined && this.hasDone(idempotencyKey))
      return this.catalogue.info(uid, this.catalogue.existing(uid));
    if (this.catalogue.entry(uid) !== undefined) {
      throw apiError('index_already_exists', 'created', uid);
    }
    const folder = this.catalogue.newFolder();
    const nowText = new Date().toISOString();
    const manifest = { ...emptyManifest(primaryKey, nowText), wordRules: WORD_RULES };
    const fields = new FieldNames([]);
    for (const name of fieldNames) fields.add(name);
    if (primaryKey !== null) fields.add(primaryKey);
    // the name is written last, when the names of its files are flushed: until then the folder is marked as one without a name
    try {
      this.catalogue.store(folder).transaction((rows) => {
        makeTables(rows);
        writeIndexState(rows, { manifest, settings: storedSettings(DEFAULT_SETTINGS), fieldNames: fields.list });
      });
    } catch (error) {
      // a node that leads no longer, or a full disk, refuses the commit: the empty store would stay until the next start
      this.catalogue.discard(folder);
      throw error;
    }
    const entry: CatalogueEntry = { folder, primaryKey, createdAt: createdAt ?? nowText, updatedAt: nowText };
    this.catalogue.summarise(folder);
    this.catalogue.change((rows) => rows.put(uid, entry), recordFor(idempotencyKey));
    return this.catalogue.info(uid, entry);
  }

  updateIndex(uid: string, change: IndexChange, idempotencyKey?: IdempotencyKey): IndexInfo {
    const newUid = change.newUid ?? uid;
    if (idempotencyKey !== undefined && this.hasDone(idempotencyKey))
      return this.catalogue.info(newUid, this.catalogue.existing(newUid));
    const before = this.catalogue.existing(uid);
    if (newUid !== uid && this.catalogue.entry(newUid) !== undefined) {
      throw apiError('index_already_exists', 'created', newUid);
    }
    const nowText = new Date().toISOString();
    const primaryKey = change.primaryKey ?? before.primaryKey;
    this.catalogue.store(before.folder).transaction((rows) => {
      const manifest = readManifest(rows);
      if (primaryKey !== manifest.primaryKey && manifest.documentCount > 0 && manifest.primaryKey !== null) {
        throw apiError('index_primary_key_already_exists', 'hasDocuments', uid, manifest.primaryKey);
      }
      const known = readFieldNames(rows);
      const isNew = primaryKey !== null && !known.includes(primaryKey);
      writeIndexState(rows, {
        manifest: { ...manifest, primaryKey, updatedAt: nowText },
        fieldNames: isNew ? [...known, primaryKey] : undefined,
      });
    });
    this.catalogue.summarise(before.folder);
    const entry: CatalogueEntry = { ...before, primaryKey, updatedAt: nowText };
    this.catalogue.change((rows) => {
      if (newUid !== uid) rows.delete(uid);
      rows.put(newUid, entry);
    }, recordFor(idempotencyKey));
    return this.catalogue.info(newUid, entry);
  }

  async deleteIndex(uid: string, idempotencyKey?: IdempotencyKey): Promise<number> {
    const done = this.catalogue.recordOf(idempotencyKey);
    if (done !== undefined) return done.answer as number;
    const { folder } = this.catalogue.existing(uid);
    // an index that cannot be read can still be deleted, with its last known figures
    const { numberOfDocuments: documentCount } = this.catalogue.summary(this.catalogue.existing(uid)).stats;
    this.merger.forget(folder);
    this.catalogue.abandon(folder);
    this.catalogue.change((rows) => rows.delete(uid), recordFor(idempotencyKey, documentCount));
    await this.catalogue.forget(folder);
    this.expiring.forget(folder);
    this.catalogue.remove(folder);
    return documentCount;
  }

  swapIndexes(swaps: readonly IndexSwap[], idempotencyKey?: IdempotencyKey): void {
    if (idempotencyKey !== undefined && this.hasDone(idempotencyKey)) return;
    this.catalogue.change((rows) => {
      checkSwaps(swaps, (uid) => rows.get(uid) !== undefined);
      for (const { left, right } of swaps) {
        const leftEntry = rows.get(left)!;
        const rightEntry = rows.get(right);
        rows.put(right, leftEntry);
        if (rightEntry === undefined) rows.delete(left);
        else rows.put(left, rightEntry);
      }
    }, recordFor(idempotencyKey));
  }

  async applyDocuments(
    uid: string,
    operations: readonly BatchOperation[],
    context: WriteContext,
  ): Promise<OperationOutcome[]> {
    try {
      return this.inTransaction(
        { uid, mayCreate: operations.some(isAddition), bytes: this.bytesOf(operations) },
        context,
        (transaction) => this.operate(uid, transaction, operations, context),
      );
    } catch (error) {
      if (error instanceof OperationsRefused) return error.outcomes;
      throw error;
    }
  }

  /** Applies the operations that the last commit has not done already, and stores records of all. */
  private *operate(
    uid: string,
    transaction: IndexTransaction,
    operations: readonly BatchOperation[],
    context: WriteContext,
  ): Generator<void, OperationOutcome[]> {
    const done = readRecords(transaction.source);
    const isDone = ({ idempotencyKey }: BatchOperation): boolean =>
      idempotencyKey !== undefined && done.has(idempotencyKey);
    const left = operations.filter((operation) => !isDone(operation));
    const { vectorMaker, payloads } = this.parts;
    const linesOf = (file: string): Iterable<string> => payloads.linesOf(file);
    const isMixed = operations.some(isAddition);
    const options = { context, isMixed, vectorMaker, linesOf, ...this.work.matchers(uid, transaction) };
    const fresh = yield* applyOperations(transaction, left, options);
    const isRefused = fresh.length > 0 && fresh.every(({ error }) => error !== undefined);
    context.onProgress('indexing', 0, 1);
    const outcomes = operations.map((operation) =>
      isDone(operation) ? (done.get(operation.idempotencyKey!) as OperationOutcome) : fresh.shift()!,
    );
    if (isRefused) throw new OperationsRefused(outcomes);
    const records = operations.map(({ idempotencyKey }, at) => recordFor(idempotencyKey, outcomes[at]));
    transaction.receipts = records.filter((record) => record !== undefined);
    return outcomes;
  }

  async applySettings(uid: string, patches: readonly SettingsPatch[], context: WriteContext): Promise<void> {
    const entry = this.catalogue.entry(uid);
    const bytes = entry === undefined ? 0 : readManifest(rowsOf(this.catalogue.store(entry.folder))).documentBytes;
    const { vectorMaker } = this.parts;
    this.inTransaction({ uid, mayCreate: true, bytes }, context, function* (transaction) {
      context.onProgress('retrieving and merging the settings', 0, 1);
      const before = transaction.settings;
      const merged = patches.reduce(mergeSettings, before);
      context.onProgress('apply the settings', 0, 1);
      const embedding = new EmbeddingChange(before, merged, vectorMaker, context);
      const { after } = embedding;
      transaction.changeSettings(after, embedding.outdated);
      const needed = reindexNeed(before, after);
      if (needed === 'everything') transaction.reindexAll();
      if (needed === 'columns') yield* transaction.reindexColumns();
      embedding.apply(transaction);
    });
  }

  async mergeOnce(uid: string): Promise<boolean> {
    const before = this.catalogue.entry(uid);
    if (before === undefined) return false;
    await this.merger.wait(before.folder);
    // a batch may have run in between
    const entry = this.catalogue.entry(uid);
    if (entry === undefined) return false;
    const store = this.catalogue.store(entry.folder);
    const isUpgraded = prepareStore(store);
    const manifest = readManifest(rowsOf(store));
    if (hasOlderWords(manifest)) {
      this.renewWords(uid, manifest.documentBytes);
      return true;
    }
    const hasMerged = this.work.run((kernel) => this.merger.mergePiece(entry.folder, store, kernel, 'idle'));
    if (hasMerged || isUpgraded) this.catalogue.summarise(entry.folder);
    return hasMerged;
  }

  /** Indexes all documents again, because an older release has cut their words by other rules. */
  private renewWords(uid: string, bytes: number): void {
    const { maxIndexingBytes } = this.merger;
    const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes };
    // biome-ignore lint/correctness/useYield: nobody sees rows of a reindexed index before its end
    this.commits.run({ uid, bytes }, context, function* (transaction) {
      transaction.reindexAll();
    });
  }

  *mergesDue(): Generator<string | null> {
    // reads all names at once: the iteration may pause for long, and a read transaction must not
    for (const { uid } of [...this.catalogue.folders()]) {
      const entry = this.catalogue.entry(uid);
      yield entry !== undefined && this.catalogue.isMergeDue(entry.folder) ? uid : null;
    }
  }

  expiriesDue(nowMs: number): Generator<string | null> {
    return this.expiring.due(this.catalogue, nowMs);
  }

  compactIndex(uid: string): Promise<{ readonly beforeBytes: number; readonly afterBytes: number }> {
    return this.parts.compact(uid);
  }

  prepare(): void {
    this.commits.prepare();
  }

  rest(): void {
    this.commits.rest();
  }

  async close(): Promise<void> {
    this.rest();
    await this.merger.stop();
    await this.catalogue.close();
  }

  private bytesOf(operations: readonly BatchOperation[]): number {
    let bytes = 0;
    for (const operation of operations)
      if (isAddition(operation)) bytes += this.parts.payloads.bytesOf(operation.payloadFile);
    return bytes;
  }

  private inTransaction<T>(
    { mayCreate, ...change }: CommitChange & { readonly mayCreate: boolean },
    context: WriteContext,
    work: (transaction: IndexTransaction) => Generator<void, T>,
  ): T {
    if (mayCreate && this.catalogue.entry(change.uid) === undefined) this.createIndex(change.uid, null);
    return this.commits.run(change, context, work);
  }
}

function isAddition(operation: BatchOperation): operation is PayloadOperation {
  return operation.type === 'documentAdditionOrUpdate';
}

/** Throws ApiError index_not_found or index_already_exists, naming every index that prevents the swap. */
function checkSwaps(swaps: readonly IndexSwap[], exists: (uid: string) => boolean): void {
  const missing = swaps
    .flatMap(({ left, right, rename }) => (rename ? [left] : [left, right]))
    .filter((uid) => !exists(uid));
  if (missing.length > 0) throw apiError('index_not_found', 'several', nameIndexes(missing));
  const taken = swaps.filter(({ right, rename }) => rename && exists(right)).map(({ right }) => right);
  if (taken.length === 0) return;
  throw apiError('index_already_exists', 'renamed', nameIndexes(taken), taken.length === 1 ? 'exists' : 'exist');
}
function nameIndexes(uids: readonly string[]): string {
  return `${uids.length === 1 ? 'Index' : 'Indexes'} ${uids.map((uid) => `\`${uid}\``).join(', ')}`;
}

/** Finds in which indexes documents have expired that are still stored. Writer only. */
class ExpiringIndexes {
  /** By the folders of their stores: until then nothing expires in this version. */
  private readonly known = new Map<string, { readonly version: number; readonly nextMs: number }>();
  private readonly nextExpiry: (rows: RowReader, attribute: string) => number;

  /** @param nextExpiry the earliest expiry of the stored documents by an attribute, in milliseconds since 1970 */
  constructor(nextExpiry: (rows: RowReader, attribute: string) => number) {
    this.nextExpiry = nextExpiry;
  }

  /** The uid of an index in which stored documents have expired by `nowMs`, or null, for each index. */
  *due(
    catalogue: Pick<WritableCatalogue, 'folders' | 'entry' | 'summary' | 'store'>,
    nowMs: number,
  ): Generator<string | null> {
    // reads all names at once: the iteration may pause for long, and a read transaction must not
    for (const { uid } of [...catalogue.folders()]) {
      const entry = catalogue.entry(uid);
      if (entry === undefined || catalogue.summary(entry).hasExpiry !== true) yield null;
      else yield this.isDue(entry.folder, rowsOf(catalogue.store(entry.folder)), nowMs) ? uid : null;
    }
  }

  /** Whether a stored document has expired by `nowMs`. One read when nothing changed since the last call. */
  private isDue(folder: string, rows: RowReader, nowMs: number): boolean {
    const version = readVersion(rows);
    let known = this.known.get(folder);
    if (known?.version !== version) {
      const { expiryAttribute } = readSettings(rows);
      const nextMs = expiryAttribute === null ? Number.POSITIVE_INFINITY : this.nextExpiry(rows, expiryAttribute);
      known = { version, nextMs };
      this.known.set(folder, known);
    }
    return known.nextMs <= nowMs;
  }

  /** Drops what is known of an index. */
  forget(folder: string): void {
    this.known.delete(folder);
  }
}
