import type { Kernel, Ptr } from '@fossick/kernel';
import { CHUNK_BYTES } from '../indexing/rows.js';
import type { HeldMemory } from './posting-cache.js';
import { ResidentPostings } from './resident-postings.js';

/** Copies bytes [from, to) of the postings to `target` in kernel memory. */
export type ReadPostings = (from: number, to: number, target: Ptr) => void;

/**
 * All posting lists of a small word table, one after another as they are stored: a list is an address, and what a search asks for is
 * read in pieces of the store's own size, each once.
 */
export class WholePostings implements HeldMemory {
  private readonly base: Ptr;
  private readonly isRead: Uint8Array;
  private readonly lists = new Map<number, ResidentPostings>();
  private bitmapBytes = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly size: number,
    private readonly read: ReadPostings,
    private readonly onGrowth: (bytes: number) => void,
  ) {
    this.base = kernel.allocate(size);
    this.isRead = new Uint8Array(Math.ceil(size / CHUNK_BYTES));
  }

  get byteCount(): number {
    return this.size + this.bitmapBytes;
  }

  /** Address of byte `from`; all up to `to` can be read there. */
  span(from: number, to: number): Ptr {
    for (let chunk = Math.floor(from / CHUNK_BYTES); chunk * CHUNK_BYTES < to; chunk++) {
      if (this.isRead[chunk] === 1) continue;
      const start = chunk * CHUNK_BYTES;
      this.read(start, Math.min(this.size, start + CHUNK_BYTES), this.base + start);
      this.isRead[chunk] = 1;
    }
    return this.base + from;
  }

  /** The list in bytes [from, to), which is the one of this word. */
  list(ordinal: number, from: number, to: number, dead: Ptr): ResidentPostings {
    let list = this.lists.get(ordinal);
    if (list === undefined) {
      list = new ResidentPostings(this.kernel, { ptr: this.span(from, to), ownBytes: 0 }, dead, this.grow);
      this.lists.set(ordinal, list);
    }
    list.dead = dead;
    return list;
  }

  free(): void {
    for (const list of this.lists.values()) list.free();
    this.lists.clear();
    this.kernel.free(this.base);
  }

  private readonly grow = (bytes: number): void => {
    this.bitmapBytes += bytes;
    this.onGrowth(bytes);
  };
}
