import type { DocId } from '@fossick/base';
import { booleanIntersects } from '@turf/boolean-intersects';
import { describe, expect, it } from 'vitest';
import { GeoBoxWriter, visitGeoBoxes } from './box-rows.js';
import { boxRegions, circleRegion, polygonRegion } from './geo-filter.js';
import { boxOf, GeojsonFault, geometriesOf } from './shape.js';

const point = (lng: number, lat: number) => ({ type: 'Point', coordinates: [lng, lat] });

describe('GeoJSON shapes', () => {
  it('are flattened out of features and collections, open rings closed', () => {
    const ring = [
      [0, 0],
      [2, 0],
      [2, 2],
    ];
    const feature = (geometry: unknown) => ({ type: 'Feature', properties: { name: 'x' }, geometry });
    const collection = {
      type: 'GeometryCollection',
      geometries: [point(5, 6), { type: 'Polygon', coordinates: [ring] }],
    };
    const found = geometriesOf({ type: 'FeatureCollection', features: [feature(collection), feature(null)] });
    expect(found).toEqual([point(5, 6), { type: 'Polygon', coordinates: [[...ring, [0, 0]]] }]);
    expect(boxOf(found)).toEqual([0, 0, 5, 6]);
    expect(boxOf([])).toBeUndefined();
  });

  it.each([
    ['a string', 'x'],
    ['an array', [1, 2]],
    ['no type', { coordinates: [1, 1] }],
    ['an unknown type', { type: 'Circle', coordinates: [1, 1] }],
    ['no coordinates', { type: 'Point' }],
    ['one coordinate', { type: 'Point', coordinates: [1] }],
    ['text coordinates', { type: 'Point', coordinates: ['1', '1'] }],
    [
      'coordinates nested too little',
      {
        type: 'Polygon',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
    ],
    ['a line of one position', { type: 'LineString', coordinates: [[0, 0]] }],
    ['a feature without geometry', { type: 'Feature' }],
  ])('refuses %s', (_name, value) => {
    expect(() => geometriesOf(value)).toThrow(GeojsonFault);
  });

  it('keep their boxes in a part of the segment', () => {
    const writer = new GeoBoxWriter();
    writer.add(7 as DocId, [1, 2, 3, 4]);
    writer.add(2 as DocId, [-180, -90, 180, 90]);
    const read: unknown[] = [];
    visitGeoBoxes(writer.encode(), (docId, box) => read.push([docId, [...box]]));
    expect(read).toEqual([
      [2, [-180, -90, 180, 90]],
      [7, [1, 2, 3, 4]],
    ]);
  });
});

describe('regions of filters', () => {
  it('follow great circles: the edge between two points of one parallel runs north of it', () => {
    const region = polygonRegion([
      [50, 0],
      [50, 60],
      [0, 30],
    ]);
    expect(region.box[3]).toBeGreaterThan(53);
    expect(booleanIntersects({ type: 'Point', coordinates: [30, 52] }, region.polygon)).toBe(true);
  });

  it('stand for a circle with its first point due north', () => {
    const { polygon } = circleRegion([0, 0], 111_195, 4);
    const [north, east] = polygon.coordinates[0]!;
    expect(north![1]).toBeCloseTo(1, 3);
    expect(east![0]).toBeCloseTo(1, 3);
  });

  const isIn = (regions: ReturnType<typeof boxRegions>, lng: number, lat: number): boolean =>
    regions.some(({ polygon }) => booleanIntersects({ type: 'Point', coordinates: [lng, lat] }, polygon));

  it.each([
    ['the north of it, as far as the great circle goes', 11, 50.8, true],
    ['beyond the great circle', 11, 51.2, false],
    ['a corner', 0.55, 43.77, true],
    ['above the parallel at a corner', 0.7, 50.6, false],
    ['the south of it, between parallel and great circle', 11, 43.9, true],
    ['below the parallel', 11, 43.7, false],
  ])('take into a box %s', (_, lng, lat, expected) => {
    expect(isIn(boxRegions(50.54, 21.434, 43.764, 0.5498), lng, lat)).toBe(expected);
  });

  it.each([
    ['Alaska', -160, 66, true],
    ['Chukotka', 178, 66, true],
    ['the very antimeridian from the west', 180, 66, true],
    ['the very antimeridian from the east', -180, 66, true],
    ['the west of Canada, 7° outside', -140.99, 66, true],
    ['the east of it', -130, 66, false],
    ['Norway', 20, 66, false],
    ['Greenland', -40, 66, false],
  ])('take into a box across the antimeridian %s', (_, lng, lat, expected) => {
    expect(isIn(boxRegions(70, -148, 63, 152), lng, lat)).toBe(expected);
  });

  it('keep to the parallels where a box is wider than half the earth', () => {
    const regions = boxRegions(10, 179, -10, -179);
    expect(regions).toHaveLength(1);
    expect([isIn(regions, 0, 9), isIn(regions, 0, 11)]).toEqual([true, false]);
  });
});
