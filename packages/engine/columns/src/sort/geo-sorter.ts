import type { Bitmap } from '@fossick/kernel';
import type { PointDistance } from '../geo/geo-nearest.js';
import type { ColumnView } from '../port.js';
import { type GeoEntry, isOfBucket, orderedPoints } from './geo-order.js';
import type { SortBucket, SortCursor } from './sort-cursor.js';

/** The cursor of `_geoPoint(lat,lng)`. Points are found lazily, as buckets are read. */
export function createGeoSorter(view: ColumnView, entry: GeoEntry): SortCursor {
  const { kernel } = view;
  let cursor: PointCursor | undefined;
  return {
    next(universe: Bitmap, bucket: Bitmap): SortBucket | null {
      if (kernel.bitmaps.isEmpty(universe)) return null;
      cursor ??= new PointCursor(view, entry, universe);
      let first: PointDistance | undefined;
      let count = 0;
      for (let point = cursor.current; point !== undefined; point = cursor.current) {
        if (kernel.bitmaps.has(universe, point.doc)) {
          first ??= point;
          if (!isOfBucket(first, count, point)) break;
          kernel.bitmaps.set(bucket, point.doc);
          count += 1;
        }
        cursor.advance();
      }
      if (first === undefined) {
        kernel.bitmaps.or(bucket, universe);
        return { value: null, distance: null };
      }
      return { value: { lat: first.lat, lng: first.lng }, distance: first.distance };
    },
  };
}

/** Points in the order of the sort. */
class PointCursor {
  current: PointDistance | undefined;
  private readonly cursor: Iterator<PointDistance, void>;

  constructor(view: ColumnView, entry: GeoEntry, universe: Bitmap) {
    this.cursor = orderedPoints(view, entry, universe);
    this.advance();
  }

  advance(): void {
    const { done, value } = this.cursor.next();
    this.current = done === true || value === undefined ? undefined : value;
  }
}
