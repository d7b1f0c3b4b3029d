import type { Kernel, LivePostings, MadeList, Ptr } from '@fossick/kernel';
import { ListedPostings, type PlacedList } from './listed-postings.js';

/** Where the lists of a prefix's words lie, as long as a view lasts. */
export type FindAddresses = () => Uint32Array;

/** How often places are looked up in the lists of the words before they are merged. */
const WALKS_MAX = 8;

/**
 * All words of a short prefix. Documents, and those by field, are read from the words' own lists; these are merged into one only for
 * what walks pairs of lists over many documents, and for a prefix whose places are asked for time and again.
 */
export class PrefixPostings extends ListedPostings {
  private merged: MadeList | null = null;
  private walkCount = 0;
  protected readonly docCount: number;

  /**
   * @param find addresses of the lists, at least one
   * @param isKept whether they stay in memory as long as this; else they are merged at once
   * @param docBound above all documents of the segment
   */
  constructor(
    kernel: Kernel,
    dead: Ptr,
    onGrowth: (bytes: number) => void,
    private readonly find: FindAddresses,
    isKept: boolean,
    private readonly docBound: number,
  ) {
    super(kernel, dead, onGrowth);
    const addresses = find();
    this.docCount = kernel.wordsDocCount(addresses);
    if (!isKept) this.byteCount = this.merge(addresses).byteCount;
  }

  /** The merged list. */
  get ptr(): Ptr {
    return this.mergeOnce().ptr;
  }

  get isMerged(): boolean {
    return this.merged !== null;
  }

  places(within: Ptr, isPaired: boolean): readonly LivePostings[] | null {
    if (this.merged !== null || this.walkCount >= WALKS_MAX) {
      this.mergeOnce(); // before its places are kept, so that they come with their keys
      if (isPaired) this.keepsPlaces(within);
      return null;
    }
    this.walkCount += 1;
    if (isPaired && !this.isNarrow(within)) return [new UnmergedWords(this, this.dead, this.find())];
    const { dead } = this;
    return Array.from(this.find(), (ptr) => ({ ptr, dead }));
  }

  override free(): void {
    super.free();
    if (this.merged !== null) this.kernel.free(this.merged.ptr);
  }

  protected walkDocs(target: Ptr): void {
    if (this.merged === null) this.kernel.orWordsDocs(target, this.find());
    else this.kernel.orDocs(target, { ptr: this.merged.ptr, dead: 0 });
  }

  protected walkFields(bitmaps: Ptr, fieldCount: number, docs: Ptr): void {
    if (this.merged === null) this.kernel.spreadWordsFields(this.find(), bitmaps, fieldCount);
    else this.kernel.spreadListFields([{ ptr: this.merged.ptr, dead: 0 }], docs, bitmaps, fieldCount);
  }

  protected makePlaced(docs: Ptr, bitmaps: Ptr, fieldCount: number): PlacedList {
    const { kernel, merged } = this;
    if (merged === null) return { list: kernel.placeWords(this.find(), docs, bitmaps, fieldCount), hasKeys: false };
    return { list: kernel.placeList(merged.ptr, docs, bitmaps, fieldCount), hasKeys: true };
  }

  private mergeOnce(): MadeList {
    if (this.merged !== null) return this.merged;
    const list = this.merge(this.find());
    this.grow(list.byteCount);
    this.dropPlaces(); // the merged list has keys to keep
    return list;
  }

  private merge(addresses: Uint32Array): MadeList {
    this.merged = this.kernel.mergeWords(addresses, this.docBound);
    if (this.merged === null) throw new Error('words without a document');
    return this.merged;
  }
}

/** All words as one list that is merged only when it has to be. */
class UnmergedWords implements LivePostings {
  constructor(
    private readonly prefix: PrefixPostings,
    readonly dead: Ptr,
    private readonly addresses: Uint32Array,
  ) {}

  get ptr(): Ptr {
    return this.prefix.ptr;
  }

  get placed(): Ptr {
    return this.prefix.placed;
  }

  get words(): Uint32Array | null {
    return this.prefix.isMerged ? null : this.addresses;
  }
}
