import type { SharedBudget } from '@fossick/kernel/memory';
import type { SharedKernel } from '@fossick/kernel/shared';
import type { IndexSettings, SettingsPatch } from '@fossick/settings';
import type { BeforeCommit } from '@fossick/storage';
import type { VectorMaker } from './embedding/vector-maker.js';
import type { WriterWaits } from './extraction/writer-waits.js';
import type { BatchOperation, OperationOutcome } from './operations/operation.js';
import type { IdempotencyKey } from './transaction/idempotency-records.js';
import type { WriteContext } from './transaction/write-context.js';
import type { IndexAccess } from './view/index-access.js';
import type { IndexView } from './view/index-view.js';

/** The engine's figures of an index. Dates are RFC 3339. */
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
/** Bytes on disk, and of live pages. */
export interface StoreSize {
  readonly diskBytes: number;
  readonly usedBytes: number;
}
/** Bytes of live pages of each table of an index, by table name; empty for an index that does not exist. */
export type TableSizes = Readonly<Record<string, number>>;

export interface IndexChange {
  readonly primaryKey?: string | null;
  readonly newUid?: string;
}
/** `rename`: the left index gets the right name, which must be unused. */
export interface IndexSwap {
  readonly left: string;
  readonly right: string;
  readonly rename: boolean;
}

/** What an index from a dump keeps of the index that was dumped. */
export interface IndexOrigin {
  /** RFC 3339; the present time by default. */
  readonly createdAt?: string | undefined;
  /** Flattened field names in order of their ids; none by default. */
  readonly fieldNames?: readonly string[];
}

/** Runs in the writer thread. Every method is one atomic commit. */
export interface EngineWriter {
  createIndex(uid: string, primaryKey: string | null, origin?: IndexOrigin, idempotencyKey?: IdempotencyKey): IndexInfo;
  updateIndex(uid: string, change: IndexChange, idempotencyKey?: IdempotencyKey): IndexInfo;
  /** Returns the number of its documents. */
  deleteIndex(uid: string, idempotencyKey?: IdempotencyKey): Promise<number>;
  swapIndexes(swaps: readonly IndexSwap[], idempotencyKey?: IdempotencyKey): void;
  /** Whether the last change of the list of indexes was this work. */
  hasDone(idempotencyKey: IdempotencyKey): boolean;
  /** As the reader's. */
  index(uid: string): IndexInfo | undefined;
  /** The waits of this writer so far. */
  waits(): WriterWaits;
  /** As the reader's. */
  tableSizes(uid: string): TableSizes;
  /** Creates the index when it is missing. One outcome for each operation, in order. */
  applyDocuments(
    uid: string,
    operations: readonly BatchOperation[],
    context: WriteContext,
  ): Promise<OperationOutcome[]>;
  /**
   * Applies patches in task order, in one commit. Creates the index when it is missing. Indexes again only what the
   * change requires.
   */
  applySettings(uid: string, patches: readonly SettingsPatch[], context: WriteContext): Promise<void>;
  /**
   * Rewrites the index's file without its free pages. Returns its bytes on disk before and after. Readers continue with
   * the old file until their next call. Throws ApiError index_not_found. O(bytes)
   */
  compactIndex(uid: string): Promise<{ readonly beforeBytes: number; readonly afterBytes: number }>;
  /**
   * Does one piece of a merge of the index's segments if the tiers need one, in a commit of its own; false when there
   * was nothing to do. Other calls may happen between two pieces. Never blocks a search.
   */
  mergeOnce(uid: string): Promise<boolean>;
  /**
   * Iterates over all indexes: yields the uid of an index in which `mergeOnce` has something to do because the process
   * ended before, or null. A step reads a small file, and opens the index if the file does not say it.
   */
  mergesDue(): Generator<string | null>;
  /**
   * Iterates over all indexes: yields the uid of an index in which stored documents have expired by `nowMs`
   * (milliseconds since 1970), or null. A step reads a small file at most, and an index whose documents may expire once
   * after each commit.
   */
  expiriesDue(nowMs: number): Generator<string | null>;
  /** Called when large work is expected: starts threads ahead of time. */
  prepare(): void;
  /** Called when there is nothing to do: releases what was kept for the next batch. */
  rest(): void;
  close(): Promise<void>;
}

