import type { Bitmap } from '@fossick/kernel';

/** What the documents of a bucket have in common. */
export interface SortBucket {
  /** The exact number, the normalised string, `{lat, lng}`, or null for documents without a value. */
  readonly value: unknown;
  /** Geo only: metres from the entry's point to the bucket's first point; null without one. */
  readonly distance?: number | null;
}

/** Finds buckets in order. */
export interface SortCursor {
  /**
   * Adds the documents of the next bucket to an empty bitmap. The universe of each call is the previous one without the documents found; null when it is
   * empty.
   */
  next(universe: Bitmap, bucket: Bitmap): SortBucket | null;
}
