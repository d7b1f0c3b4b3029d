/** The order of `_geoPoint(lat,lng)`, and the buckets that it makes. */

import type { CheckInterrupt } from '@fossick/base';
import type { SortEntry } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import { geoPoints } from '../column-readers.js';
import { allPoints, nearestPoints, type PointDistance } from '../geo/geo-nearest.js';
import type { ColumnView } from '../port.js';

/** From this many points on they are ordered by exact distance instead of whole metres. */
export const EXACT_ORDER_MIN = 1000;
const BUCKET_DOCS_MAX = 1000;
/** Documents whose distances differ so little from the first one's share its bucket, wherever their points are. */
const BUCKET_SPAN_METRES = 1;
/** Comparisons from one look to the next. */
const COMPARISONS_PER_CHECK = 65_536;

export type GeoEntry = Extract<SortEntry, { kind: 'geo' }>;

/** Whether a bucket of this many documents that begins with the point `first` also has the next point. */
export function isOfBucket(first: PointDistance, count: number, point: PointDistance): boolean {
  return count < BUCKET_DOCS_MAX && Math.abs(point.distance - first.distance) <= BUCKET_SPAN_METRES;
}

/** The points of a set's documents in the order of the entry, found lazily where they are many. */
export function* orderedPoints(
  view: ColumnView,
  entry: GeoEntry,
  universe: Bitmap,
  checkInterrupt?: CheckInterrupt,
): Generator<PointDistance, void> {
  const points = geoPoints(view);
  const isSparse = view.kernel.bitmaps.count(universe) < EXACT_ORDER_MIN;
  const near = isSparse ? undefined : nearestPoints(view, points, entry, universe, checkInterrupt);
  const first = near === undefined ? allPoints(view, points, entry, universe) : taken(near, EXACT_ORDER_MIN);
  if (first.length < EXACT_ORDER_MIN) {
    yield* sortByMetres(first, entry);
    return;
  }
  yield* first;
  yield* near!;
}

/** The same for all points of a set, which are sorted in place. O(points * log of them) */
export function sortPoints(points: PointDistance[], entry: GeoEntry, checkInterrupt: CheckInterrupt): PointDistance[] {
  if (points.length < EXACT_ORDER_MIN) return sortByMetres(points, entry);
  const sign = entry.direction === 'desc' ? -1 : 1;
  let comparisons = 0;
  return points.sort((a, b) => {
    comparisons += 1;
    if (comparisons % COMPARISONS_PER_CHECK === 0) checkInterrupt();
    return (a.distance - b.distance || a.doc - b.doc) * sign;
  });
}

/** Points in their order, cut into the buckets of it. */
export function* bucketsOf(points: Iterable<PointDistance>): Generator<readonly PointDistance[], void> {
  let bucket: PointDistance[] = [];
  for (const point of points) {
    if (bucket.length > 0 && !isOfBucket(bucket[0]!, bucket.length, point)) {
      yield bucket;
      bucket = [];
    }
    bucket.push(point);
  }
  if (bucket.length > 0) yield bucket;
}

function sortByMetres(points: PointDistance[], { direction }: GeoEntry): PointDistance[] {
  points.sort((a, b) => Math.trunc(a.distance) - Math.trunc(b.distance) || a.doc - b.doc);
  return direction === 'desc' ? points.reverse() : points;
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
