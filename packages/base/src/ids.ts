/** A document's stable internal id: u32, allotted lowest-free-first, kept when the document is replaced. */
export type DocId = number & { readonly __brand: 'DocId' };
/** A flattened field's id in one index: u16, in order of first appearance. */
export type FieldId = number & { readonly __brand: 'FieldId' };
/** An immutable segment's id in one index: u32, never reused. */
export type SegmentId = number & { readonly __brand: 'SegmentId' };
/** A task's id: sequential over the whole instance. */
export type TaskUid = number & { readonly __brand: 'TaskUid' };
