/*
 * The points of one segment. Little-endian; every part starts on a multiple of 8 bytes.
 *
 *   header   u32[4]              magic, points, 2 x reserved
 *   bounds   f64[4 * leaves]     least latitude, least longitude, greatest latitude, greatest longitude of each leaf
 *   leaves   [u32 docid x 64][f64 latitude x 64][f64 longitude x 64]     the last one filled up with zeros
 *
 * Points follow one another along a Hilbert curve over the map, so that those of a leaf, and those of leaves side by side, are near.
 */
import type { ColumnParts } from './column-format.js';

const MAGIC = 0x46475031;
export const GEO_HEADER_BYTES = 16;
export const LEAF_POINTS = 64;
export const LEAF_BYTES = LEAF_POINTS * 20;
export const BOUNDS_BYTES = 32;

/** Cells of the curve along each side of the map, for 32-bit keys. */
const CURVE_BITS = 16;
const CELL_MAX = 2 ** CURVE_BITS - 1;

/** Parallel arrays. */
export interface PlainPoints {
  readonly docs: Uint32Array;
  readonly lats: Float64Array;
  readonly lngs: Float64Array;
}

/** The number of points, by the header. Throws when it is no header of points. */
export function geoPointCount(header: Uint32Array): number {
  if (header[0] !== MAGIC) throw new Error('geo points: unknown format');
  return header[1]!;
}

/** The points of the documents that have both coordinates, ascending by docid. O(entries) */
export function pointsOfColumns(lat: ColumnParts, lng: ColumnParts): PlainPoints {
  const first = Math.max(lat.exists[0] ?? 0, lng.exists[0] ?? 0);
  const last = Math.min(lat.exists.at(-1) ?? -1, lng.exists.at(-1) ?? -1);
  const size = Math.max(0, last - first + 1);
  const [latOf, lngOf] = [coordinates(lat, first, size), coordinates(lng, first, size)];
  const docs = new Uint32Array(lat.exists.length);
  const [lats, lngs] = [new Float64Array(docs.length), new Float64Array(docs.length)];
  let count = 0;
  for (let at = 0; at < docs.length; at++) {
    const doc = lat.exists[at]!;
    const latitude = latOf(doc);
    const longitude = lngOf(doc);
    if (latitude === undefined || longitude === undefined) continue;
    docs[count] = doc;
    lats[count] = latitude;
    lngs[count++] = longitude;
  }
  return { docs: docs.subarray(0, count), lats: lats.subarray(0, count), lngs: lngs.subarray(0, count) };
}

/** The coordinate of a document, or undefined. */
type Coordinates = (doc: number) => number | undefined;

function coordinates(column: ColumnParts, first: number, size: number): Coordinates {
  const { numbers, numberOffsets, numberDocs } = column;
  const isDense = size <= numberDocs.length * 8;
  const dense = new Float64Array(isDense ? size : 0).fill(Number.NaN);
  const sparse = new Map<number, number>();
  for (let group = 0; group < numbers.length; group++)
    for (let entry = numberOffsets[group]!; entry < numberOffsets[group + 1]!; entry++) {
      const doc = numberDocs[entry]!;
      if (isDense) dense[doc - first] = numbers[group]!;
      else sparse.set(doc, numbers[group]!);
    }
  if (!isDense) return (doc) => sparse.get(doc);
  return (doc) => {
    const found = dense[doc - first];
    return Number.isNaN(found) ? undefined : found;
  };
}

/** The first bytes of this many points. */
export function geoHeader(pointCount: number): Uint8Array {
  const header = new Uint32Array(GEO_HEADER_BYTES / 4);
  header.set([MAGIC, pointCount]);
  return new Uint8Array(header.buffer);
}

/** Makes leaves of points that are added in the order of the curve, and notes their bounds. */
export class LeafWriter {
  private readonly bounds: Float64Array;
  private readonly bytes = new Uint8Array(LEAF_BYTES);
  private readonly docs = new Uint32Array(this.bytes.buffer, 0, LEAF_POINTS);
  private readonly lats = new Float64Array(this.bytes.buffer, 4 * LEAF_POINTS, LEAF_POINTS);
  private readonly lngs = new Float64Array(this.bytes.buffer, 12 * LEAF_POINTS, LEAF_POINTS);
  private count = 0;
  private boundsAt = -4;

