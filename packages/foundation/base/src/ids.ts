/** A document's stable internal id: u32, assigned lowest-free-first, kept when the document is replaced. */
export type DocId = number & { readonly __brand: 'DocId' };
/** DocIds in a typed array, which is a Uint32Array at run time. */
export interface DocIds extends Uint32Array {
  [index: number]: DocId;
  [Symbol.iterator](): ArrayIterator<DocId>;
  subarray(begin?: number, end?: number): DocIds;
}
/** A document's number in the segment that is being written, counted from 0 in the order in which documents came. */
export type LocalOrdinal = number & { readonly __brand: 'LocalOrdinal' };
/** A word's number in one dictionary of one segment: its place in byte order. */
export type TermOrdinal = number & { readonly __brand: 'TermOrdinal' };
/** A flattened field's id in one index: u16, in order of first appearance. */
export type FieldId = number & { readonly __brand: 'FieldId' };
/** An immutable segment's id in one index: u32, never reused. */
export type SegmentId = number & { readonly __brand: 'SegmentId' };
/** A task's id: sequential over the whole instance. */
export type TaskUid = number & { readonly __brand: 'TaskUid' };