/** Runs in any thread; sees commits of the writer from the next call on. */
export interface EngineReader {
  indexes(): readonly IndexInfo[]; // byte order of uid
  index(uid: string): IndexInfo | undefined;
  settings(uid: string): IndexSettings;
  stats(uid: string): IndexStats;
  /** Sizes of the tables of an index. Some microseconds per table. */
  tableSizes(uid: string): TableSizes;
  /**
   * Call it repeatedly after the start, with pauses, until it returns false: it reads the figures of `stats`,
   * `size` and dates of indexes, for at most this many milliseconds; thousands of indexes take seconds.
   */
  readSummaries(milliseconds: number): boolean;
  /** Bytes of an index on disk, and of its live pages. Throws ApiError index_not_found. */
  indexSize(uid: string): StoreSize;
  /** The same of the whole database. */
  size(): StoreSize;
  /**
   * Runs `work` on a consistent view. Throws ApiError index_not_found. Pointers of the view end with it. `access`: what foreign
   * keys may lead to; nothing when absent.
   */
  withView<T>(uid: string, work: (view: IndexView) => T, access?: IndexAccess): T;
  /** Sizes of what a search may have to read. Cheap: two rows. Throws ApiError index_not_found. */
  weight(uid: string): IndexWeight;
  /**
   * Call it now and then: releases memory that other threads lack, when this one has not searched for a while. True
   * when it did, and a garbage collection is worthwhile.
   */
  rest(): boolean;
  /**
   * Releases all memory that is kept for searches. Call it between two of them; the next one starts empty. A pause of
   * some 20 ms. What other threads share stays.
   */
  releaseMemory(): void;
  /**
   * Whether the kernel memory that this thread shares must be replaced (`useMemory`): it has more than it may, its memory is owed to others, or a thread has
   * ended while it changed it. The thread cannot give back what others use, too.
   */
  readonly needsMemory: boolean;
  /** Uses another shared kernel memory from now on, which may be empty. Call it between two searches. A pause of some 20 ms. */
  useMemory(shared: SharedKernel): void;
  close(): Promise<void>;
}

/**
 * How the commits of a writer get to other nodes. All calls come from the writer's thread, and return when what they
 * announce is durable elsewhere; an exception of `beforeCommit` rolls the commit back.
 */
export interface CommitReplication {
  /** What the commits of a store are asked by. */
  beforeCommit(store: string): BeforeCommit;
  /** The commit that was asked about last has succeeded. */
  committed(): void;
  /** The store of a new folder is a copy of another one, row by row, which no commit has told of. */
  copied(from: string, to: string): void;
}

/** Sizes that decide whether reading an index may take long. */
export interface IndexWeight {
  readonly documentCount: number;
  /** Bytes of the settings: dictionaries and synonyms are prepared at the first search after a commit. */
  readonly settingsBytes: number;
}

/** What a reader may use. */
export interface ReaderOptions {
  /** Limit of the memory of searches, in this thread and all threads that share the budget. */
  readonly maxSearchBytes: number;
  /** The shared account; when absent, this thread has the whole limit. The merges of a writer count in it. */
  readonly sharedBudget?: SharedBudget;
  /** The kernel memory that this thread shares with others; when absent, it has one of its own. */
  readonly sharedKernel?: SharedKernel | undefined;
  /** Bytes of it for the query result cache; a sixteenth when absent, 0: no cache. */
  readonly resultCacheBytes?: number;
  /** Asked at every read of a view, which fails when the thread is to end: it may be in a call of LMDB. */
  readonly isEnding?: () => boolean;
}

/** `rootFolder` contains one environment per index and one for the instance (names, figures). */
export interface OpenEngineOptions extends ReaderOptions {
  readonly rootFolder: string;
  /**
   * Where the writer marks changed indexes, so that readers need not look at files (newSummaryMarks); shared by all
   * threads.
   */
  readonly summaryMarks?: SharedArrayBuffer;
  /** Limit of the memory of a merge of segments; none when absent. Writer only. */
  readonly maxIndexingBytes?: number;
  /**
   * Whether large batches use a second thread for the words and facets of their documents, and large merges one of
   * their own; false when absent. Writer only.
   */
  readonly extractsInThread?: boolean;
  /** Makes the vectors of automatic embedders; a task that needs one fails when absent. Writer only. */
  readonly vectorMaker?: VectorMaker;
  /** Gets each commit to other nodes; without it commits stay here. Writer only. */
  readonly replication?: CommitReplication;
}
