import type { CheckInterrupt, DocId, DocIds } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import { geoPoints } from '../column-readers.js';
import { type PointDistance, PointSet } from '../geo/geo-nearest.js';
import { distanceMetres } from '../geo-distance.js';
import type { ColumnView } from '../port.js';
import { DocNumbers } from './doc-numbers.js';
import { bucketsOf, EXACT_ORDER_MIN, type GeoEntry, orderedPoints, sortPoints } from './geo-order.js';

/** Coordinates at first; doubled as needed. */
const FIRST_CAPACITY = 1_024;

/**
 * Sorts sets of documents by their distance from one point after another. Coordinates are read from the index once: later entries compute distances
 * of the documents of their sets only. Takes up to 4 bytes for each document of the index, and 16 for each one that was asked for. Its bitmaps are
 * in the scratch memory of the caller.
 */
export class SortPoints {
  private readonly view: ColumnView;
  private readonly checkInterrupt: CheckInterrupt;
  /** Documents whose points were read, and those of them that have one. */
  private readonly known: Bitmap;
  private readonly located: Bitmap;
  private readonly slots: DocNumbers;
  /** Latitude and longitude by slot. */
  private coordinates = new Float64Array(2 * FIRST_CAPACITY);
  private slotCount = 0;

  /** @param look called again and again; it may throw */
  constructor(view: ColumnView, checkInterrupt: CheckInterrupt) {
    this.view = view;
    this.checkInterrupt = checkInterrupt;
    this.known = view.kernel.bitmaps.create(view.bitCount);
    this.located = view.kernel.bitmaps.create(view.bitCount);
    this.slots = new DocNumbers(view.bitCount);
  }

  /**
   * Buckets in the order of the entry, found lazily where there are many; documents without a point are in none of them. The caller may take
   * documents that it was given out of the universe, and no others.
   */
  *buckets(entry: GeoEntry, universe: Bitmap): Generator<readonly DocId[], void> {
    const { bitmaps } = this.view.kernel;
    if (bitmaps.count(universe) < EXACT_ORDER_MIN) this.read(universe);
    if (!this.knowsAll(universe)) yield* this.walk(entry, universe);
    else yield* this.sorted(entry, this.locatedOf(universe));
  }

  /** All buckets of documents whose points were read, those without one at the end. */
  *bucketsOfKnown(entry: GeoEntry, docs: DocIds): Generator<readonly DocId[], void> {
    yield* this.sorted(entry, docs);
    const others = [...docs].filter((doc) => this.slots.get(doc) < 0);
    if (others.length > 0) yield others;
  }

  /** Reads the points of these documents, unless that was done before. O(points of the index), in the latter case O(documents / 64) */
  read(universe: Bitmap): void {
    if (this.knowsAll(universe)) return;
    const set = new PointSet(this.view, universe);
    for (const points of geoPoints(this.view))
      for (const leaf of points.leavesWithin(() => true)) {
        this.checkInterrupt();
        set.each(points, leaf, (doc, lat, lng) => this.add(doc, lat, lng));
      }
    this.view.kernel.bitmaps.or(this.known, universe);
  }

  private *sorted(entry: GeoEntry, docs: DocIds): Generator<readonly DocId[], void> {
    const points: PointDistance[] = [];
    for (const doc of docs) {
      const slot = this.slots.get(doc);
      if (slot < 0) continue;
      const [lat, lng] = [this.coordinates[2 * slot]!, this.coordinates[2 * slot + 1]!];
      points.push({ doc, lat, lng, distance: distanceMetres(entry.lat, entry.lng, lat, lng) });
    }
    for (const bucket of bucketsOf(sortPoints(points, entry, this.checkInterrupt))) yield docsOf(bucket);
  }

  /** Finds the points of a large set as they are asked for, and remembers them. */
  private *walk(entry: GeoEntry, universe: Bitmap): Generator<readonly DocId[], void> {
    const { bitmaps } = this.view.kernel;
    for (const bucket of bucketsOf(orderedPoints(this.view, entry, universe, this.checkInterrupt))) {
      for (const { doc, lat, lng } of bucket) {
        this.add(doc, lat, lng);
        bitmaps.set(this.known, doc);
      }
      yield docsOf(bucket);
    }
    // what is left has no points
    bitmaps.or(this.known, universe);
  }

  private add(doc: DocId, lat: number, lng: number): void {
    if (this.slots.get(doc) >= 0) return;
    this.view.kernel.bitmaps.set(this.located, doc);
    const slot = this.slotCount;
    this.slotCount += 1;
    this.slots.set(doc, slot);
    if (2 * slot === this.coordinates.length) {
      const wider = new Float64Array(2 * this.coordinates.length);
      wider.set(this.coordinates);
      this.coordinates = wider;
    }
    this.coordinates[2 * slot] = lat;
    this.coordinates[2 * slot + 1] = lng;
  }

  private knowsAll(universe: Bitmap): boolean {
    const { bitmaps } = this.view.kernel;
    return bitmaps.intersectionCount(universe, this.known) === bitmaps.count(universe);
  }

  private locatedOf(universe: Bitmap): DocIds {
    const { bitmaps, memory } = this.view.kernel;
    const mark = memory.mark();
    const found = bitmaps.copy(universe);
    bitmaps.and(found, this.located);
    const docs = bitmaps.members(found, 0, this.view.bitCount);
    memory.release(mark);
    return docs;
  }
}

const docsOf = (points: readonly PointDistance[]): DocId[] => points.map(({ doc }) => doc);
