import {
  type Bitmap,
  type BitmapRow,
  type LivePostings,
  loadedList,
  type None,
  type PostingList,
  type PostingLists,
  postingListsOf,
  type Window,
} from '@fossick/kernel';
import { ListedPostings, type ListHost, type MadeMasks } from './listed-postings.js';
import type { WordWindows } from './stored-windows.js';

/** A posting list in long-lived kernel memory. `ownBytes` is 0 for a list that lies within a block that it must not free. */
export interface LoadedList {
  readonly ptr: PostingList;
  readonly ownBytes: number;
}

/** The posting list of one word. A word with stored windows has its list loaded only when the windows do not suffice. */
export class ResidentPostings extends ListedPostings {
  private readonly read: () => LoadedList;
  private loaded: LoadedList | null = null;
  protected readonly docCount: number;

  constructor(host: ListHost, read: () => LoadedList, deleted: Bitmap | None, stored: WordWindows | null = null) {
    super(host, deleted, stored);
    this.read = read;
    if (stored === null) {
      this.loaded = read();
      this.byteCount = this.loaded.ownBytes; // the holder of the list accounts for its bytes
    }
    this.docCount = stored === null ? host.kernel.lists.docCount(this.ptr) : stored.docCount;
  }

  get ptr(): PostingList {
    if (this.loaded === null) throw new Error('a posting list is read before it is loaded');
    return this.loaded.ptr;
  }

  load(): void {
    if (this.loaded !== null) return;
    this.loaded = this.read();
    this.grow(this.loaded.ownBytes);
  }

  prepareWalk(within: Bitmap, isPaired: boolean): void {
    if (isPaired) this.prepareKeyedMasks(within);
  }

  positionLists(): null {
    return null;
  }

  override free(): void {
    super.free();
    if (this.loaded !== null && this.loaded.ownBytes > 0) this.kernel.memory.free(this.loaded.ptr);
  }

  protected walked(): readonly LivePostings[] {
    return [this];
  }

  protected findRange(): readonly [first: number, last: number] {
    return this.kernel.wordLists.docRange(this.address());
  }

  protected walkDocs(window: Window): void {
    this.kernel.wordLists.orDocs(window, this.address());
  }

  protected walkFields(windows: BitmapRow, fieldCount: number): void {
    this.kernel.wordLists.scatterFields(this.address(), windows, fieldCount);
  }

  protected makeMasked(docs: Window, windows: BitmapRow | None, fieldCount: number): MadeMasks {
    return { list: this.kernel.maskedLists.ofList(loadedList(this), docs, windows, fieldCount), hasKeys: true };
  }

  private address(): PostingLists {
    return postingListsOf(loadedList(this));
  }
}
