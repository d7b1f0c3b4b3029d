import type { DocId } from '@fossick/base';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import type { IndexSettings } from '@fossick/settings';
import type { ColumnReader } from './reading/column-reader.js';
import type { GeoPoints } from './reading/geo-points.js';

/** The columns of one immutable segment. Pointers are valid until the view is released. */
export interface ColumnSegment {
  /** Resident bitmap of documents of this segment that were deleted or rewritten since; 0: none. */
  readonly deleted: Bitmap | None;
  /** The field's facet column, or undefined when no document of the segment has the field faceted. */
  column(field: string): ColumnReader | undefined;
  /** Points of `_geo`, or undefined when no document of the segment has one. */
  geoPoints(): GeoPoints | undefined;
  /** Boxes around the `_geojson` shapes (geojson/box-rows.ts), or undefined when no document of the segment has one. */
  geoBoxes(): Uint8Array | undefined;
}

/** What the request may see of another index: nothing, or the documents that satisfy the filter (null: all). */
export type ForeignScope<View = ColumnView> =
  | { readonly isAllowed: false }
  | { readonly isAllowed: true; readonly view: View; readonly filter: unknown };
/** Opens a view of another index while `work` runs, unless the request may not see it. */
export type WithForeign<View = ColumnView> = <T>(uid: string, work: (scope: ForeignScope<View>) => T) => T;

/** One index at one commit, for filters, sorting, facets and distinct. */
export interface ColumnView {
  readonly uid: string;
  readonly kernel: Kernel;
  readonly primaryKey: string | null;
  readonly settings: IndexSettings;
  /** Flattened field names in field-id order (containers of nested fields included). */
  readonly fieldNames: readonly string[];
  readonly segments: readonly ColumnSegment[];
  /** Bits of every bitmap of this view: highest DocId + 1, at least 1. */
  readonly bitCount: number;
  readonly documentCount: number;
  /** Resident bitmap of all live documents. */
  readonly documents: Bitmap;
  /** The stored JSON object, or undefined. */
  document(docId: DocId): Record<string, unknown> | undefined;
  /**
   * Runs `work` on what the request may see of an index of the same instance that its foreign keys name. Throws ApiError
   * index_not_found for an index that it may see and that does not exist.
   */
  readonly withForeign: WithForeign;
}

/** The stored object of a live document of the view, such as one that a search found. */
export function liveDocument(view: Pick<ColumnView, 'uid' | 'document'>, docId: DocId): Record<string, unknown> {
  const document = view.document(docId);
  if (document === undefined) throw new Error(`the live document ${docId} of index ${view.uid} has no row`);
  return document;
}
