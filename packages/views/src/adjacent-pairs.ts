import { type Bitmap, type Kernel, type None, type U32Array, u32ArrayIn } from '@fossick/kernel';
import type { HeldMemory, MemoryEntry, SearchMemory } from '@fossick/search-memory';

/** Pairs with fewer documents are not cached but walked each time. */
const CACHED_FROM_DOCS = 2_000;

/** The documents of one segment where two words are adjacent, ascending, in long-lived kernel memory. */
class AdjacentDocs implements HeldMemory {
  private readonly kernel: Kernel;
  /** Start and end of the only group of documents, then the documents. */
  readonly offsets: U32Array;
  readonly docs: U32Array;
  readonly kind = 'postings';
  readonly byteCount: number;

  constructor(kernel: Kernel, docIds: Uint32Array) {
    this.kernel = kernel;
    this.byteCount = (docIds.length + 2) * 4;
    const block = kernel.memory.allocate(this.byteCount);
    kernel.memory.write(block, new Uint8Array(Uint32Array.of(0, docIds.length).buffer));
    kernel.memory.write(block, new Uint8Array(docIds.buffer, docIds.byteOffset, docIds.byteLength), 8);
    this.offsets = u32ArrayIn(block, 0);
    this.docs = u32ArrayIn(block, 8);
  }

  free(): void {
    this.kernel.memory.free(this.offsets);
  }
}

/**
 * Caches where two common words of a segment are adjacent: many queries need the halves of the same split words, each time over the whole index. A segment never
 * changes, so entries stay valid; documents deleted since are left out at each use.
 */
export class AdjacentPairs {
  private readonly kernel: Kernel;
  private readonly memory: SearchMemory;
  private readonly pairs = new Map<string, { readonly found: AdjacentDocs; readonly entry: MemoryEntry }>();

  constructor(kernel: Kernel, memory: SearchMemory) {
    this.kernel = kernel;
    this.memory = memory;
  }

  /**
   * target |= documents of the pair. `find` sets the bits of those among `within`, all live documents of both words. `key` identifies the
   * words.
   */
  orDocs(key: string, target: Bitmap, within: Bitmap, deleted: Bitmap | None, find: (found: Bitmap) => void): void {
    const { bitmaps, memory } = this.kernel;
    if (this.orKnown(key, target, deleted)) return;
    if (bitmaps.count(within) < CACHED_FROM_DOCS) {
      find(target);
      return;
    }
    const mark = memory.mark();
    const bitmap = bitmaps.create(bitmaps.bitCapacity(within));
    find(bitmap);
    const docIds = bitmaps.members(bitmap, 0, bitmaps.count(bitmap));
    memory.release(mark);
    this.hold(key, docIds);
    this.orKnown(key, target, deleted);
  }

  /** The same for a pair that is stored: `read` returns all of its documents, ascending, deleted ones included. */
  orStored(key: string, target: Bitmap, deleted: Bitmap | None, read: () => Uint32Array): void {
    if (this.orKnown(key, target, deleted)) return;
    this.hold(key, read());
    this.orKnown(key, target, deleted);
  }

  private orKnown(key: string, target: Bitmap, deleted: Bitmap | None): boolean {
    const pair = this.pairs.get(key);
    if (pair === undefined) return false;
    this.memory.touch(pair.entry);
    this.kernel.columns.orGroups(target, pair.found, 0, 1, { universe: 0, deleted });
    return true;
  }

  private hold(key: string, docIds: Uint32Array): void {
    const found = new AdjacentDocs(this.kernel, docIds);
    this.pairs.set(key, { found, entry: this.memory.hold(found, () => this.pairs.delete(key)) });
  }

  /** Frees all. Only between views. */
  close(): void {
    for (const { entry } of [...this.pairs.values()]) this.memory.drop(entry);
  }
}
