import type { IndexView } from '../view/index-view.js';
import { type OpenColumn, openColumns } from './open-column.js';

const EARTH_RADIUS_METRES = 6_371_000;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Great-circle distance in metres, rounded to 3 decimals (spec 11 section 10.1). */
export function distanceMetres(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const sinLat = Math.sin(radians(lat2 - lat1) / 2);
  const sinLng = Math.sin(radians(lng2 - lng1) / 2);
  const h = sinLat * sinLat + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * sinLng * sinLng;
  return Math.round(2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(h))) * 1000) / 1000;
}

/** Points of live documents, ascending by docid, in step. */
export interface GeoPoints {
  readonly docs: readonly number[];
  readonly lats: readonly number[];
  readonly lngs: readonly number[];
}

function coordinateOf(view: IndexView, columns: readonly OpenColumn[]): Map<number, number> {
  const values = new Map<number, number>();
  for (const column of columns) {
    const { kernel, segment, numbers } = column;
    const offsets = kernel.readU32(numbers.offsets, numbers.count + 1);
    const docs = kernel.readU32(numbers.docs, offsets[numbers.count]!);
    for (let group = 0; group < numbers.count; group++) {
      const value = column.numberAt(group);
      for (let entry = offsets[group]!; entry < offsets[group + 1]!; entry++) {
        const doc = docs[entry]!;
        if (segment.dead === 0 || !kernel.has(segment.dead, doc)) values.set(doc, value);
      }
    }
  }
  return values;
}

let last: { readonly uid: string; readonly version: string; readonly points: GeoPoints } | undefined;

/** Points of all live documents with a valid `_geo`; kept for the index last asked for. O(points) the first time. */
export function geoPoints(view: IndexView): GeoPoints {
  if (last !== undefined && last.uid === view.uid && last.version === view.version) return last.points;
  const lats = coordinateOf(view, openColumns(view, '_geo.lat'));
  const lngs = coordinateOf(view, openColumns(view, '_geo.lng'));
  const docs = [...lats.keys()].filter((doc) => lngs.has(doc)).sort((a, b) => a - b);
  const points = { docs, lats: docs.map((doc) => lats.get(doc) ?? 0), lngs: docs.map((doc) => lngs.get(doc) ?? 0) };
  last = { uid: view.uid, version: view.version, points };
  return points;
}
