import { readFileSync } from 'node:fs';
import { openLmdbStore, type Store } from '@fossick/storage';

/** File descriptors of an open store: its rows, the same for heads of commits, its lock file. */
const DESCRIPTORS_PER_STORE = 3;
/** Address space of an open store at first (storage: environment.ts). */
const MAPPED_BYTES_PER_STORE = 4 * 2 ** 30;
/** Share of descriptors and of address space for the stores of one list: there is one for requests, one a thread that searches, two for the writer. */
const SHARE = 1 / 16;
const STORES_MIN = 8;
/** Opening a store takes a millisecond; more than so many are hardly in use at once. */
const STORES_MAX = 1_000;
/** A file that could not be read is not looked at again for so long. */
const FAULT_KEPT_MS = 10_000;
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
  readonly max?: number;
}

/** The stores of indexes that one thread has open: the last used ones, up to a bound. */
export class OpenStores {
  /** In the order of their last use. */
  private readonly stores = new Map<string, Store>();
  private readonly max: number;
  /** What was wrong with files that could not be read: finding out may take reading much of them. */
  private readonly faults = new Map<string, { readonly error: unknown; readonly untilMs: number }>();

  constructor(private readonly options: OpenStoresOptions) {
    this.max = options.max ?? openStoresMax();
  }

  get folders(): Iterable<string> {
    return this.stores.keys();
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
  }

  async closeAll(): Promise<void> {
    for (const folder of [...this.stores.keys()]) await this.close(folder);
  }

  private openOrMakeRoom(folder: string): Store {
    const path = this.options.pathOf(folder);
    const fault = this.faults.get(folder);
    if (fault !== undefined && Date.now() < fault.untilMs) throw fault.error;
    this.faults.delete(folder);
    try {
      return openLmdbStore({ folder: path });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'invalid_store_file') this.faults.set(folder, { error, untilMs: Date.now() + FAULT_KEPT_MS });
      if (code !== 'EMFILE' && code !== 'ENFILE' && code !== 'ENOMEM') throw error;
      this.trim(Math.floor(this.stores.size / 2));
      return openLmdbStore({ folder: path });
    }
  }

  private trim(max: number): void {
    if (this.stores.size <= max) return;
    for (const folder of [...this.stores.keys()]) {
      if (this.stores.size <= max) return;
      // its handle has nothing to wait for, so it is closed when this returns
      if (!this.options.isInUse(folder)) this.close(folder).catch(() => undefined);
    }
  }
}
