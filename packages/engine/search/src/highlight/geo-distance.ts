import { greatCircleMetres } from '@fossick/columns';
import { isJsonObject, type JsonObject, numberIn } from '@fossick/documents';

/** A point in degrees. */
export interface GeoPoint {
  readonly lat: number;
  readonly lng: number;
}

const GEO_POINT = /_geoPoint\(\s*([+-]?\d+(?:\.\d+)?)\s*,\s*([+-]?\d+(?:\.\d+)?)\s*\)/;

/** The first point in the sort expressions, undefined when there is none. */
export function geoPointOfSort(sort: readonly string[]): GeoPoint | undefined {
  for (const rule of sort) {
    const [, lat, lng] = GEO_POINT.exec(rule) ?? [];
    if (lat !== undefined && lng !== undefined) return { lat: Number(lat), lng: Number(lng) };
  }
  return undefined;
}

/** Whole metres from the point to the document's `_geo`; undefined when the document has none. O(1). */
export function geoDistanceOf(fields: JsonObject, point: GeoPoint): number | undefined {
  const geo = fields['_geo'];
  if (!isJsonObject(geo)) return undefined;
  const lat = readDegrees(geo['lat']);
  const lng = readDegrees(geo['lng']);
  if (lat === undefined || lng === undefined) return undefined;
  return Math.round(greatCircleMetres(point.lat, point.lng, lat, lng));
}

function readDegrees(value: unknown): number | undefined {
  const number = numberIn(value);
  if (number !== undefined) return number;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const degrees = Number(value);
  return Number.isFinite(degrees) ? degrees : undefined;
}
