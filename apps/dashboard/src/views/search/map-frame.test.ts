import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frameOf, pointOf } from './map-frame.js';

it('the place of a hit is read in each form that the server takes', () => {
  expect(pointOf({ _geo: { lat: 52.5, lng: 13.4 } })).toEqual({ x: 13.4, y: -52.5 });
  expect(pointOf({ _geo: { lat: '-33.9', lng: '151.2' } })).toEqual({ x: 151.2, y: 33.9 });
  expect(
    pointOf({
      _geo: [
        { lat: 1, lng: 2 },
        { lat: 3, lng: 4 },
      ],
    }),
  ).toEqual({ x: 2, y: -1 });
  const none = [
    undefined,
    null,
    'Berlin',
    {},
    [],
    { lat: null, lng: 1 },
    { lat: '', lng: 1 },
    { lat: 91, lng: 0 },
    { lat: 0, lng: 181 },
  ];
  expect(none.map((geo) => pointOf({ _geo: geo }))).toEqual(none.map(() => null));
});

it('all points are in the frame, which stays within the world', () => {
  const point = fc.record({
    x: fc.double({ min: -180, max: 180, noNaN: true }),
    y: fc.double({ min: -90, max: 90, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 30 }), (points) => {
      const { x, y, width, height } = frameOf(points);
      expect(width).toBeCloseTo(height * 2);
      expect(x >= -180 && y >= -90 && x + width <= 180.000001 && y + height <= 90.000001).toBe(true);
      for (const each of points) {
        expect(each.x >= x - 1e-6 && each.x <= x + width + 1e-6).toBe(true);
        expect(each.y >= y - 1e-6 && each.y <= y + height + 1e-6).toBe(true);
      }
    }),
    { seed: Number(process.env['TEST_SEED'] ?? 7) },
  );
  expect(frameOf([]).width).toBe(360);
  expect(frameOf([{ x: 13, y: -52 }])).toEqual({ x: 7, y: -55, width: 12, height: 6 });
});
