import { apiError, type DocIds } from '@fossick/base';
import { columnReaders, earliestExpiry, evaluateFilter, orExpired } from '@fossick/columns';
import { readFilter } from '@fossick/filter';
import { type RowReader, type RowSource, readerOf } from '@fossick/format';
import { type Bitmap, createKernel, type Inverter, isKernelFault, type Kernel } from '@fossick/kernel';
import { MemoryBudget, SearchMemory } from '@fossick/kernel/memory';
import { type IndexSettings, tokenizerOptions } from '@fossick/settings';
import { createTokenizer, type Tokenizer } from '@fossick/tokenizer';
import type { ApplyOptions } from './operations/apply-options.js';
import type { IndexTransaction } from './transaction/index-transaction.js';
import { IndexReader } from './view/index-reader.js';
import type { IndexView } from './view/index-view.js';

/** A kernel that has grown beyond this is released after the work, because its memory cannot shrink. */
const REUSED_KERNEL_BYTES_MAX = 16 << 20;

/** The kernel of a writer and the objects in it, reused from one change to the next. */
export class WriterKernel {
  private readonly maxSearchBytes: number;
  private current = createKernel();
  private currentInverter: Inverter = this.current.lists.createInverter();
  private memory: SearchMemory;
  private tokenizer: { readonly key: string; readonly tokenizer: Tokenizer } | undefined;

  /** @param maxSearchBytes memory for the filters of changes, in bytes */
  constructor(maxSearchBytes: number) {
    this.maxSearchBytes = maxSearchBytes;
    this.memory = this.newMemory();
  }

  /** A new one after work that was large or failed: read it anew for each work. */
  get kernel(): Kernel {
    return this.current;
  }

  get inverter(): Inverter {
    return this.currentInverter;
  }

  /** Runs work in the kernel, which is released when the work was large, or failed during a call. */
  run<T>(work: (kernel: Kernel) => T): T {
    let isFaulty = false;
    try {
      return work(this.current);
    } catch (error) {
      isFaulty = isKernelFault(error);
      throw error;
    } finally {
      if (isFaulty || this.current.memory.byteCount > REUSED_KERNEL_BYTES_MAX) {
        this.current = createKernel();
        this.currentInverter = this.current.lists.createInverter();
        this.memory = this.newMemory();
      }
    }
  }

  /** How operations of a transaction find documents. */
  matchers(uid: string, transaction: IndexTransaction): Pick<ApplyOptions, 'matchFilter' | 'matchExpired'> {
    return {
      matchFilter: (filter) => this.matchFilter(uid, transaction, filter),
      matchExpired: (untilMs) => this.matchExpired(uid, transaction, untilMs),
    };
  }

  /** Matching documents, seen through a view of the open transaction. */
  private matchFilter(uid: string, transaction: IndexTransaction, filter: unknown): DocIds {
    const parsed = readFilter(filter, 'invalid_document_filter');
    if (parsed === null) return new Uint32Array(0) as DocIds;
    return matchDocuments(this.readerOf(uid, transaction), uid, transaction.source, (view) =>
      evaluateFilter(view, parsed, 'invalid_document_filter'),
    );
  }

  /** Documents that have expired by `untilMs`, seen in the same way. */
  private matchExpired(uid: string, transaction: IndexTransaction, untilMs: number): DocIds {
    const { expiryAttribute } = transaction.settings;
    if (expiryAttribute === null) return new Uint32Array(0) as DocIds;
    return matchDocuments(this.readerOf(uid, transaction), uid, transaction.source, (view) => {
      const expired = view.kernel.bitmaps.create(view.bitCount);
      for (const column of columnReaders(view, expiryAttribute)) orExpired(expired, column, untilMs);
      return expired;
    });
  }

  /** When the first stored document expires, in milliseconds since 1970; Infinity for never. */
  nextExpiry(rows: RowReader, attribute: string): number {
    return this.run((kernel) => {
      this.memory.begin();
      const mark = kernel.memory.mark();
      const reader = new IndexReader(kernel, this.memory, '', refuseForeign);
      try {
        const view = reader.enter('', rows);
        return columnReaders(view, attribute).reduce(
          (earliest, column) => Math.min(earliest, earliestExpiry(column)),
          Number.POSITIVE_INFINITY,
        );
      } finally {
        kernel.memory.release(mark);
        reader.close();
      }
    });
  }

  /** A reader of what the transaction has so far. */
  private readerOf(uid: string, transaction: IndexTransaction): IndexReader {
    transaction.keepWhole();
    for (const _ of transaction.flush());
    transaction.writeState(Date.now());
    this.memory.begin();
    return new IndexReader(this.current, this.memory, uid, refuseForeign);
  }

  /** The tokenizer of these settings; the last one is cached. */
  tokenizerOf(settings: IndexSettings): Tokenizer {
    const options = tokenizerOptions(settings);
    const key = JSON.stringify(options);
    if (this.tokenizer?.key !== key) this.tokenizer = { key, tokenizer: createTokenizer(options) };
    return this.tokenizer.tokenizer;
  }

  /** The kernel is limited by the memory for indexing. */
  private newMemory(): SearchMemory {
    return new SearchMemory(new MemoryBudget(this.maxSearchBytes), this.current, Number.POSITIVE_INFINITY);
  }
}

/**
 * The documents of the bitmap that `match` makes, in ascending order, read from the rows of an open transaction. Closes
 * `index`.
 */
function matchDocuments(index: IndexReader, uid: string, rows: RowSource, match: (view: IndexView) => Bitmap): DocIds {
  const { kernel } = index;
  const mark = kernel.memory.mark();
  try {
    const matching = match(index.enter(uid, readerOf(rows)));
    return kernel.bitmaps.members(matching, 0, kernel.bitmaps.count(matching));
  } finally {
    kernel.memory.release(mark);
    index.close();
  }
}

/** Filters of writes cannot use other indexes: the server refuses such filters before. */
function refuseForeign(uid: string): never {
  throw apiError('invalid_document_filter', 'foreignIndex', uid);
}
