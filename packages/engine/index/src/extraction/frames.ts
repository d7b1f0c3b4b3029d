/** Requests of the writer to an extractor. Bodies are given in brackets; numbers are u32 LE. */
export const REQUESTS = {
  /** Begins a segment; an unfinished one is dropped. [JSON of SegmentStart] */
  open: 1,
  /**
   * Field names change: all but the first `keptCount` are removed, then others are added. [JSON of FieldNamesChange]
   */
  names: 2,
  /** Adds a document. [docid, encoded document] */
  row: 3,
  /** Removes a document that was added. [docid] */
  remove: 4,
  /** Requests the rows of the segment. [segment id] */
  close: 5,
  /** No request follows. [] */
  end: 6,
} as const;

/** Responses of an extractor to `close`: any number of rows, then `done` or `fault`. */
export const RESPONSES = {
  /** A row of the table of segments. [length of the key, key, value] */
  row: 1,
  /** [JSON of SegmentDone] */
  done: 2,
  /** An error occurred since `open`. [text] */
  fault: 3,
} as const;

export interface FieldNamesChange {
  readonly keptCount: number;
  readonly added: readonly string[];
}
