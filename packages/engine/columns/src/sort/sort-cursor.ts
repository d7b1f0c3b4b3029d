import type { Bitmap } from '@fossick/kernel';

/** One bucket of a sort rule. */
export interface SortBucket {
  /** A new scratch bitmap. */
  readonly bucket: Bitmap;
  /** The number, the normalised string, `{lat, lng}`, or null for documents without a value. */
  readonly value: unknown;
  /** Geo only: metres from the entry's point to the bucket's first point; null without one. */
  readonly distance?: number | null;
}

/**
 * Returns buckets in order. The universe of each call is the previous one without the returned documents; null when it is empty.
 */
export interface SortCursor {
  next(universe: Bitmap): SortBucket | null;
}
