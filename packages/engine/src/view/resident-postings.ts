import type { Kernel, Ptr } from '@fossick/kernel';
import { ListedPostings, type PlacedList, type SegmentScope } from './listed-postings.js';

/** A list in long-lived kernel memory: so many bytes of its own, or 0 where it lies among others that are not its to free. */
export interface LoadedList {
  readonly ptr: Ptr;
  readonly ownBytes: number;
}

/** The posting list of one word. */
export class ResidentPostings extends ListedPostings {
  readonly ptr: Ptr;
  private readonly ownBytes: number;
  protected readonly docCount: number;

  constructor(
    kernel: Kernel,
    { ptr, ownBytes }: LoadedList,
    dead: Ptr,
    onGrowth: (bytes: number) => void,
    scope?: SegmentScope,
  ) {
    super(kernel, dead, onGrowth, scope);
    this.ptr = ptr;
    this.ownBytes = ownBytes;
    this.byteCount = ownBytes;
    this.docCount = kernel.docCount(ptr);
  }

  places(within: Ptr, isPaired: boolean): null {
    if (isPaired) this.keepsPlaces(within);
    return null;
  }

  override free(): void {
    super.free();
    if (this.ownBytes > 0) this.kernel.free(this.ptr);
  }

  protected findRange(): readonly [first: number, last: number] {
    return this.kernel.wordsRange(this.address());
  }

  protected walkDocs(window: Ptr): void {
    this.kernel.orWordsDocs(window, this.address());
  }

  protected walkFields(windows: Ptr, fieldCount: number): void {
    this.kernel.spreadWordsFields(this.address(), windows, fieldCount);
  }

  protected makePlaced(docs: Ptr, windows: Ptr, fieldCount: number): PlacedList {
    return { list: this.kernel.placeList(this.ptr, docs, windows, fieldCount), hasKeys: true };
  }

  private address(): Uint32Array {
    return Uint32Array.of(this.ptr);
  }
}
