import type { Hit } from '../../api/types.js';

/** A place on the map: degrees east and degrees south, which are the axes of the page. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}
/** The part of the world that is shown, in the same degrees. */
export interface MapFrame extends MapPoint {
  readonly width: number;
  readonly height: number;
}

/** The place of a hit, from `_geo` as an object, as texts, or as a list of such, of which it is the first; null for none. */
export function pointOf({ _geo: geo }: Hit): MapPoint | null {
  const place: unknown = Array.isArray(geo) ? geo[0] : geo;
  if (typeof place !== 'object' || place === null) return null;
  const { lat, lng } = place as { readonly lat?: unknown; readonly lng?: unknown };
  if (lat === null || lng === null || lat === '' || lng === '') return null;
  const [y, x] = [-Number(lat), Number(lng)];
  return Math.abs(x) <= 180 && Math.abs(y) <= 90 ? { x, y } : null;
}

/** The smallest width that is shown: a coast of the outline says something still. */
const LEAST_DEGREES = 12;
const MARGIN = 1.25;
const [WORLD_WIDTH, WORLD_HEIGHT] = [360, 180];

/** The part of the world with all points, twice as wide as high, within the world. O(points) */
export function frameOf(points: readonly MapPoint[]): MapFrame {
  if (points.length === 0) return { x: -180, y: -90, width: WORLD_WIDTH, height: WORLD_HEIGHT };
  const range = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  const [[left, right], [top, bottom]] = [range(points.map(({ x }) => x)), range(points.map(({ y }) => y))];
  const wanted = Math.max(LEAST_DEGREES, (right - left) * MARGIN, (bottom - top) * MARGIN * 2);
  const width = Math.min(WORLD_WIDTH, wanted);
  const height = width / 2;
  const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
  return {
    x: within((left + right - width) / 2, -180, 180 - width),
    y: within((top + bottom - height) / 2, -90, 90 - height),
    ...{ width, height },
  };
}
