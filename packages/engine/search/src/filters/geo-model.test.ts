import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import { distanceMetres, leastMetres, mostMetres } from '@fossick/columns';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

interface Point {
  readonly lat: number;
  readonly lng: number;
}
interface Doc {
  readonly id: number;
  readonly kind: number;
  readonly _geo: Point | null;
}

const seed = TEST_SEED;
const lat = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 0, 48.8566));
const lng = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 0, 2.3522));
const anywhere = fc.record({ lat, lng });
/** So close to one another that whole metres and buckets decide. */
const near = fc
  .tuple(fc.nat(40), fc.nat(40))
  .map(([north, east]) => ({ lat: 48.8566 + north * 4e-6, lng: 2.3522 + east * 4e-6 }));
const point = fc.oneof({ weight: 4, arbitrary: anywhere }, { weight: 4, arbitrary: near });

/** The rule as it is written down: all points in order, cut into buckets, each in docid order. */
function sortedIds(docs: readonly Doc[], from: Point, isDescending: boolean): number[] {
  const places = docs.flatMap(({ id, _geo }, at) =>
    _geo === null ? [] : [{ id, at, distance: distanceMetres(from.lat, from.lng, _geo.lat, _geo.lng) }],
  );
  const isExact = places.length >= 1000;
  const keyOf = ({ distance }: { distance: number }): number => (isExact ? distance : Math.trunc(distance));
  places.sort((a, b) => keyOf(a) - keyOf(b));
  if (isDescending) places.reverse();
  const ids: number[] = [];
  for (let start = 0; start < places.length; ) {
    let end = start;
    while (end < places.length && end - start < 1000 && Math.abs(places[end]!.distance - places[start]!.distance) <= 1)
      end += 1;
    const bucket = places.slice(start, end).sort((a, b) => a.at - b.at);
    ids.push(...bucket.map(({ id }) => id));
    start = end;
  }
  return [...ids, ...docs.filter(({ _geo }) => _geo === null).map(({ id }) => id)];
}

function check(index: ScratchIndex, docs: readonly Doc[], from: Point, radius: number, other: Point): void {
  for (const kind of [null, 1]) {
    const filter = kind === null ? null : `kind = ${kind}`;
    const chosen = docs.filter((doc) => kind === null || doc.kind === kind);
    for (const direction of ['asc', 'desc']) {
      const expected = sortedIds(chosen, from, direction === 'desc');
      const sort = [`_geoPoint(${from.lat},${from.lng}):${direction}`];
      for (const limit of [3, 40, 2000]) expect(index.idsOf({ filter, sort, limit })).toEqual(expected.slice(0, limit));
    }
  }
  const points = docs.filter((doc): doc is Doc & { _geo: Point } => doc._geo !== null);
  const within = (test: (at: Point) => boolean): number[] =>
    points.filter(({ _geo }) => test(_geo)).map(({ id }) => id);
  const idsOf = (filter: string): unknown[] => index.idsOf({ filter, limit: 2000 });
  expect(idsOf(`_geoRadius(${from.lat}, ${from.lng}, ${radius})`)).toEqual(
    within((at) => distanceMetres(from.lat, from.lng, at.lat, at.lng) <= radius + Number.EPSILON),
  );
  const [top, bottom] = [Math.max(from.lat, other.lat), Math.min(from.lat, other.lat)];
  const [left, right] = [from.lng, other.lng];
  expect(idsOf(`_geoBoundingBox([${top}, ${right}], [${bottom}, ${left}])`)).toEqual(
    within((at) => {
      const isBetween = right < left ? at.lng >= left || at.lng <= right : at.lng >= left && at.lng <= right;
      return at.lat >= bottom && at.lat <= top && isBetween;
    }),
  );
}

const radiusMetres = fc.oneof(fc.constantFrom(0, 1, 30, 5e5, 2.1e7), fc.integer({ min: 1, max: 20_000_000 }));

test('sorting and filtering by points are those of a plain list, in any segments', async () => {
  const batch = fc.array(fc.record({ id: fc.nat(150), kind: fc.nat(2), _geo: fc.option(point) }), {
    minLength: 1,
    maxLength: 120,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 1 }),
      point,
      radiusMetres,
      point,
      async (batches, isMany, from, radius, other) => {
        const index = await openScratchIndex([], {
          filterableAttributes: ['_geo', 'kind'],
          sortableAttributes: ['_geo'],
          pagination: { maxTotalHits: 5000 },
        });
        try {
          // so many that true distances decide: copies of the first batch, moved a little
          const more = isMany === 0 ? [] : copies(batches[0]!);
          const all = [...batches, more].filter(({ length }) => length > 0);
          for (const docs of all) await index.add(docs);
          const written = new Map<number, Doc>();
          for (const docs of all) for (const doc of docs) written.set(doc.id, doc);
          check(index, [...written.values()], from, radius, other);
        } finally {
          await index.close();
        }
      },
    ),
    { numRuns: runsOf(20), seed },
  );
});

function copies(docs: readonly Doc[]): Doc[] {
  const points = docs.flatMap(({ _geo }) => _geo ?? []);
  if (points.length === 0) return [];
  return Array.from({ length: 1100 }, (_, at) => {
    const { lat: north, lng: east } = points[at % points.length]!;
    const moved = { lat: Math.min(90, north + (at % 37) * 1e-5), lng: Math.max(-180, east - (at % 11) * 1e-4) };
    return { id: 1000 + at, kind: at % 300 === 0 ? 1 : 0, _geo: moved };
  });
}

test('distances of points within bounds are within the computed limits', () => {
  fc.assert(
    fc.property(
      anywhere,
      anywhere,
      anywhere,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (from, a, b, north, east) => {
        const [minLat, maxLat] = [Math.min(a.lat, b.lat), Math.max(a.lat, b.lat)];
        const [minLng, maxLng] = [Math.min(a.lng, b.lng), Math.max(a.lng, b.lng)];
        const at = { lat: minLat + (maxLat - minLat) * north, lng: minLng + (maxLng - minLng) * east };
        const distance = distanceMetres(from.lat, from.lng, at.lat, at.lng);
        const bounds = { minLat, minLng, maxLat, maxLng };
        expect(leastMetres(from.lat, from.lng, bounds)).toBeLessThanOrEqual(distance);
        expect(mostMetres(from.lat, from.lng, bounds)).toBeGreaterThanOrEqual(distance);
      },
    ),
    { seed, numRuns: 2000 },
  );
});
