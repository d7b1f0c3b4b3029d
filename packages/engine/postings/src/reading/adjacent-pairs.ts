import {
  type Bitmap,
  type Block,
  type Kernel,
  type MadeStructure,
  type None,
  type Structure,
  type Structures,
  type U32Array,
  u32ArrayIn,
  type Window,
} from '@fossick/kernel';
import { type EvictingMemory, HeldByKey, HeldStructure } from '@fossick/kernel/memory';

/** Pairs with fewer documents are not cached but walked each time. */
const CACHED_FROM_DOCS = 2_000;

/** One document in this many of its stretch takes as much memory in a list as in a bitmap. */
const DENSE_SHARE = 32;
/** Windows begin with a lane. */
const LANE_BITS = 128;

/**
 * The documents of one segment where two words are adjacent, in long-lived kernel memory. Few documents are a list, ascending, after the start and end of
 * its only group; many are a window, with a bit for each of their stretch.
 */
class AdjacentDocs extends HeldStructure {
  private readonly kernel: Kernel;
  private readonly list: { readonly offsets: U32Array; readonly docs: U32Array } | null;

  constructor(kernel: Kernel, structure: Structure) {
    super('postings', structure);
    this.kernel = kernel;
    const block = structure.blocks[0] as Block;
    const isList = structure.numbers[0] === 1;
    this.list = isList ? { offsets: u32ArrayIn(block, 0), docs: u32ArrayIn(block, 8) } : null;
  }

  /** target |= those that are not deleted. */
  or(target: Bitmap, deleted: Bitmap | None): void {
    if (this.list === null) this.kernel.windows.or(target, this.structure.blocks[0] as Window, 0, deleted);
    else this.kernel.columns.orGroups(target, this.list, 0, 1, { universe: 0, deleted });
  }
}

function madeList({ memory }: Kernel, docIds: Uint32Array): MadeStructure {
  const byteCount = (docIds.length + 2) * 4;
  const block = memory.allocate(byteCount);
  memory.write(block, new Uint8Array(Uint32Array.of(0, docIds.length).buffer));
  memory.write(block, new Uint8Array(docIds.buffer, docIds.byteOffset, docIds.byteLength), 8);
  return { blocks: [block], numbers: [1], byteCount };
}

function madeWindow({ memory, windows }: Kernel, docIds: Uint32Array): MadeStructure {
  const [first, last] = [docIds[0]!, docIds.at(-1)!];
  const firstBit = first - (first % LANE_BITS);
  const bits = new Uint8Array((last - (last % LANE_BITS) + LANE_BITS - firstBit) / 8);
  for (const doc of docIds) bits[(doc - firstBit) >>> 3]! |= 1 << (doc & 7);
  const window = windows.create(firstBit, bits.length * 8);
  memory.write(windows.bits(window), bits);
  return { blocks: [window], numbers: [0], byteCount: bits.length };
}

function madeDocs(kernel: Kernel, docIds: Uint32Array): MadeStructure {
  const stretch = docIds.length === 0 ? 0 : docIds.at(-1)! - docIds[0]! + LANE_BITS;
  return docIds.length * DENSE_SHARE > stretch ? madeWindow(kernel, docIds) : madeList(kernel, docIds);
}

/**
 * Caches where two common words of a segment are adjacent: many queries need the halves of the same split words, each time over the whole index. A segment never
 * changes, so entries stay valid; documents deleted since are left out at each use.
 */
export class AdjacentPairs {
  private readonly kernel: Kernel;
  private readonly structures: Structures;
  private readonly pairs: HeldByKey<string, AdjacentDocs>;

  constructor(kernel: Kernel, memory: EvictingMemory, structures: Structures = kernel.ownStructures) {
    this.kernel = kernel;
    this.structures = structures;
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
    // documents that are deleted by now are missing, which others may still see
    this.load(this.kernel.ownStructures, key, () => {
      const mark = memory.mark();
      const bitmap = bitmaps.create(bitmaps.bitCapacity(within));
      find(bitmap);
      const docIds = bitmaps.members(bitmap, 0, bitmaps.count(bitmap));
      memory.release(mark);
      return docIds;
    }).or(target, deleted);
  }

  /** The same for a pair that is stored: `read` returns all of its documents, ascending, deleted ones included. */
  orStored(key: string, target: Bitmap, deleted: Bitmap | None, read: () => Uint32Array): void {
    this.load(this.structures, key, read).or(target, deleted);
  }

  private load(structures: Structures, key: string, read: () => Uint32Array): AdjacentDocs {
    const { kernel } = this;
    return this.pairs.load(
      key,
      () =>
        new AdjacentDocs(
          kernel,
          structures.load(key, () => madeDocs(kernel, read())),
        ),
    );
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
