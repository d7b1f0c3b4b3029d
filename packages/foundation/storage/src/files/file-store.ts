import type { Snapshot, Store, Table } from '../store.js';
import { type BlockRows, lastNotAfter, valueIn } from './block-rows.js';
import type { Directory, TableDirectory } from './file-format.js';

/** A read needs blocks that are not in memory: fetch them, give them to the store, and repeat the work. */
export class BlocksMissing extends Error {
  /** Numbers of the blocks, ascending. */
  readonly blocks: readonly number[];

  constructor(blocks: readonly number[]) {
    super(`${blocks.length} blocks are not in memory`);
    this.name = 'BlocksMissing';
    this.blocks = blocks;
  }
}

/**
 * A store whose rows are blocks of files (file-format.ts), of which some are in memory. A read of any other throws
 * BlocksMissing. Nothing can be written.
 */
export interface FileStore extends Store {
  /** Adds a block. */
  give(block: number, rows: BlockRows): void;
  has(block: number): boolean;
  /** Bytes of the blocks in memory. */
  readonly heldBytes: number;
  /** Drops the least recently used blocks beyond the limit: to be called between two pieces of work. */
  settle(): void;
}

/** @param maxBytes how many bytes of blocks stay in memory from one piece of work to the next */
export function openFileStore(directory: Directory, maxBytes: number): FileStore {
  return new DirectoryStore(directory, maxBytes);
}

class DirectoryStore implements FileStore {
  private readonly directory: Directory;
  private readonly maxBytes: number;
  private readonly tables: ReadonlyMap<string, TableDirectory>;
  /** In the order of their last use. */
  private readonly held = new Map<number, BlockRows>();
  /** First block of each group, by group. */
  private readonly groups: ReadonlyMap<number, readonly number[]>;
  heldBytes = 0;
  readonly commitCount = 1;
  readonly isBusy = false;

  constructor(directory: Directory, maxBytes: number) {
    this.directory = directory;
    this.maxBytes = maxBytes;
    this.tables = new Map(directory.tables.map((table) => [table.name, table]));
    const groups = new Map<number, number[]>();
    for (const [number, { group }] of directory.blocks.entries()) {
      const known = groups.get(group);
      if (known === undefined) groups.set(group, [number]);
      else known.push(number);
    }
    this.groups = groups;
  }

  give(block: number, rows: BlockRows): void {
    if (this.held.has(block)) return;
    this.held.set(block, rows);
    this.heldBytes += rows.byteCount;
  }

  has(block: number): boolean {
    return this.held.has(block);
  }

  settle(): void {
    for (const [block, { byteCount }] of this.held) {
      if (this.heldBytes <= this.maxBytes) return;
      this.held.delete(block);
      this.heldBytes -= byteCount;
    }
  }

  table(name: string): Table {
    const read = <T>(key: Uint8Array, use: (value: Uint8Array) => T): T | undefined => {
      const value = this.valueOf(name, key);
      return value === undefined ? undefined : use(value);
    };
    return {
      // a copy, as the interface promises
      get: (key) => read(key, (value) => new Uint8Array(value)),
      read,
      need: (keys) => this.need(name, keys),
      has: (key) => this.valueOf(name, key) !== undefined,
      range: () => {
        throw new Error('a store of files has no ranges');
      },
      count: () => {
        throw new Error('a store of files does not count its rows');
      },
    };
  }

  snapshot<T>(work: (snapshot: Snapshot) => T): T {
    return work({ tableNames: [...this.tables.keys()].sort(), table: (name) => this.table(name) });
  }

  transaction(): never {
    throw new Error('a store of files cannot be written');
  }

  async flush(): Promise<void> {}

  size(): { readonly diskBytes: number; readonly usedBytes: number } {
    const usedBytes = this.directory.blocks.reduce((sum, { rawBytes }) => sum + rawBytes, 0);
    return { diskBytes: this.directory.blocks.reduce((sum, block) => sum + block.packedBytes, 0), usedBytes };
  }

  tableSizes(): Readonly<Record<string, number>> {
    const { blocks, tables } = this.directory;
    return Object.fromEntries(
      tables.map(({ name, firstBlock, firstKeys }) => [
        name,
        blocks.slice(firstBlock, firstBlock + firstKeys.length).reduce((sum, { rawBytes }) => sum + rawBytes, 0),
      ]),
    );
  }

  copyTo(): Promise<void> {
    return Promise.reject(new Error('a store of files is not copied'));
  }

  async close(): Promise<void> {
    this.held.clear();
    this.heldBytes = 0;
  }

  private blockOf(name: string, key: Uint8Array): number | undefined {
    const table = this.tables.get(name);
    if (table === undefined) return undefined;
    const at = lastNotAfter(table.firstKeys, key);
    if (at < 0) return undefined;
    const first = table.firstKeys[at]!;
    // the rows of a block begin alike, so that most absent rows are known to be absent
    for (let byte = 0; byte < table.prefixBytes; byte++) if (first[byte] !== key[byte]) return undefined;
    return table.firstBlock + at;
  }

  private valueOf(name: string, key: Uint8Array): Uint8Array | undefined {
    const block = this.blockOf(name, key);
    if (block === undefined) return undefined;
    const rows = this.held.get(block);
    if (rows === undefined) throw new BlocksMissing(this.withGroups([block]));
    this.held.delete(block);
    this.held.set(block, rows);
    return valueIn(rows, key);
  }

  private need(name: string, keys: readonly Uint8Array[]): void {
    const missing = new Set<number>();
    for (const key of keys) {
      const block = this.blockOf(name, key);
      if (block !== undefined && !this.held.has(block)) missing.add(block);
    }
    if (missing.size > 0) throw new BlocksMissing(this.withGroups([...missing]));
  }

  /** The blocks with the others of their groups that are not in memory. */
  private withGroups(blocks: readonly number[]): readonly number[] {
    const wanted = new Set<number>();
    for (const block of blocks)
      for (const one of this.groups.get(this.directory.blocks[block]!.group)!) if (!this.held.has(one)) wanted.add(one);
    return [...wanted].sort((a, b) => a - b);
  }
}
