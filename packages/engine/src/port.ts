import type {
  DocumentOperation,
  IdempotencyKey,
  OperationOutcome,
  VectorMaker,
  WriteContext,
  WriterWaits,
} from '@fossick/indexing';
import type { SharedBudget } from '@fossick/search-memory';
import type { IndexSettings, SettingsPatch } from '@fossick/settings';
import type { IndexAccess, IndexView } from '@fossick/views';

/** What the engine says of an index. Dates are RFC 3339. */
export interface IndexInfo {
  readonly uid: string;
  readonly primaryKey: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
export interface IndexStats {
  readonly numberOfDocuments: number;
  readonly rawDocumentDbSize: number;
  readonly avgDocumentSize: number;
  readonly numberOfEmbeddings: number;
  readonly numberOfEmbeddedDocuments: number;
  readonly fieldDistribution: Readonly<Record<string, number>>;
}
/** Bytes of live pages of each table of an index, by table name; empty for an index that does not exist. */
export type TableSizes = Readonly<Record<string, number>>;

export interface IndexChange {
  readonly primaryKey?: string | null;
  readonly newUid?: string;
}
/** `rename`: the left index gets the right name, which no index may have. */
export interface IndexSwap {
  readonly left: string;
  readonly right: string;
  readonly rename: boolean;
}

/** Runs in the writer thread. Every method is one atomic commit: all of it happened, or none. */
export interface EngineWriter {
  /** `createdAt` is given for an index that comes out of a dump; it is now otherwise. */
  createIndex(uid: string, primaryKey: string | null, createdAt?: string, idempotencyKey?: IdempotencyKey): IndexInfo;
  updateIndex(uid: string, change: IndexChange, idempotencyKey?: IdempotencyKey): IndexInfo;
  /** Answers the number of documents that were in it. */
  deleteIndex(uid: string, idempotencyKey?: IdempotencyKey): Promise<number>;
  swapIndexes(swaps: readonly IndexSwap[], idempotencyKey?: IdempotencyKey): void;
  /** Whether the last change of the list of indexes was this work. */
  hasDone(idempotencyKey: IdempotencyKey): boolean;
  /** As the reader's. */
  index(uid: string): IndexInfo | undefined;
  /** What this writer has waited for so far. */
  waits(): WriterWaits;
  /** As the reader's. */
  tableSizes(uid: string): TableSizes;
  /** Creates the index when it is missing. One outcome for each operation, in order. */
  applyDocuments(
    uid: string,
    operations: readonly DocumentOperation[],
    context: WriteContext,
  ): Promise<OperationOutcome[]>;
  /** Patches in task order, one commit. Creates the index when it is missing. Re-indexes only what the change needs. */
  applySettings(uid: string, patches: readonly SettingsPatch[], context: WriteContext): Promise<void>;
  /**
   * Rewrites the index's file without its free pages. Answers its bytes on disk before and after. Readers go on with
   * the old file until their next call. Throws ApiError index_not_found. O(bytes).
   */
  compactIndex(uid: string): Promise<{ readonly beforeBytes: number; readonly afterBytes: number }>;
  /**
   * One piece of a merge of the index's segments if the tiers ask for one, in a commit of its own; false when there was
   * nothing to do. Other calls may come between two pieces. Never blocks a search.
   */
  mergeOnce(uid: string): Promise<boolean>;
  /**
   * Goes through all indexes, one a step: the uid of one in which `mergeOnce` has something to do, because the process ended before it was done, or null. A step
   * reads a small file, and opens the index where that does not say.
   */
  mergesDue(): Generator<string | null>;
  /** To be called when large work is on its way: starts what takes a while to start. */
  prepare(): void;
  /** To be called when there is nothing to do: gives back what was kept for the next batch. */
  rest(): void;
  close(): Promise<void>;
}

/** Runs in any thread; sees commits of the writer from the next call on. */
export interface EngineReader {
  indexes(): readonly IndexInfo[]; // byte order of uid
  index(uid: string): IndexInfo | undefined;
  settings(uid: string): IndexSettings;
  stats(uid: string): IndexStats;
  /** Sizes of the tables of an index. Some microseconds a table. */
  tableSizes(uid: string): TableSizes;
  /**
   * To be called in pauses behind the start, until it says false: reads what `stats`, `size` and dates of indexes tell, for so many
   * milliseconds at most, which takes seconds for thousands of indexes.
   */
  readSummaries(milliseconds: number): boolean;
  /** Bytes of the database on disk, and of its live pages. */
  size(): { readonly diskBytes: number; readonly usedBytes: number };
  /**
   * Runs `work` on a consistent view. Throws ApiError index_not_found. Pointers of the view end with it. `access`: what foreign
   * keys may lead to; nothing when absent.
   */
  withView<T>(uid: string, work: (view: IndexView) => T, access?: IndexAccess): T;
  /** How much of what a search may have to go through. Cheap: two rows. Throws ApiError index_not_found. */
  weight(uid: string): IndexWeight;
  /**
   * To be called now and then: lets memory go that other threads lack, when this one has not searched for a while. True when it did, and the
   * garbage is worth a collection.
   */
  rest(): boolean;
  /** Lets go of all memory that is kept for searches. To be called between two of them; the next one begins with nothing. A pause of some 20 ms. */
  giveBack(): void;
  close(): Promise<void>;
}

/** Sizes that tell whether a look into an index may take long. */
export interface IndexWeight {
  readonly documentCount: number;
  /** Bytes of all documents as they are stored. */
  readonly documentBytes: number;
  /** Bytes of the settings: dictionaries and synonyms are made ready at the first search behind a commit. */
  readonly settingsBytes: number;
  /** Values that an answer shows of a facet at most; Infinity where the settings are too long to be read for this. */
  readonly facetValuesMax: number;
}

/** `rootFolder` holds one environment an index and one for the instance (names, infos). */
export interface OpenEngineOptions {
  readonly rootFolder: string;
  /** For all that searches hold and need, in this thread and those that it shares the budget with. */
  readonly maxSearchBytes: number;
  /** What other threads have of it; this one has it alone when absent. Reader only. */
  readonly sharedBudget?: SharedBudget;
  /** Where the writer marks what has changed, for readers that then need not look at files (newSummaryMarks); those of all threads. */
  readonly summaryMarks?: SharedArrayBuffer;
  /** How much of it answers may take that are kept for the same search to come again; a sixteenth when absent, 0: none. Reader only. */
  readonly resultCacheBytes?: number;
  /** Bytes a merge of segments may take; no bound when absent. Writer only. */
  readonly maxIndexingBytes?: number;
  /**
   * Large batches take a second thread for the words and facets of their documents, and large merges one for themselves; false when absent.
   * Writer only.
   */
  readonly extractsInThread?: boolean;
  /** Makes the vectors of automatic embedders; a task that needs one fails when absent. Writer only. */
  readonly vectorMaker?: VectorMaker;
}
