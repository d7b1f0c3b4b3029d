import type { KernelExports } from '../kernel-exports.js';
import { KernelPart, type MemoryView } from '../memory-view.js';
import { type BitmapRow, type PostingList, type PostingLists, postingListOf, type Window } from '../ptr.js';
import type { Lists } from './lists.js';
import type { ResidentList } from './live-postings.js';

/** The counting merge takes four bytes for each docid; it is not used when the lists have this many times fewer documents. */
const SPARSE_SHARE = 64;

/** The posting lists of many words of one segment, by their addresses. */
export class WordLists extends KernelPart {
  private readonly lists: Lists;

  constructor(exports: KernelExports, memory: MemoryView, lists: Lists) {
    super(exports, memory);
    this.lists = lists;
  }

  /** The sum of the document counts of the lists at the addresses. O(lists). */
  docCount(addresses: PostingLists): number {
    const mark = this.memory.mark();
    const count = this.exports.wordsDocCount(this.memory.written(addresses), addresses.length);
    this.memory.release(mark);
    return count;
  }

  /** The first and the last document of all lists at the addresses, none of which is empty. O(lists). */
  docRange(addresses: PostingLists): readonly [first: number, last: number] {
    const mark = this.memory.mark();
    const out = this.memory.scratch(8);
    this.exports.wordsRange(this.memory.written(addresses), addresses.length, out);
    const { u32 } = this.memory;
    const range = [u32[out >>> 2]!, u32[(out >>> 2) + 1]!] as const;
    this.memory.release(mark);
    return range;
  }

  /** target |= documents of the lists at the addresses, deleted ones included. O(their documents). */
  orDocs(target: Window, addresses: PostingLists): void {
    const mark = this.memory.mark();
    this.exports.orWordsDocs(target, this.memory.written(addresses), addresses.length);
    this.memory.release(mark);
  }

  /**
   * Sets the documents' bits in the windows bitmaps[fieldId] (u32 pointers, 0 for none) of all fields that the lists have an occurrence in, deleted documents
   * included.
   */
  scatterFields(addresses: PostingLists, bitmaps: BitmapRow, fieldCount: number): void {
    const mark = this.memory.mark();
    this.exports.scatterWordsFields(this.memory.written(addresses), addresses.length, bitmaps, fieldCount);
    this.memory.release(mark);
  }

  /**
   * One list of all words whose lists are at the addresses, deleted documents included, in long-lived memory that the caller frees; null
   * when there is no document. All lists are of one segment, their documents below `docBound`. O(occurrences + docBound) at most.
   */
  merge(addresses: PostingLists, docBound: number): ResidentList<PostingList> | null {
    if (this.docCount(addresses) * SPARSE_SHARE < docBound)
      return this.madeOf(
        this.lists.merge(Array.from(addresses, (_, at) => ({ ptr: postingListOf(addresses, at), deleted: 0 }))),
      );
    const mark = this.memory.mark();
    const lists = this.memory.written(addresses);
    const ptr = this.memory.attempt(() => this.exports.mergeWords(lists, addresses.length, 0, docBound, 0, 0) >>> 0);
    this.memory.release(mark);
    return this.made(ptr);
  }

  /**
   * The same for the occurrences in a field f where `fields[f]` is 1, by counting whatever the number of documents. There is at
   * least one list. O(occurrences + range of the docids)
   */
  mergeInFields(addresses: PostingLists, fields: Uint8Array): ResidentList<PostingList> | null {
    const [first, last] = this.docRange(addresses);
    const mark = this.memory.mark();
    const lists = this.memory.written(addresses);
    const mask = this.memory.scratch(fields.length);
    this.memory.put(fields, mask);
    const ptr = this.memory.attempt(
      () => this.exports.mergeWords(lists, addresses.length, first, last + 1, mask, fields.length) >>> 0,
    );
    this.memory.release(mark);
    return this.made(ptr);
  }

  private made(ptr: number): ResidentList<PostingList> | null {
    return ptr === 0 ? null : { ptr: ptr as PostingList, byteCount: this.exports.mergedBytes() >>> 0 };
  }

  private madeOf(bytes: Uint8Array): ResidentList<PostingList> | null {
    if (bytes.length === 0) return null;
    const ptr = this.memory.alloc(bytes.length);
    this.memory.put(bytes, ptr);
    return { ptr: ptr as PostingList, byteCount: bytes.length };
  }
}
