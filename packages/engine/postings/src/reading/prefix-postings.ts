import {
  type Bitmap,
  type BitmapRow,
  type LivePostings,
  type None,
  type PostingList,
  type PostingLists,
  postingListOf,
  postingListsOf,
  type RankIndexedList,
  type Window,
} from '@fossick/kernel';
import type { MadeMasks } from './list-structures.js';
import { ListedPostings, type ListHost } from './listed-postings.js';
import type { WordWindows } from './stored-windows.js';

/** Returns the addresses of the lists of a prefix's words, valid until the view is released. */
export type FindAddresses = () => PostingLists;

/** Position look-ups use the single words' lists this many times before these are merged. */
const WALKS_MAX = 24;
/** In more documents, positions are read from stored windows: to walk all words of a prefix with windows takes longer than to read some of these. */
const WALKED_DOCS_MAX = 500;
/** Words with more documents in total are never merged: merging costs as much as a hundred walks, and as much memory as the lists. */
const MERGED_DOCS_MAX = 100_000;

/**
 * All words of a short prefix. Documents, also by field and by position, are read from the words' own lists; these are merged only for walks of
 * pairs of lists over many documents, and for a prefix whose positions are requested repeatedly.
 */
export class PrefixPostings extends ListedPostings {
  private readonly find: FindAddresses;
  private merged: PostingList | null = null;
  private walkCount = 0;
  protected readonly docCount: number;

  /**
   * @param find returns the addresses of the lists, at least one
   */
  constructor(host: ListHost, find: FindAddresses, deleted: Bitmap | None, stored: WordWindows | null = null) {
    super(host, deleted, stored);
    this.find = find;
    this.isCounted = true;
    this.docCount = stored?.docCount ?? host.kernel.wordLists.docCount(find());
  }

  /** The merged list. */
  get ptr(): PostingList {
    if (this.merged === null) throw new Error('the words of a prefix are read as one list before they are merged');
    return this.merged;
  }

  get isMerged(): boolean {
    return this.merged !== null;
  }

  prepareWalk(within: Bitmap, isPaired: boolean): void {
    if (this.merged === null && (this.walkCount < WALKS_MAX || this.docCount > MERGED_DOCS_MAX)) {
      this.walkCount += 1;
      return;
    }
    this.load(); // before the rank-indexed list is made, so that it has keys
    if (isPaired) this.prepareKeyedMasks(within);
  }

  positionLists(within: Bitmap, isPaired: boolean): readonly LivePostings[] | null {
    if (this.merged !== null) return null;
    if (isPaired && !this.isNarrow(within)) return [new UnmergedWords(this, this.deleted, this.find())];
    return this.walked();
  }

  override canUseMasks(within: Bitmap): boolean {
    return super.canUseMasks(within) || (this.stored !== null && this.kernel.bitmaps.count(within) > WALKED_DOCS_MAX);
  }

  protected walked(): readonly LivePostings[] {
    const { deleted } = this;
    const lists = this.addresses();
    const walked: LivePostings[] = [];
    for (let at = 0; at < lists.length; at++) walked.push({ ptr: postingListOf(lists, at), deleted });
    return walked;
  }

  override free(): void {
    super.free();
    this.merged = null;
  }

  get indexedForm(): string {
    return this.merged === null ? 'words' : `keys:${this.merged}`;
  }

  makeIndexed(docs: Window, windows: BitmapRow | None, fieldCount: number): MadeMasks {
    const { kernel, merged } = this;
    if (merged === null)
      return { list: kernel.rankIndexedLists.ofWords(this.find(), docs, windows, fieldCount), hasKeys: false };
    return { list: kernel.rankIndexedLists.ofList(merged, docs, windows, fieldCount), hasKeys: true };
  }

  protected addresses(): PostingLists {
    return this.merged === null ? this.find() : postingListsOf(this.merged);
  }

  /** Merges the lists of the words, once. */
  load(): void {
    if (this.merged !== null) return;
    const { blocks } = this.structures.pieces.load('merged', () => {
      const addresses = this.find();
      const [, last] = this.kernel.wordLists.docRange(addresses);
      const list = this.kernel.wordLists.merge(addresses, last + 1);
      if (list === null) throw new Error('words without a document');
      return { blocks: [list.ptr], byteCount: list.byteCount };
    });
    this.merged = blocks[0] as PostingList;
    this.structures.dropMasks(); // a rank-indexed list of the merged list has keys
  }
}

/** All words as one list that is merged only when its address is needed. */
class UnmergedWords implements LivePostings {
  private readonly prefix: PrefixPostings;
  readonly deleted: Bitmap | None;
  private readonly addresses: PostingLists;

  constructor(prefix: PrefixPostings, deleted: Bitmap | None, addresses: PostingLists) {
    this.prefix = prefix;
    this.deleted = deleted;
    this.addresses = addresses;
  }

  get ptr(): PostingList {
    return this.prefix.ptr;
  }

  load(): void {
    this.prefix.load();
  }

  get indexed(): RankIndexedList | None {
    return this.prefix.indexed;
  }

  get words(): PostingLists | null {
    return this.prefix.isMerged ? null : this.addresses;
  }
}
