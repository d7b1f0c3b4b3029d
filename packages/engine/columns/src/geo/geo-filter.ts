import { type DocId, type ErrorText, libraryLoader, sharedText } from '@fossick/base';
import type { FilterNode, FilterValue, GeoPair } from '@fossick/filter';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import { featuresOf } from '@fossick/settings';
import type * as turf from '@turf/boolean-intersects';
import { geoPoints } from '../column-readers.js';
import { distanceMetres, type GeoBounds, leastMetres } from '../geo-distance.js';
import type { ColumnView } from '../port.js';
import { boxesMeet, visitGeoBoxes } from './box-rows.js';
import { boxRegions, circleRegion, polygonRegion, type Region } from './region.js';
import { geometriesOf } from './shape.js';

type Fail = (text: ErrorText, token: FilterValue) => never;
const RESOLUTION_MIN = 3;
const RESOLUTION_MAX = 1000;
const RESOLUTION_DEFAULT = 125;

function point([latValue, lngValue]: GeoPair, fail: Fail): readonly [lat: number, lng: number] {
  const [lat, lng] = [Number(latValue.text), Number(lngValue.text)];
  if (lat < -90 || lat > 90) fail(sharedText('latitude', lat), latValue);
  if (lng < -180 || lng > 180) {
    const inside = ((((lng + 180) % 360) + 360) % 360) - 180;
    fail(sharedText('longitude', lng, inside), lngValue);
  }
  return [lat, lng];
}

const isFilterable = (view: ColumnView, field: string): boolean =>
  featuresOf(view.settings, field)?.isFilterable === true;

/**
 * Documents whose `_geo` is within the radius, and those whose `_geojson` meets the polygon that approximates the
 * circle. O(leaves of points near the circle + shapes).
 */
export function radiusMatches(
  view: ColumnView,
  node: Extract<FilterNode, { kind: 'geoRadius' }>,
  fail: Fail,
): number[] {
  const [lat, lng] = point(node.center, fail);
  const resolution = node.resolution === null ? RESOLUTION_DEFAULT : Number(node.resolution.text);
  if (node.resolution !== null && !(resolution >= RESOLUTION_MIN && resolution <= RESOLUTION_MAX)) {
    fail(sharedText('resolution', resolution, RESOLUTION_MIN, RESOLUTION_MAX), node.resolution);
  }
  const radiusMetres = Number(node.radius.text) + Number.EPSILON;
  const found = pointMatches(
    view,
    (bounds) => leastMetres(lat, lng, bounds) <= radiusMetres,
    (at, on) => distanceMetres(lat, lng, at, on) <= radiusMetres,
  );
  if (!isFilterable(view, '_geojson')) return found;
  return found.concat(shapeMatches(view, [circleRegion([lat, lng], Number(node.radius.text), Math.trunc(resolution))]));
}

/**
 * Documents whose `_geo` is in the box, edges included, and those whose `_geojson` meets it; a box whose right is left
 * of its left wraps the antimeridian. O(leaves of points that meet it + shapes).
 */
export function boxMatches(view: ColumnView, node: Extract<FilterNode, { kind: 'geoBox' }>, fail: Fail): number[] {
  const [top, right] = point(node.topRight, fail);
  const [bottom, left] = point(node.bottomLeft, fail);
  if (top < bottom) fail(sharedText('boxUpsideDown', top, bottom), node.bottomLeft[0]);
  const found = pointMatches(
    view,
    ({ minLat, minLng, maxLat, maxLng }) => {
      if (maxLat < bottom || minLat > top) return false;
      return right < left ? maxLng >= left || minLng <= right : maxLng >= left && minLng <= right;
    },
    (lat, lng) => {
      if (lat < bottom || lat > top) return false;
      return right < left ? lng >= left || lng <= right : lng >= left && lng <= right;
    },
  );
  if (!isFilterable(view, '_geojson')) return found;
  return found.concat(shapeMatches(view, boxRegions(top, right, bottom, left)));
}

/** Documents whose `_geojson` meets the polygon; points of `_geo` do not count here. O(shapes). */
export function polygonMatches(
  view: ColumnView,
  node: Extract<FilterNode, { kind: 'geoPolygon' }>,
  fail: Fail,
): number[] {
  return shapeMatches(view, [polygonRegion(node.points.map((pair) => point(pair, fail)))]);
}

/** Live documents whose point is within; `mayMeet`: whether any point within the bounds can be. */
function pointMatches(
  view: ColumnView,
  mayMeet: (bounds: GeoBounds) => boolean,
  isWithin: (lat: number, lng: number) => boolean,
): number[] {
  const found: number[] = [];
  if (!isFilterable(view, '_geo')) return found;
  for (const points of geoPoints(view)) {
    const { deleted } = points.segment;
    for (const { docs, lats, lngs } of points.leavesWithin(mayMeet))
      for (let i = 0; i < docs.length; i++) {
        if (!isWithin(lats[i]!, lngs[i]!)) continue;
        if (deleted === 0 || !view.kernel.bitmaps.has(deleted, docs[i]!)) found.push(docs[i]!);
      }
  }
  return found;
}

const requireHere = libraryLoader(import.meta.url);

/** The part of a view that shape filters need. */
interface ShapeView {
  readonly kernel: Kernel;
  /** `deleted`: documents deleted or rewritten since, 0 when none. */
  readonly segments: readonly { readonly deleted: Bitmap | None; geoBoxes(): Uint8Array | undefined }[];
  /** The stored JSON object, or undefined. */
  document(docId: DocId): Record<string, unknown> | undefined;
}

/**
 * Documents whose `_geojson` meets one of the regions, borders included. Tests boxes first, then the stored shapes of
 * documents whose box meets: O(shapes + size of the candidates' shapes).
 */
function shapeMatches(view: ShapeView, regions: readonly Region[]): number[] {
  // Loaded on demand: only indexes with shapes need the geometry library.
  const { booleanIntersects } = requireHere('@turf/boolean-intersects') as typeof turf;
  const found: number[] = [];
  for (const segment of view.segments) {
    const bytes = segment.geoBoxes();
    if (bytes === undefined) continue;
    visitGeoBoxes(bytes, (docId, box) => {
      if (segment.deleted !== 0 && view.kernel.bitmaps.has(segment.deleted, docId)) return;
      const near = regions.filter((region) => boxesMeet(region.box, box));
      if (near.length === 0) return;
      const shapes = geometriesOf(view.document(docId)?.['_geojson'] ?? { type: 'FeatureCollection', features: [] });
      const meets = shapes.some((shape) => near.some(({ polygon }) => booleanIntersects(shape, polygon)));
      if (meets) found.push(docId);
    });
  }
  return found;
}
