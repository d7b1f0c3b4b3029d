import { numberIn } from '@fossick/documents/stored';

/** Longitude and latitude in degrees; further numbers (an altitude) are ignored. */
export type Position = number[];

/** A geometry that is not a collection (RFC 7946). */
export type SimpleGeometry =
  | { type: 'Point'; coordinates: Position }
  | { type: 'MultiPoint' | 'LineString'; coordinates: Position[] }
  | { type: 'MultiLineString' | 'Polygon'; coordinates: Position[][] }
  | { type: 'MultiPolygon'; coordinates: Position[][][] };
export type Polygon = Extract<SimpleGeometry, { coordinates: Position[][] }> & { type: 'Polygon' };

/** West, south, east, north in degrees. */
export type GeoBox = readonly [west: number, south: number, east: number, north: number];

/** Collections nested deeper than this are rejected. */
const NESTING_MAX = 32;

/** Nesting depth of the arrays of positions in the coordinates of a type. */
const DEPTHS: Readonly<Record<SimpleGeometry['type'], number>> = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
};

type Loose = Readonly<Record<string, unknown>>;

/** Thrown with the error of a GeoJSON value; the caller names the document. */
export class GeojsonFault extends Error {}

/**
 * The geometries of a GeoJSON value: a geometry, a Feature or a FeatureCollection (RFC 7946; longitude first). Open
 * rings are closed. Throws GeojsonFault. O(positions).
 */
export function geometriesOf(value: unknown): SimpleGeometry[] {
  const found: SimpleGeometry[] = [];
  collect(value, found, 0);
  return found;
}

/** The box around all positions, or undefined when there are none. */
export function boxOf(geometries: readonly SimpleGeometry[]): GeoBox | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  const visit = (coordinates: unknown): void => {
    if (!Array.isArray(coordinates)) return;
    if (typeof coordinates[0] !== 'number') return coordinates.forEach(visit);
    const [lng, lat] = coordinates as [number, number];
    west = Math.min(west, lng);
    east = Math.max(east, lng);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  };
  for (const geometry of geometries) visit(geometry.coordinates);
  return west === Infinity ? undefined : [west, south, east, north];
}

function collect(value: unknown, found: SimpleGeometry[], depth: number): void {
  if (depth > NESTING_MAX) throw new GeojsonFault(`collections are nested deeper than ${NESTING_MAX} levels`);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new GeojsonFault('it must be a GeoJSON object');
  const { type, ...members } = value as Loose;
  if (typeof type !== 'string') throw new GeojsonFault('`type` is missing or not a string');
  switch (type) {
    case 'FeatureCollection':
      return collectAll(members['features'], 'features', found, depth);
    case 'GeometryCollection':
      return collectAll(members['geometries'], 'geometries', found, depth);
    case 'Feature':
      if (members['geometry'] === undefined) throw new GeojsonFault('a Feature needs `geometry`');
      if (members['geometry'] !== null) collect(members['geometry'], found, depth + 1);
      return;
    default:
      found.push(simple(type, members['coordinates']));
  }
}

function collectAll(value: unknown, name: string, found: SimpleGeometry[], depth: number): void {
  if (!Array.isArray(value)) throw new GeojsonFault(`\`${name}\` must be an array`);
  for (const item of value) collect(item, found, depth + 1);
}

function simple(type: string, coordinates: unknown): SimpleGeometry {
  if (!Object.hasOwn(DEPTHS, type)) throw new GeojsonFault(`\`${type}\` is not a type of GeoJSON`);
  const known = type as SimpleGeometry['type'];
  if (coordinates === undefined) throw new GeojsonFault(`a ${type} needs \`coordinates\``);
  return { type: known, coordinates: positions(coordinates, DEPTHS[known], known) } as SimpleGeometry;
}

function positions(value: unknown, depth: number, type: SimpleGeometry['type']): Position | unknown[] {
  if (depth === 0) return position(value);
  if (!Array.isArray(value)) throw new GeojsonFault(`the coordinates of a ${type} are not nested as they have to be`);
  const items = value.map((item) => positions(item, depth - 1, type));
  if (depth === 1 && type.endsWith('LineString') && items.length < 2)
    throw new GeojsonFault('a line needs at least two positions');
  return depth === 1 && type.endsWith('Polygon') ? closedRing(items as Position[]) : items;
}

function closedRing(ring: Position[]): Position[] {
  const [first, last] = [ring[0], ring.at(-1)];
  if (first === undefined || last === undefined || ring.length < 3)
    throw new GeojsonFault('the ring of a polygon needs at least three positions');
  return first[0] === last[0] && first[1] === last[1] ? ring : [...ring, first];
}

function position(value: unknown): Position {
  if (!Array.isArray(value) || value.length < 2) throw new GeojsonFault('a position is `[longitude, latitude]`');
  const numbers = value.map((part: unknown) => numberIn(part));
  if (!numbers.every((part) => typeof part === 'number' && Number.isFinite(part)))
    throw new GeojsonFault('a position consists of finite numbers');
  return numbers as Position;
}
