/** Thrown when the batch is to be abandoned. */
export class BatchCanceled extends Error {}

/** One change of a document row, kept so that an operation can be undone. */
export interface UndoEntry {
  readonly externalId: string;
  readonly docId: number;
  readonly before: Uint8Array | undefined;
  /** The docid was allotted for this change. */
  readonly isAllotted: boolean;
}
/** What an operation that fails goes back to. */
export interface Savepoint {
  readonly primaryKey: string | null;
  readonly fieldCount: number;
  readonly nextSegmentId: number;
  readonly undo: UndoEntry[];
}
