import type { FieldNames } from '@fossick/documents';
import type { IndexManifest, RowSink } from '@fossick/format';
import type { IndexSettings } from '@fossick/settings';
import type { Store } from '@fossick/storage';
import type { WritableCatalogue } from './catalogue/catalogue-port.js';
import type { BatchDone, Merger } from './merging/merger.js';
import { SegmentBuilder } from './segment/segment-builder.js';
import type { SegmentWriter } from './segment/segment-writer.js';
import { IndexTransaction } from './transaction/index-transaction.js';
import { prepareStore } from './transaction/prepare-store.js';
import { removeUncommitted } from './transaction/uncommitted-rows.js';
import type { UndoFile } from './transaction/undo-log.js';
import type { IndexTransactionOptions, WriteContext } from './transaction/write-context.js';
import type { WriterKernel } from './writer-kernel.js';

/** A batch is large from this many bytes on: fewer would be indexed before another thread has started. */
const EXTRACTION_BYTES_MIN = 2 << 20;

/** A change of one index; `bytes`: of the documents it may have to index. */
export interface CommitChange {
  readonly uid: string;
  readonly bytes: number;
}

/** A thread that makes segments (Extraction). */
export interface SegmentThread {
  /** Starts the thread ahead of use. */
  prepare(): void;
  /** Begins a segment. `onLast` is called when the last segment of a batch is requested. */
  segmentWriter(settings: IndexSettings, fields: FieldNames, onLast: () => void): SegmentWriter;
  /** Ends the thread after its pending work. */
  end(): void;
  /** Terminates it. */
  abandon(): void;
}

/** What a commit works with. */
interface CommitParts {
  readonly catalogue: WritableCatalogue;
  readonly merger: Merger;
  readonly work: WriterKernel;
  /** Makes the segments of large changes; absent: they are made here. */
  readonly extraction?: SegmentThread | undefined;
  /** Opens a temporary file for a change of an index; absent: what it would hold stays in memory. */
  readonly undoFileOf?: ((folder: string) => () => UndoFile) | undefined;
}

/** Runs changes of documents and settings as commits of their indexes. */
export class IndexCommits {
  private readonly parts: CommitParts;

  constructor(parts: CommitParts) {
    this.parts = parts;
  }

  /** Starts the thread that makes segments, for a large change that is expected. */
  prepare(): void {
    this.parts.extraction?.prepare();
  }

  /** Ends that thread. */
  rest(): void {
    this.parts.extraction?.end();
  }

  /**
   * Runs `work` as one commit of an index, then updates its catalogue row. Where `work` yields, rows that nobody sees
   * yet are committed early; if it does not finish, they are removed.
   */
  run<T>(
    { uid, bytes }: CommitChange,
    context: WriteContext,
    work: (transaction: IndexTransaction) => Generator<void, T>,
  ): T {
    const entry = this.parts.catalogue.existing(uid);
    const store = this.parts.catalogue.store(entry.folder);
    prepareStore(store);
    const { folder } = entry;
    const options = {
      context,
      segmentWriterOf: this.segmentWriters(bytes, context),
      undoFile: this.parts.undoFileOf?.(folder),
    };
    const startMs = performance.now();
    const { result, manifest } = this.parts.work.run(() => this.runInPieces(folder, store, options, work));
    const done: BatchDone = {
      segmentCount: manifest.segments.length,
      durationMs: performance.now() - startMs,
      isLoad: bytes >= EXTRACTION_BYTES_MIN && context.isMoreWaiting?.() === true,
    };
    this.parts.work.run((kernel) => this.parts.merger.catchUp(folder, store, kernel, done));
    context.onProgress('computing stats', 0, 1);
    this.parts.catalogue.summarise(entry.folder);
    // The row contains the primary key, so that it can be shown without opening the index; everything else of this
    // commit is in the index's own store.
    const { primaryKey } = manifest;
    if (primaryKey !== entry.primaryKey) this.parts.catalogue.change((rows) => rows.put(uid, { ...entry, primaryKey }));
    return result;
  }

  private runInPieces<T>(
    folder: string,
    store: Store,
    options: IndexTransactionOptions,
    work: (transaction: IndexTransaction) => Generator<void, T>,
  ): { readonly result: T; readonly manifest: IndexManifest } {
    let transaction: IndexTransaction | undefined;
    let steps: Generator<void, T> | undefined;
    const step = (rows: RowSink): { result: T; manifest: IndexManifest } | undefined => {
      if (transaction === undefined) transaction = new IndexTransaction(rows, options);
      else transaction.continueWith(rows);
      steps ??= transaction.run(work);
      const { done, value } = steps.next();
      if (done !== true) {
        transaction.writeUncommittedRows();
        return undefined;
      }
      const manifest = transaction.writeState(Date.now());
      options.context.onProgress('committing', 0, 1);
      return { result: value, manifest };
    };
    try {
      for (let ended = store.transaction(step); ; ended = store.transaction(step)) {
        if (ended !== undefined) return ended;
        this.parts.merger.putMade(folder, store);
      }
    } catch (error) {
      steps?.return(undefined as T); // closes what it has open, also when a commit failed during a yield
      this.parts.extraction?.abandon();
      removeUncommitted(store);
      throw error;
    }
  }

  /**
   * How segments of a change are written: those of a large one in a thread of their own, while this one continues to
   * read.
   */
  private segmentWriters(bytes: number, { isMoreWaiting }: WriteContext): IndexTransactionOptions['segmentWriterOf'] {
    const { extraction } = this.parts;
    const onLast = (): void => {
      if (isMoreWaiting?.() === false) this.rest();
    };
    if (extraction !== undefined && bytes >= EXTRACTION_BYTES_MIN)
      return (settings, fields) => extraction.segmentWriter(settings, fields, onLast);
    return (settings, fields) => {
      const { kernel, inverter } = this.parts.work;
      return new SegmentBuilder({
        kernel,
        inverter,
        tokenizer: this.parts.work.tokenizerOf(settings),
        settings,
        fields,
      });
    };
  }
}
