import type { FilterNode, FilterValue, GeoPair } from '@fossick/filter';
import type { IndexView } from '../view/index-view.js';
import { distanceMetres, geoPoints } from './geo.js';

type Fail = (message: string, token: FilterValue) => never;
const RESOLUTION_MIN = 3;
const RESOLUTION_MAX = 1000;

function point([latValue, lngValue]: GeoPair, fail: Fail): readonly [lat: number, lng: number] {
  const [lat, lng] = [Number(latValue.text), Number(lngValue.text)];
  if (lat < -90 || lat > 90) fail(`latitude \`${lat}\` must be between -90 and 90.`, latValue);
  if (lng < -180 || lng > 180) {
    const inside = ((((lng + 180) % 360) + 360) % 360) - 180;
    fail(`longitude \`${lng}\` must be between -180 and 180; the equivalent value inside is \`${inside}\`.`, lngValue);
  }
  return [lat, lng];
}

/** Documents whose `_geo` is within the radius (spec 12 section 6). O(points). */
export function radiusMatches(view: IndexView, node: Extract<FilterNode, { kind: 'geoRadius' }>, fail: Fail): number[] {
  const [lat, lng] = point(node.center, fail);
  const resolution = node.resolution === null ? RESOLUTION_MIN : Number(node.resolution.text);
  if (node.resolution !== null && !(resolution >= RESOLUTION_MIN && resolution <= RESOLUTION_MAX)) {
    fail(`resolution \`${resolution}\` must be between ${RESOLUTION_MIN} and ${RESOLUTION_MAX}.`, node.resolution);
  }
  const radiusMetres = Number(node.radius.text) + Number.EPSILON;
  const { docs, lats, lngs } = geoPoints(view);
  return docs.filter((_, index) => distanceMetres(lat, lng, lats[index] ?? 0, lngs[index] ?? 0) <= radiusMetres);
}

/** Documents whose `_geo` is in the box, edges included; a box whose right is left of its left wraps the antimeridian. O(points). */
export function boxMatches(view: IndexView, node: Extract<FilterNode, { kind: 'geoBox' }>, fail: Fail): number[] {
  const [top, right] = point(node.topRight, fail);
  const [bottom, left] = point(node.bottomLeft, fail);
  if (top < bottom) fail(`the top latitude \`${top}\` is below the bottom latitude \`${bottom}\`.`, node.bottomLeft[0]);
  const { docs, lats, lngs } = geoPoints(view);
  return docs.filter((_, index) => {
    const [lat, lng] = [lats[index] ?? 0, lngs[index] ?? 0];
    if (lat < bottom || lat > top) return false;
    return right < left ? lng >= left || lng <= right : lng >= left && lng <= right;
  });
}
