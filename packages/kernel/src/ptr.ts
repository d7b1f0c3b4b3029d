/** A byte address in the kernel's linear memory. 0 is "none". */
export type Ptr = number;
/** Instead of an address: there is nothing. */
export type None = 0;

declare const kindOf: unique symbol;
/** The address of an object of one kind. The types keep them apart; at run time they are numbers. */
type Handle<Kind extends string> = Ptr & { readonly [kindOf]: Kind };

/** Bits of the documents of an index, of as many as every other bitmap in the same call. */
export type Bitmap = Handle<'bitmap'>;
/** Bits of a stretch of an index (docs/kernel-abi.md); a bitmap is a window of everything. */
export type Window = Handle<'window' | 'bitmap'>;
/** Bitmaps of one size that are used again. */
export type Pool = Handle<'pool'>;
/** The encoded documents and positions of one word of one segment. */
export type PostingList = Handle<'posting list'>;
/** A posting list laid out so that single documents can be looked up in it. */
export type PlacedList = Handle<'placed list'>;
/** Occurrences of one search, sorted by document and place. */
export type PositionTable = Handle<'position table'>;
/** The byte-sorted words of one table of a segment. */
export type Dictionary = Handle<'dictionary'>;

/** Says that a stored posting list was written at this address. */
export const postingListAt = (ptr: Ptr): PostingList => ptr as PostingList;
