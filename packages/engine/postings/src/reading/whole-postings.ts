import type { TermOrdinal } from '@fossick/base';
import {
  type Bitmap,
  type Block,
  type None,
  type PostingList,
  type PostingLists,
  postingListIn,
  postingListsIn,
  type Structure,
  type Structures,
} from '@fossick/kernel';
import type { HeldMemory } from '@fossick/kernel/memory';
import type { ListHost } from './listed-postings.js';
import { ResidentPostings } from './resident-postings.js';
import type { WordWindows } from './stored-windows.js';

/** Copies bytes [from, to) of the postings to `target` in kernel memory. */
export type ReadPostings = (from: number, to: number, target: Block) => void;

/**
 * All posting lists of a small word table in stored order: a list is an address. They are read together: read on demand, they make
 * dozens of searches slower instead of only the first. What the lists have in addition is of this thread alone.
 */
export class WholePostings implements HeldMemory {
  /** The segment's byte counter, which includes the bytes of these lists. */
  private readonly host: ListHost;
  readonly kind = 'postings';
  private readonly base: Structure;
  private readonly lists = new Map<number, ResidentPostings>();
  private bitmapBytes = 0;

  constructor(host: ListHost, structures: Structures, size: number, read: ReadPostings) {
    const onGrowth = (bytes: number): void => {
      this.bitmapBytes += bytes;
      host.onGrowth(bytes);
    };
    this.host = { kernel: host.kernel, scope: host.scope, onGrowth };
    this.base = structures.load('whole', () => {
      const base = host.kernel.memory.filled(size, (block) => read(0, size, block));
      return { blocks: [base], byteCount: size };
    });
  }

  get byteCount(): number {
    return this.base.ownBytes + this.bitmapBytes;
  }

  use(): boolean {
    return this.base.use();
  }

  isThere(): boolean {
    return this.base.isThere();
  }

  private get block(): Block {
    return this.base.blocks[0] as Block;
  }

  /** The lists that begin at these offsets. */
  addresses(offsets: Uint32Array): PostingLists {
    return postingListsIn(this.block, offsets, 0);
  }

  /** The list that begins at byte `at`. */
  address(at: number): PostingList {
    return postingListIn(this.block, at);
  }

  /** The list of a word, which begins at byte `from`. */
  list(
    ordinal: TermOrdinal,
    from: number,
    deleted: Bitmap | None,
    windowsOf: (ordinal: TermOrdinal) => WordWindows | null,
  ): ResidentPostings {
    let list = this.lists.get(ordinal);
    if (list === undefined) {
      list = new ResidentPostings(this.host, { within: this.address(from) }, deleted, windowsOf(ordinal));
      this.lists.set(ordinal, list);
    }
    list.deleted = deleted;
    return list;
  }

  discard(): void {
    this.freeLists();
    this.base.discard();
  }

  free(): void {
    this.freeLists();
    this.base.free();
  }

  private freeLists(): void {
    for (const list of this.lists.values()) list.free();
    this.lists.clear();
  }
}
