import type { SortEntry } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import { geoPoints } from '../column-readers.js';
import { allPoints, nearestPoints, type PointDistance } from '../geo/geo-nearest.js';
import type { ColumnView } from '../port.js';
import type { SortBucket, SortCursor } from './sort-cursor.js';

/** From this many points on they are ordered by exact distance instead of whole metres. */
const EXACT_ORDER_MIN = 1000;
const BUCKET_DOCS_MAX = 1000;
/** Documents whose distances differ so little from the first one's share its bucket, wherever their points are. */
const BUCKET_SPAN_METRES = 1;

type GeoEntry = Extract<SortEntry, { kind: 'geo' }>;

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
      for (let point = cursor.current; point !== undefined && count < BUCKET_DOCS_MAX; point = cursor.current) {
        if (kernel.bitmaps.has(universe, point.doc)) {
          first ??= point;
          if (Math.abs(point.distance - first.distance) > BUCKET_SPAN_METRES) break;
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

function* orderedPoints(view: ColumnView, entry: GeoEntry, universe: Bitmap): Generator<PointDistance, void> {
  const points = geoPoints(view);
  const isFew = view.kernel.bitmaps.count(universe) < EXACT_ORDER_MIN;
  const near = isFew ? undefined : nearestPoints(view, points, entry, universe);
  const first = near === undefined ? allPoints(view, points, entry, universe) : taken(near, EXACT_ORDER_MIN);
  if (first.length >= EXACT_ORDER_MIN) {
    yield* first;
    yield* near!;
    return;
  }
  first.sort((a, b) => Math.trunc(a.distance) - Math.trunc(b.distance) || a.doc - b.doc);
  yield* entry.direction === 'desc' ? first.reverse() : first;
}

function taken(cursor: Iterator<PointDistance, void>, limit: number): PointDistance[] {
  const first: PointDistance[] = [];
  while (first.length < limit) {
    const { done, value } = cursor.next();
    if (done === true || value === undefined) break;
    first.push(value);
  }
  return first;
}
