import { type Bitmap, type Kernel, type None, type U32Array, u32ArrayIn, type Window } from '@fossick/kernel';
import { type EvictingMemory, HeldByKey, type HeldMemory } from '@fossick/kernel/memory';

/** Pairs with fewer documents are not cached but walked each time. */
const CACHED_FROM_DOCS = 2_000;

/** One document in so many of its stretch takes as much memory in a list as in a bitmap. */
const DENSE_SHARE = 32;
/** Windows begin with a lane. */
const LANE_BITS = 128;

/** The documents of one segment where two words are adjacent, in long-lived kernel memory. */
interface AdjacentDocs extends HeldMemory {
  /** target |= those that are not deleted. */
  or(target: Bitmap, deleted: Bitmap | None): void;
}

/** Few documents: a list, ascending. */
class AdjacentList implements AdjacentDocs {
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

  or(target: Bitmap, deleted: Bitmap | None): void {
    this.kernel.columns.orGroups(target, this, 0, 1, { universe: 0, deleted });
  }

  free(): void {
    this.kernel.memory.free(this.offsets);
  }
}

/** Many documents: a bit for each of their stretch. */
class AdjacentWindow implements AdjacentDocs {
  private readonly kernel: Kernel;
  private readonly window: Window;
  readonly kind = 'postings';
  readonly byteCount: number;

  constructor(kernel: Kernel, docIds: Uint32Array) {
    this.kernel = kernel;
    const [first, last] = [docIds[0]!, docIds.at(-1)!];
    const firstBit = first - (first % LANE_BITS);
    const bits = new Uint8Array((last - (last % LANE_BITS) + LANE_BITS - firstBit) / 8);
    for (const doc of docIds) bits[(doc - firstBit) >>> 3]! |= 1 << (doc & 7);
    this.byteCount = bits.length;
    this.window = kernel.windows.create(firstBit, bits.length * 8);
    kernel.memory.write(kernel.windows.bits(this.window), bits);
  }

  or(target: Bitmap, deleted: Bitmap | None): void {
    this.kernel.windows.or(target, this.window, 0, deleted);
  }

  free(): void {
    this.kernel.memory.free(this.window);
  }
}

function adjacentDocs(kernel: Kernel, docIds: Uint32Array): AdjacentDocs {
  const stretch = docIds.length === 0 ? 0 : docIds.at(-1)! - docIds[0]! + LANE_BITS;
  return docIds.length * DENSE_SHARE > stretch ? new AdjacentWindow(kernel, docIds) : new AdjacentList(kernel, docIds);
}

/**
 * Caches where two common words of a segment are adjacent: many queries need the halves of the same split words, each time over the whole index. A segment never
 * changes, so entries stay valid; documents deleted since are left out at each use.
 */
export class AdjacentPairs {
  private readonly kernel: Kernel;
  private readonly pairs: HeldByKey<string, AdjacentDocs>;

  constructor(kernel: Kernel, memory: EvictingMemory) {
    this.kernel = kernel;
    this.pairs = new HeldByKey(memory);
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
    this.pairs.load(key, () => adjacentDocs(this.kernel, docIds)).or(target, deleted);
  }

  /** The same for a pair that is stored: `read` returns all of its documents, ascending, deleted ones included. */
  orStored(key: string, target: Bitmap, deleted: Bitmap | None, read: () => Uint32Array): void {
    this.pairs.load(key, () => adjacentDocs(this.kernel, read())).or(target, deleted);
  }

  private orKnown(key: string, target: Bitmap, deleted: Bitmap | None): boolean {
    const found = this.pairs.use(key);
    found?.or(target, deleted);
    return found !== undefined;
  }

  /** Frees all. Only between views. */
  close(): void {
    this.pairs.drop();
  }
}
