/** A byte address in the kernel's linear memory. Only the kernel's package knows that it is a number; others have handles. */
export type Ptr = number;
/** The null address. */
export type None = 0;
/** The result of a plan that lacks the documents of an edge. It is no bitmap, because these have addresses that are multiples of 16. */
export const NEEDS_DOCS = 1;

declare const kindOf: unique symbol;
/** The address of an object of one kind. Only types tell kinds apart; at run time they are numbers. */
type Handle<Kind extends string> = Ptr & { readonly [kindOf]: Kind };

/** Bytes. */
export type Block = Handle<'block'>;
/** Consecutive u32 numbers. */
export type U32Array = Handle<'u32 array'>;
/** Consecutive f64 numbers. */
export type F64Array = Handle<'f64 array'>;
/** A state of the scratch stack. */
export type Mark = Handle<'mark'>;

/** A bit for each document of an index. All bitmaps of one call have the same size. */
export type Bitmap = Handle<'bitmap'>;
/** Bits of a stretch of an index (docs/internals/kernel-abi.md); a bitmap is a window of the whole index. */
export type Window = Handle<'window' | 'bitmap'>;
/** An array of bitmaps or windows, some of which may be absent. */
export type BitmapRow = Handle<'row of bitmaps'>;
/** Reusable bitmaps of one size. */
export type Pool = Handle<'pool'>;
/** The encoded documents and positions of one word of one segment. */
export type PostingList = Handle<'posting list'>;
/** A posting list with an index by document. */
export type RankIndexedList = Handle<'rank-indexed list'>;
/** Occurrences of one search, sorted by document and key. */
export type PositionTable = Handle<'position table'>;
/** The byte-sorted words of one table of a segment. */
export type Dictionary = Handle<'dictionary'>;
/** The groups of each document of a column. */
export type ColumnByDocument = Handle<'column by document'>;
/** The number of a word of one table of an inverter: the inverter's own, or the caller's, from 0 on without gaps. */
export type TermId = number & { readonly [kindOf]: 'term' };
export type InverterHandle = Handle<'inverter'>;
export type VectorSetHandle = Handle<'vector set'>;

/** The addresses of many posting lists. */
export type PostingLists = Uint32Array & { readonly [kindOf]: 'posting lists' };

/** The address this many bytes into a block. */
export const blockIn = (block: Block, at: number): Block => (block + at) as Block;
export const u32ArrayIn = (block: Block, at: number): U32Array => (block + at) as U32Array;
export const f64ArrayIn = (block: Block, at: number): F64Array => (block + at) as F64Array;
export const postingListIn = (block: Block, at: number): PostingList => (block + at) as PostingList;

/** The lists at stored offsets, when the block holds the stored bytes from `first` on. */
export function postingListsIn(block: Block, offsets: Uint32Array, first: number): PostingLists {
  const lists = new Uint32Array(offsets.length);
  // a prefix has hundreds of lists: a callback for each would cost as much as walking them
  for (let at = 0; at < lists.length; at++) lists[at] = block + offsets[at]! - first;
  return lists as Uint32Array as PostingLists;
}
export const postingListsOf = (...lists: PostingList[]): PostingLists =>
  Uint32Array.from(lists) as Uint32Array as PostingLists;
export const postingListOf = (lists: PostingLists, at: number): PostingList => lists[at] as PostingList;
export function joinPostingLists(first: PostingLists, second: PostingLists): PostingLists {
  const both = new Uint32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both as Uint32Array as PostingLists;
}
