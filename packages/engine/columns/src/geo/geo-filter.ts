import { type DocId, type ErrorText, libraryLoader, sharedText } from '@fossick/base';
import type { FilterNode, FilterValue, GeoPair } from '@fossick/filter';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import { featuresOf } from '@fossick/settings';
import type * as turf from '@turf/boolean-intersects';
import { geoPoints } from '../column-readers.js';
import { arcOf, distanceMetres, EARTH_RADIUS_METRES, type GeoBounds, leastMetres, toRadians } from '../geo-distance.js';
import type { ColumnView } from '../port.js';
import { boxesIntersect, visitGeoBoxes } from './box-rows.js';
import { boxOf, type GeoBox, geometriesOf, type Polygon, type Position } from './shape.js';

/** Edges of a filter's polygon get a vertex this often, along the great circle. */
const EDGE_STEP_METRES = 1_000;
/** A very long outline gets longer steps, to stay below this number of vertices. */
const VERTEX_COUNT_MAX = 50_000;
const toDegrees = (radians: number): number => (radians * 180) / Math.PI;
/**
 * Observed from outside, the reference engine cuts the outline of such a box at 180° and closes it on the flat map: it matches what is
 * between the outline and the parallels where its great circles cross the antimeridian, in the coarse cells of the globe that the box
 * touches. Of a box from 152° E to 148° W and 63° to 70° N it finds no point of (69° N, 170° E), and all of (69° N, 140° E). That is not
 * copied: nothing inside is missed here. But Canada, whose border is 7° east of that box, is a recorded hit: for such answers, boxes
 * across the antimeridian are wider by this much on both sides.
 */
const ANTIMERIDIAN_SLACK_METRES = 400_000;
const SLACK_DEGREES_MAX = 15;

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

/** Live documents whose point is within; `mayIntersect`: whether any point within the bounds can be. */
function pointMatches(
  view: ColumnView,
  mayIntersect: (bounds: GeoBounds) => boolean,
  isWithin: (lat: number, lng: number) => boolean,
): number[] {
  const found: number[] = [];
  if (!isFilterable(view, '_geo')) return found;
  for (const points of geoPoints(view)) {
    const { deleted } = points.segment;
    for (const { docs, lats, lngs } of points.leavesWithin(mayIntersect))
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
      const near = regions.filter((region) => boxesIntersect(region.box, box));
      if (near.length === 0) return;
      const shapes = geometriesOf(view.document(docId)?.['_geojson'] ?? { type: 'FeatureCollection', features: [] });
      const meets = shapes.some((shape) => near.some(({ polygon }) => booleanIntersects(shape, polygon)));
      if (meets) found.push(docId);
    });
  }
  return found;
}

/** A point in the order of filters. */
type LatLng = readonly [lat: number, lng: number];

/** A region that shapes are tested against: a closed polygon and its bounding box. */
interface Region {
  readonly polygon: Polygon;
  readonly box: GeoBox;
}

/** The polygon through the points, closed, its edges following great circles. */
export function polygonRegion(points: readonly LatLng[]): Region {
  return regionOf(densified(points));
}

function densified(points: readonly LatLng[]): Position[] {
  const edges = points.map((point, i) => [point, points[(i + 1) % points.length]!] as const);
  const lengths = edges.map(([from, to]) => arcOf(...from, ...to) * EARTH_RADIUS_METRES);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const step = Math.max(EDGE_STEP_METRES, total / VERTEX_COUNT_MAX);
  return edges.flatMap(([from, to], i) => along(from, to, Math.max(1, Math.ceil(lengths[i]! / step))));
}

/** The regular polygon of `resolution` points on the circle; the first is due north. */
export function circleRegion(center: LatLng, radiusMetres: number, resolution: number): Region {
  const ring: Position[] = [];
  for (let i = 0; i < resolution; i++) ring.push(destination(center, radiusMetres, (2 * Math.PI * i) / resolution));
  return regionOf(ring);
}

