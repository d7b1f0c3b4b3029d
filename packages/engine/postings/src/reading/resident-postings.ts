import {
  type Bitmap,
  type BitmapRow,
  type LivePostings,
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
  private readonly load: () => LoadedList;
  private loaded: LoadedList | null = null;
  protected readonly docCount: number;

  constructor(host: ListHost, load: () => LoadedList, deleted: Bitmap | None, stored: WordWindows | null = null) {
    super(host, deleted, stored);
    this.load = load;
    if (stored === null) {
      this.loaded = load();
      this.byteCount = this.loaded.ownBytes; // the holder of the list accounts for its bytes
    }
    this.docCount = stored === null ? host.kernel.lists.docCount(this.ptr) : stored.docCount;
  }

  get ptr(): PostingList {
    if (this.loaded === null) {
      this.loaded = this.load();
      this.grow(this.loaded.ownBytes);
    }
    return this.loaded.ptr;
  }

  positionLists(within: Bitmap, isPaired: boolean): null {
    if (isPaired) this.usesKeyedMasks(within);
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
    return { list: this.kernel.maskedLists.ofList(this.ptr, docs, windows, fieldCount), hasKeys: true };
  }

  private address(): PostingLists {
    return postingListsOf(this.ptr);
  }
}
