/** A byte address in the kernel's linear memory. Only the kernel's package knows it as a number; whoever else has one has a handle. */
export type Ptr = number;
/** Instead of an address: there is nothing. */
export type None = 0;

declare const kindOf: unique symbol;
/** The address of an object of one kind. The types keep them apart; at run time they are numbers. */
type Handle<Kind extends string> = Ptr & { readonly [kindOf]: Kind };

/** Bytes. */
export type Block = Handle<'block'>;
/** u32 numbers, one after another. */
export type U32Array = Handle<'u32 array'>;
/** f64 numbers, one after another. */
export type F64Array = Handle<'f64 array'>;
/** Where scratch stood. */
export type Mark = Handle<'mark'>;

/** Bits of the documents of an index, of as many as every other bitmap in the same call. */
export type Bitmap = Handle<'bitmap'>;
/** Bits of a stretch of an index (docs/kernel-abi.md); a bitmap is a window of everything. */
export type Window = Handle<'window' | 'bitmap'>;
/** Bitmaps or windows, or none, by number. */
export type BitmapRow = Handle<'row of bitmaps'>;
/** Bitmaps of one size that are used again. */
export type Pool = Handle<'pool'>;
/** The encoded documents and positions of one word of one segment. */
export type PostingList = Handle<'posting list'>;
/** A posting list laid out so that single documents can be looked up in it. */
export type MaskedList = Handle<'masked list'>;
/** Occurrences of one search, sorted by document and place. */
export type PositionTable = Handle<'position table'>;
/** The byte-sorted words of one table of a segment. */
export type Dictionary = Handle<'dictionary'>;
/** The groups of each document of a column. */
export type ColumnByDocument = Handle<'column by document'>;
/** A word of one table of an inverter, by number: the inverter's own, or the caller's, from 0 on without gaps. */
export type TermId = number & { readonly [kindOf]: 'term' };
export type InverterHandle = Handle<'inverter'>;
export type VectorSetHandle = Handle<'vector set'>;

/** Many posting lists: their addresses. */
export type PostingLists = Uint32Array & { readonly [kindOf]: 'posting lists' };

/** What lies so many bytes into a block. */
export const blockIn = (block: Block, at: number): Block => (block + at) as Block;
export const u32ArrayIn = (block: Block, at: number): U32Array => (block + at) as U32Array;
export const f64ArrayIn = (block: Block, at: number): F64Array => (block + at) as F64Array;
export const postingListIn = (block: Block, at: number): PostingList => (block + at) as PostingList;

/** Lists of a block by their offsets in what was stored, of which the block holds the bytes from `first` on. */
export function postingListsIn(block: Block, offsets: Uint32Array, first: number): PostingLists {
  const lists = new Uint32Array(offsets.length);
  // a prefix has hundreds: a function for each would take as long as walking them
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