  constructor(bounds: Float64Array) {
    this.bounds = bounds;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get isFull(): boolean {
    return this.count === LEAF_POINTS;
  }

  add(doc: number, lat: number, lng: number): void {
    const { bounds, count } = this;
    if (count === 0) {
      this.boundsAt += 4;
      bounds.set([Infinity, Infinity, -Infinity, -Infinity], this.boundsAt);
    }
    const at = this.boundsAt;
    this.docs[count] = doc;
    this.lats[count] = lat;
    this.lngs[count] = lng;
    this.count = count + 1;
    bounds[at] = Math.min(bounds[at]!, lat);
    bounds[at + 1] = Math.min(bounds[at + 1]!, lng);
    bounds[at + 2] = Math.max(bounds[at + 2]!, lat);
    bounds[at + 3] = Math.max(bounds[at + 3]!, lng);
  }

  /** The leaf, filled up with zeros; valid until the next point is added. */
  take(): Uint8Array {
    for (const list of [this.docs, this.lats, this.lngs]) list.fill(0, this.count);
    this.count = 0;
    return this.bytes;
  }
}

/** The bytes of a segment's points. O(points) */
export function encodeGeoPoints({ docs, lats, lngs }: PlainPoints): Uint8Array {
  const leafCount = Math.ceil(docs.length / LEAF_POINTS);
  let at = GEO_HEADER_BYTES + leafCount * BOUNDS_BYTES;
  const bytes = new Uint8Array(at + leafCount * LEAF_BYTES);
  bytes.set(geoHeader(docs.length));
  const leaf = new LeafWriter(new Float64Array(bytes.buffer, GEO_HEADER_BYTES, leafCount * 4));
  const write = (): void => {
    bytes.set(leaf.take(), at);
    at += LEAF_BYTES;
  };
  for (const point of curveOrder(lats, lngs)) {
    leaf.add(docs[point]!, lats[point]!, lngs[point]!);
    if (leaf.isFull) write();
  }
  if (!leaf.isEmpty) write();
  return bytes;
}

/** The order of points along the curve: radix sort, two bytes of the key at a time. */
function curveOrder(lats: Float64Array, lngs: Float64Array): Uint32Array {
  const count = lats.length;
  const keys = new Uint32Array(count);
  let order = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    keys[i] = curveKeyOf(lats[i]!, lngs[i]!);
    order[i] = i;
  }
  for (const shift of [0, 16]) {
    const starts = new Uint32Array(0x1_0001);
    for (let i = 0; i < count; i++) starts[((keys[i]! >>> shift) & 0xffff) + 1]! += 1;
    for (let i = 1; i < starts.length; i++) starts[i] = starts[i]! + starts[i - 1]!;
    const sorted = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const point = order[i]!;
      const digit = (keys[point]! >>> shift) & 0xffff;
      sorted[starts[digit]!] = point;
      starts[digit]! += 1;
    }
    order = sorted;
  }
  return order;
}

/** The index of a point's cell on the curve. */
export function curveKeyOf(lat: number, lng: number): number {
  return curveKey(cellOf(lng, 180), cellOf(lat, 90));
}

/** The cell along one side of the map; coordinates beyond the map are in the cell at its edge. */
function cellOf(degrees: number, most: number): number {
  return Math.max(0, Math.min(CELL_MAX, Math.floor(((degrees + most) / (2 * most)) * (CELL_MAX + 1))));
}

/** The index of a cell on a Hilbert curve (Hilbert 1891), from the largest square to the smallest. */
function curveKey(column: number, row: number): number {
  let x = column;
  let y = row;
  let key = 0;
  for (let bit = CURVE_BITS - 1; bit >= 0; bit--) {
    const right = (x >>> bit) & 1;
    const up = (y >>> bit) & 1;
    key = (key << 2) | ((3 * right) ^ up);
    if (up === 1) continue;
    if (right === 1) {
      x = CELL_MAX - x;
      y = CELL_MAX - y;
    }
    const before = x;
    x = y;
    y = before;
  }
  return key >>> 0;
}
