export const EARTH_RADIUS_METRES = 6_371_000;
/** Largest rounding error of a distance; it is largest near the antipode, where half of the digits are lost. */
const SLACK_METRES = 1;
export const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Great-circle distance in metres, rounded to 3 decimals. */
export function distanceMetres(lat1: number, lng1: number, lat2: number, lng2: number): number {
  return Math.round(greatCircleMetres(lat1, lng1, lat2, lng2) * 1000) / 1000;
}

/** The same, unrounded. O(1) */
export const greatCircleMetres = (lat1: number, lng1: number, lat2: number, lng2: number): number =>
  EARTH_RADIUS_METRES * arcOf(lat1, lng1, lat2, lng2);

/** The central angle of two points, in radians. */
export function arcOf(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const sinLat = Math.sin(toRadians(lat2 - lat1) / 2);
  const sinLng = Math.sin(toRadians(lng2 - lng1) / 2);
  const h = sinLat * sinLat + Math.cos(toRadians(lat1)) * Math.cos(toRadians(lat2)) * sinLng * sinLng;
  return 2 * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Degrees, all inclusive. */
export interface GeoBounds {
  readonly minLat: number;
  readonly minLng: number;
  readonly maxLat: number;
  readonly maxLng: number;
}

/**
 * A lower bound of the distance of points within the bounds. 0 where a coordinate is not on the globe, which documents may contain.
 * O(1)
 */
export function leastMetres(lat: number, lng: number, bounds: GeoBounds): number {
  const { minLat, minLng, maxLat, maxLng } = bounds;
  if (!isOnGlobe(lat, lng) || !isOnGlobe(minLat, minLng) || !isOnGlobe(maxLat, maxLng)) return 0;
  if (lng >= minLng && lng <= maxLng) {
    if (lat >= minLat && lat <= maxLat) return 0;
    return lessSlack(greatCircleMetres(lat, lng, lat < minLat ? minLat : maxLat, lng));
  }
  // On any parallel the closer of the two meridians is nearest.
  const east = (minLng - lng + 360) % 360;
  const west = (lng - maxLng + 360) % 360;
  const nearLng = east < west ? minLng : maxLng;
  let least = Math.min(greatCircleMetres(lat, lng, minLat, nearLng), greatCircleMetres(lat, lng, maxLat, nearLng));
  // The latitude where the great circle through the point meets the meridian at a right angle.
  const foot = Math.atan2(
    Math.sin(toRadians(lat)),
    Math.cos(toRadians(lat)) * Math.cos(toRadians(Math.min(east, west))),
  );
  const footLat = (foot * 180) / Math.PI;
  if (footLat > minLat && footLat < maxLat) least = Math.min(least, greatCircleMetres(lat, lng, footLat, nearLng));
  return lessSlack(least);
}

/** An upper bound of the distance of points within the bounds, by the distance to the antipode. O(1) */
export function mostMetres(lat: number, lng: number, bounds: GeoBounds): number {
  const half = Math.PI * EARTH_RADIUS_METRES;
  if (!isOnGlobe(lat, lng)) return half;
  return half - leastMetres(-lat, lng > 0 ? lng - 180 : lng + 180, bounds) + SLACK_METRES;
}

const lessSlack = (distance: number): number => Math.max(0, distance - SLACK_METRES);
const isOnGlobe = (lat: number, lng: number): boolean => lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180;
