import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiError, collectGarbage } from '@fossick/base';
import { type BeforeCommit, openLmdbStore, type Store } from '@fossick/storage';

/** File descriptors of an open store: its data file, a second one for reading heads of commits, its lock file. */
const DESCRIPTORS_PER_STORE = 3;
/** Initial address space of an open store (storage: environment.ts). */
const MAPPED_BYTES_PER_STORE = 4 * 2 ** 30;
/**
 * Share of descriptors and of address space for the stores of one list: there is one list for requests, one per search
 * thread, two for the writer.
 */
const SHARE = 1 / 16;
/**
 * Number of most recently used stores that stay open in any case, so that their searches continue when descriptors run
 * out.
 */
const STORES_MIN = 8;
/**
 * Opening a store takes a millisecond. An open one costs 0.2 MiB, and some 2 MiB where the C library takes LMDB's lists of pages from its heap
 * instead of mapping them, which it does once a store was closed (docs/internals/decisions/memory.md).
 */
const STORES_MAX = 64;
/** A file that could not be read is not checked again for this long, in milliseconds. */
const FAULT_CACHED_MS = 10_000;
/**
 * A closed store keeps up to 250 KiB outside of V8's heap until its object is collected, and V8 sees no reason to
 * collect it.
 */
const CLOSINGS_PER_COLLECTION = 100;
/** User address space of a 64-bit process. */
const ADDRESS_SPACE_BYTES = 2 ** 47;

/** How many stores one list may have open, by the limits of the process in /proc; without /proc, 64. */
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
  /** Whether the store of a folder is being read or written: it must not be closed then. */
  readonly isInUse: (folder: string) => boolean;
  /** Called before a store is closed: nothing may read it after that. */
  readonly onClose: (folder: string) => void;
  /**
   * Whether a missing store is created; readers can meet a missing one while its index is being deleted, and would
   * create its folder again.
   */
  readonly mayCreate?: boolean;
  readonly max?: number;
  /** Initial address space of a file. */
  readonly mapBytes?: number;
  /** See the options of a store. */
  readonly onCommit?: (waitedMs: number) => void;
  /** What the commits of the store of a folder are asked by. */
  readonly beforeCommit?: ((folder: string) => BeforeCommit) | undefined;
}

/** The index stores that one thread has open: the most recently used ones, up to a limit. */
export class OpenStores {
  private readonly options: OpenStoresOptions;
  /** In the order of their last use. */
  private readonly stores = new Map<string, Store>();
  private readonly max: number;
  private closings = 0;
  /** Cached errors of files that could not be read: finding an error may take reading much of a file. */
  private readonly faults = new Map<string, { readonly error: unknown; readonly untilMs: number }>();

  constructor(options: OpenStoresOptions) {
    this.options = options;
    this.max = options.max ?? openStoresMax();
  }

  /** Open stores that are not in use. */
  get idle(): string[] {
    return [...this.stores].filter(([folder, store]) => this.isIdle(folder, store)).map(([folder]) => folder);
  }

  /**
   * The store, opened if necessary. Closes the least recently used ones when there are too many, or no descriptor is
   * left.
   */
  get(folder: string): Store {
    const known = this.stores.get(folder);
    if (known !== undefined) {
      this.stores.delete(folder);
      this.stores.set(folder, known);
      return known;
    }
    this.trim(this.max - 1);
    const store = this.openOrEvict(folder);
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

  private openOrEvict(folder: string): Store {
    const fault = this.faults.get(folder);
    if (fault !== undefined && Date.now() < fault.untilMs) throw fault.error;
    this.faults.delete(folder);
    try {
      return this.open(folder);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'invalid_store_file') this.faults.set(folder, { error, untilMs: Date.now() + FAULT_CACHED_MS });
      const isOutOfHandles = code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM';
      if (!isOutOfHandles || !this.trim(Math.max(STORES_MIN, Math.floor(this.stores.size / 2)))) throw error;
      return this.open(folder);
    }
  }

  private open(folder: string): Store {
    const { pathOf, mapBytes, onCommit, beforeCommit, mayCreate = true } = this.options;
    const path = pathOf(folder);
    const options = {
      folder: path,
      mayCreate,
      ...(mapBytes === undefined ? {} : { mapBytes }),
      ...(onCommit === undefined ? {} : { onCommit }),
      ...(beforeCommit === undefined ? {} : { beforeCommit: beforeCommit(folder) }),
    };
    try {
      return openLmdbStore(options);
    } catch (error) {
      // the folder of a deleted index gets another name before it is removed, also in the middle of an opening
      if (!mayCreate && !existsSync(join(path, 'data.mdb'))) throw apiError('invalid_store_file', 'noIndex');
      throw error;
    }
  }

  /** Closes the least recently used stores; false when there was none to close. */
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
   * Closing ends all reads of the store in this thread. Other threads do not matter: lmdb-js counts the threads that
   * have an environment open, under a lock of the process, and the last one closes it.
   */
  private isIdle(folder: string, store: Store): boolean {
    return !store.isBusy && !this.options.isInUse(folder);
  }
}
