import { booleanIntersects } from '@turf/boolean-intersects';
import { describe, expect, it } from 'vitest';
import { GeoBoxWriter, visitGeoBoxes } from './box-rows.js';
import { boxRegions, circleRegion, polygonRegion } from './region.js';
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
    writer.add(7, [1, 2, 3, 4]);
    writer.add(2, [-180, -90, 180, 90]);
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

  it('split a box that wraps the antimeridian', () => {
    const boxes = boxRegions(10, -170, -10, 170).map(({ box }) => box);
    expect(boxes).toEqual([
      [170, -10, 180, 10],
      [-180, -10, -170, 10],
    ]);
  });
});
