import type { SortEntry } from '@fossick/filter';
import type { Ptr } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import { distanceMetres, geoPoints } from './geo.js';
import type { SortBucket, SortCursor } from './sorter.js';

/** From this many candidates on, points are ordered by true distance rather than by whole metres. */
const EXACT_ORDER_MIN = 1000;
const BUCKET_DOCS_MAX = 1000;
/** Documents whose distances lie so close to the first one's are equal, wherever their points are. */
const BUCKET_SPAN_METRES = 1;

interface Place {
  readonly doc: number;
  readonly lat: number;
  readonly lng: number;
  readonly distance: number;
}

/** The cursor of `_geoPoint(lat,lng)` (spec 11 section 10.1). The first call orders the points: O(points log points). */
export function createGeoSorter(view: IndexView, entry: Extract<SortEntry, { kind: 'geo' }>): SortCursor {
  const { kernel } = view;
  let places: readonly Place[] | undefined;
  let at = 0;
  return {
    next(universe: Ptr): SortBucket | null {
      if (kernel.isEmpty(universe)) return null;
      places ??= orderPlaces(view, entry, universe);
      const bucket = kernel.bitmap(view.bitCount);
      let first: Place | undefined;
      let count = 0;
      for (; at < places.length && count < BUCKET_DOCS_MAX; at++) {
        const place = places[at];
        if (place === undefined || !kernel.has(universe, place.doc)) continue;
        first ??= place;
        if (Math.abs(place.distance - first.distance) > BUCKET_SPAN_METRES) break;
        kernel.set(bucket, place.doc);
        count += 1;
      }
      if (first === undefined) {
        kernel.assign(bucket, universe);
        return { bucket, value: null, distance: null };
      }
      return { bucket, value: { lat: first.lat, lng: first.lng }, distance: first.distance };
    },
  };
}

function orderPlaces(view: IndexView, entry: Extract<SortEntry, { kind: 'geo' }>, universe: Ptr): Place[] {
  const { docs, lats, lngs } = geoPoints(view);
  const places: Place[] = [];
  docs.forEach((doc, index) => {
    if (!view.kernel.has(universe, doc)) return;
    const [lat, lng] = [lats[index] ?? 0, lngs[index] ?? 0];
    places.push({ doc, lat, lng, distance: distanceMetres(entry.lat, entry.lng, lat, lng) });
  });
  const isExact = places.length >= EXACT_ORDER_MIN;
  const keyOf = (place: Place): number => (isExact ? place.distance : Math.trunc(place.distance));
  places.sort((a, b) => keyOf(a) - keyOf(b));
  return entry.direction === 'desc' ? places.reverse() : places;
}
