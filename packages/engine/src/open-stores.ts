import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiError, collectGarbage } from '@fossick/base';
import { openLmdbStore, type Store } from '@fossick/storage';

/** File descriptors of an open store: its rows, the same for heads of commits, its lock file. */
const DESCRIPTORS_PER_STORE = 3;
/** Address space of an open store at first (storage: environment.ts). */
const MAPPED_BYTES_PER_STORE = 4 * 2 ** 30;
/** Share of descriptors and of address space for the stores of one list: there is one for requests, one a thread that searches, two for the writer. */
const SHARE = 1 / 16;
/** So many of the last used ones stay open whatever happens: those who search them go on when descriptors are missing. */
const STORES_MIN = 8;
/**
 * Opening a store takes a millisecond. An open one costs 0.2 MiB, and some 2 MiB where the C library takes LMDB's lists of pages from its heap
 * instead of mapping them, which it does once a store was closed (decision 0044).
 */
const STORES_MAX = 64;
/** A file that could not be read is not looked at again for so long. */
const FAULT_KEPT_MS = 10_000;
/** A closed store keeps up to 250 KiB outside of V8's heap until its object is collected, which V8 sees no reason for. */
const CLOSINGS_PER_COLLECTION = 100;
/** User space of a process of 64 bits. */
const ADDRESS_SPACE_BYTES = 2 ** 47;

/** How many stores one list may have open in this process, by its limits as /proc tells them; where there is no /proc, 64. */
export function openStoresMax(): number {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return 64;
  }
  const soft = (name: string): number => {
    const text = new RegExp(`^${name} +(\\d+|unlimited)`, 'm').exec(limits)?.[1];
    return text === undefined || text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text);
  };
  const byDescriptors = (soft('Max open files') * SHARE) / DESCRIPTORS_PER_STORE;
  const bytes = Math.min(ADDRESS_SPACE_BYTES, soft('Max address space'));
  const byAddresses = (bytes * SHARE) / MAPPED_BYTES_PER_STORE;
  return Math.floor(Math.max(STORES_MIN, Math.min(STORES_MAX, byDescriptors, byAddresses)));
}

export interface OpenStoresOptions {
  readonly pathOf: (folder: string) => string;
  /** Whether somebody is in the middle of reading or writing the store of a folder: it is not closed then. */
  readonly isInUse: (folder: string) => boolean;
  /** To be called before a store is closed: nothing may read it after that. */
  readonly onClose: (folder: string) => void;
  /** Whether a store that is missing is made; readers meet one when its index is being deleted, and would make its folder again. */
  readonly mayCreate?: boolean;
  readonly max?: number;
  /** Address space for a file at first. */
  readonly mapBytes?: number;
  /** See the options of a store. */
  readonly onCommit?: (waitedMs: number) => void;
}

/** The stores of indexes that one thread has open: the last used ones, up to a bound. */
export class OpenStores {
  private readonly options: OpenStoresOptions;
  /** In the order of their last use. */
  private readonly stores = new Map<string, Store>();
  private readonly max: number;
  private closings = 0;
  /** What was wrong with files that could not be read: finding out may take reading much of them. */
  private readonly faults = new Map<string, { readonly error: unknown; readonly untilMs: number }>();

  constructor(options: OpenStoresOptions) {
    this.options = options;
    this.max = options.max ?? openStoresMax();
  }

  /** Those of stores that are open, and not in the middle of anything. */
  get idle(): string[] {
    return [...this.stores].filter(([folder, store]) => this.isIdle(folder, store)).map(([folder]) => folder);
  }

  /** The store, opened when it is not. Closes others that were not used for longer when there are too many, or no descriptor is left. */
  get(folder: string): Store {
    const known = this.stores.get(folder);
    if (known !== undefined) {
      this.stores.delete(folder);
      this.stores.set(folder, known);
      return known;
    }
    this.trim(this.max - 1);
    const store = this.openOrMakeRoom(folder);
    this.stores.set(folder, store);
    return store;
  }

  /** Closes it now. */
  async close(folder: string): Promise<void> {
    const store = this.stores.get(folder);
    if (store === undefined) return;
    this.options.onClose(folder);
    this.stores.delete(folder);
    await store.close();
    if (++this.closings % CLOSINGS_PER_COLLECTION === 0) collectGarbage();
  }

  async closeAll(): Promise<void> {
    for (const folder of [...this.stores.keys()]) await this.close(folder);
  }

  private openOrMakeRoom(folder: string): Store {
    const fault = this.faults.get(folder);
    if (fault !== undefined && Date.now() < fault.untilMs) throw fault.error;
    this.faults.delete(folder);
    try {
      return this.open(folder);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'invalid_store_file') this.faults.set(folder, { error, untilMs: Date.now() + FAULT_KEPT_MS });
      const isOutOfHandles = code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM';
      if (!isOutOfHandles || !this.trim(Math.max(STORES_MIN, Math.floor(this.stores.size / 2)))) throw error;
      return this.open(folder);
    }
  }

  private open(folder: string): Store {
    const { pathOf, mapBytes, onCommit, mayCreate = true } = this.options;
    const path = pathOf(folder);
    if (!mayCreate && !existsSync(join(path, 'data.mdb'))) throw apiError('invalid_store_file', 'noIndex');
    return openLmdbStore({
      folder: path,
      ...(mapBytes === undefined ? {} : { mapBytes }),
      ...(onCommit === undefined ? {} : { onCommit }),
    });
  }

  /** Closes those that were not used for longest; false when there was none to close. */
  private trim(max: number): boolean {
    const before = this.stores.size;
    for (const [folder, store] of this.stores) {
      if (this.stores.size <= max) break;
      // an idle store is closed by the time that this returns
      if (this.isIdle(folder, store)) this.close(folder).catch(() => undefined);
    }
    return this.stores.size < before;
  }

  /**
   * What this thread is reading of a store is gone when it closes it. What others do with it need not be known: lmdb-js counts the
   * threads that have an environment open, under a lock of the process, and the last one closes it.
   */
  private isIdle(folder: string, store: Store): boolean {
    return !store.isBusy && !this.options.isInUse(folder);
  }
}
