import {
  type Bitmap,
  type BitmapRow,
  type LivePostings,
  loadedList,
  type MadeStructure,
  type None,
  type PostingList,
  type PostingLists,
  postingListsOf,
  type Window,
} from '@fossick/kernel';
import type { MadeMasks } from './list-structures.js';
import { ListedPostings, type ListHost } from './listed-postings.js';
import type { WordWindows } from './stored-windows.js';

/** Where a posting list is: within a block of another holder, or in a block of its own, which is made when it is needed. */
export type ListSource = { readonly within: PostingList } | { readonly make: () => MadeStructure };

/** The posting list of one word. A word with stored windows has its list loaded only when the windows do not suffice. */
export class ResidentPostings extends ListedPostings {
  private readonly source: ListSource;
  private loaded: PostingList | null = null;
  protected readonly docCount: number;

  constructor(host: ListHost, source: ListSource, deleted: Bitmap | None, stored: WordWindows | null = null) {
    super(host, deleted, stored);
    this.source = source;
    if (stored === null) this.load();
    this.isCounted = true;
    this.docCount = stored === null ? host.kernel.lists.docCount(this.ptr) : stored.docCount;
  }

  get ptr(): PostingList {
    if (this.loaded === null) throw new Error('a posting list is read before it is loaded');
    return this.loaded;
  }

  load(): void {
    if (this.loaded !== null) return;
    const { source } = this;
    this.loaded =
      'within' in source ? source.within : (this.structures.pieces.load('list', source.make).blocks[0] as PostingList);
  }

  prepareWalk(within: Bitmap, isPaired: boolean): void {
    if (isPaired) this.prepareKeyedMasks(within);
  }

  positionLists(): null {
    return null;
  }

  override free(): void {
    super.free();
    this.loaded = null;
  }

  protected walked(): readonly LivePostings[] {
    return [this];
  }

  get indexedForm(): string {
    return `keys:${loadedList(this)}`;
  }

  makeIndexed(docs: Window, windows: BitmapRow | None, fieldCount: number): MadeMasks {
    return { list: this.kernel.rankIndexedLists.ofList(loadedList(this), docs, windows, fieldCount), hasKeys: true };
  }

  protected addresses(): PostingLists {
    return postingListsOf(loadedList(this));
  }
}
