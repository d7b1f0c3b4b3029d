/** What the writer asks of an extractor. Bodies in brackets; numbers are u32 LE. */
export const REQUESTS = {
  /** Begins a segment; one that was begun before is dropped. [JSON of SegmentStart] */
  open: 1,
  /** Field names change: those from `keep` on are forgotten, then others come. [JSON of FieldNamesChange] */
  names: 2,
  /** A document. [docid, encoded document] */
  row: 3,
  /** A document goes out again. [docid] */
  remove: 4,
  /** The rows of the segment are asked for. [segment id] */
  close: 5,
  /** Nothing comes any more. [] */
  end: 6,
} as const;

/** What an extractor answers to `close`: rows, then one of the others. */
export const RESPONSES = {
  /** A row of the table of segments. [length of the key, key, value] */
  row: 1,
  /** [JSON of SegmentDone] */
  done: 2,
  /** Something went wrong since `open`. [text] */
  fault: 3,
} as const;

export interface FieldNamesChange {
  readonly keep: number;
  readonly added: readonly string[];
}