/**
 * The regions of a box: all points between its parallels and meridians, and all within the polygon through its corners, whose edges follow
 * great circles like those of any polygon (recorded behaviour: in Europe's latitudes they bulge to the north). A box that wraps the
 * antimeridian has each region twice, for the longitudes of either side.
 */
export function boxRegions(top: number, right: number, bottom: number, left: number): Region[] {
  const isWrapped = right < left;
  const slack = isWrapped ? slackDegrees((top + bottom) / 2) : 0;
  const [west, east] = [left - slack, (isWrapped ? right + 360 : right) + slack];
  const corners: Position[] = [
    [west, bottom],
    [east, bottom],
    [east, top],
    [west, top],
  ];
  const outlines = east - west < 180 ? [corners, greatOutline(corners, (west + east) / 2)] : [corners];
  const shifts = isWrapped ? [0, -360] : [0];
  return shifts.flatMap((shift) =>
    outlines.map((outline) => regionOf(outline.map(([lng, lat]) => [lng! + shift, lat!]))),
  );
}

function slackDegrees(lat: number): number {
  const metresPerDegree = toRadians(1) * EARTH_RADIUS_METRES * Math.cos(toRadians(lat));
  return Math.min(SLACK_DEGREES_MAX, ANTIMERIDIAN_SLACK_METRES / metresPerDegree);
}

/**
 * The corners joined along great circles, in longitudes relative to the meridian `middle`, so that no edge crosses the
 * antimeridian.
 */
function greatOutline(corners: readonly Position[], middle: number): Position[] {
  const around = corners.map(([lng, lat]): LatLng => [lat!, lng! - middle]);
  return densified(around).map(([lng, lat]) => [lng! + middle, lat!]);
}

function regionOf(open: Position[]): Region {
  const polygon: Polygon = { type: 'Polygon', coordinates: [[...open, open[0]!]] };
  return { polygon, box: boxOf([polygon])! };
}

/** `count` positions from `from` on, without `to`: evenly spaced on the great circle. */
function along(from: LatLng, to: LatLng, count: number): Position[] {
  const arc = arcOf(...from, ...to);
  const [a, b] = [unitVector(from), unitVector(to)];
  const positions: Position[] = [[from[1], from[0]]];
  for (let i = 1; i < count && arc > 0; i++) {
    const [left, right] = [
      Math.sin((1 - i / count) * arc) / Math.sin(arc),
      Math.sin((i / count) * arc) / Math.sin(arc),
    ];
    const [x, y, z] = [a[0] * left + b[0] * right, a[1] * left + b[1] * right, a[2] * left + b[2] * right];
    positions.push([toDegrees(Math.atan2(y, x)), toDegrees(Math.atan2(z, Math.hypot(x, y)))]);
  }
  return positions;
}

function unitVector([lat, lng]: LatLng): readonly [x: number, y: number, z: number] {
  const cosLat = Math.cos(toRadians(lat));
  return [cosLat * Math.cos(toRadians(lng)), cosLat * Math.sin(toRadians(lng)), Math.sin(toRadians(lat))];
}

/** The point at a distance and bearing from another; `bearing` is in radians, clockwise from north. */
function destination([lat, lng]: LatLng, metres: number, bearing: number): Position {
  const arc = metres / EARTH_RADIUS_METRES;
  const lat1 = toRadians(lat);
  const sinLat = Math.sin(lat1) * Math.cos(arc) + Math.cos(lat1) * Math.sin(arc) * Math.cos(bearing);
  const lat2 = Math.asin(Math.max(-1, Math.min(1, sinLat)));
  const y = Math.sin(bearing) * Math.sin(arc) * Math.cos(lat1);
  const x = Math.cos(arc) - Math.sin(lat1) * Math.sin(lat2);
  return [lng + toDegrees(Math.atan2(y, x)), toDegrees(lat2)];
}
