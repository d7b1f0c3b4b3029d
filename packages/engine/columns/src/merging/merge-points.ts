import type { DocId } from '@fossick/base';
import { copyOfSpan, type StoredBytes } from '../bytes/column-spans.js';
import {
  BOUNDS_BYTES,
  curveKeyOf,
  GEO_HEADER_BYTES,
  geoHeader,
  geoPointCount,
  LEAF_BYTES,
  LEAF_POINTS,
  LeafWriter,
} from '../bytes/geo-points-format.js';

/** Leaves of an input that are in memory at a time. */
const LEAVES_PER_READ = 64;

export interface GeoInput {
  readonly stored: StoredBytes;
  /** Undefined when no document is deleted. */
  readonly isDeleted: ((docId: DocId) => boolean) | undefined;
}

/**
 * Points of several segments as those of one, without deleted documents. Those of a segment are in the order of the curve, so
 * they are merged leaf by leaf; only bounds are held for all of them.
 */
export class GeoPointsMerge {
  private readonly inputs: readonly GeoInput[];
  private readonly pointCount: number;
  private readonly bounds: Float64Array;

  /** O(points of inputs with deleted documents) */
  constructor(inputs: readonly GeoInput[]) {
    this.inputs = inputs;
    this.pointCount = inputs.reduce((sum, input) => sum + liveCount(input), 0);
    this.bounds = new Float64Array((Math.ceil(this.pointCount / LEAF_POINTS) * BOUNDS_BYTES) / 8);
  }

  /** Bytes before the leaves. */
  get headBytes(): number {
    return GEO_HEADER_BYTES + this.bounds.byteLength;
  }

  /** The bytes before the leaves, once all leaves were made. */
  head(): Uint8Array {
    const head = new Uint8Array(this.headBytes);
    head.set(geoHeader(this.pointCount));
    head.set(new Uint8Array(this.bounds.buffer), GEO_HEADER_BYTES);
    return head;
  }

  /** The leaves in order; each is valid until the next one. O(points * inputs) */
  *leaves(): Generator<Uint8Array, void> {
    const streams = this.inputs.map((input) => new PointStream(input)).filter((stream) => stream.advance());
    const leaf = new LeafWriter(this.bounds);
    while (streams.length > 0) {
      let least = streams[0]!;
      for (const stream of streams)
        if (stream.key < least.key || (stream.key === least.key && stream.doc < least.doc)) least = stream;
      leaf.add(least.doc, least.lat, least.lng);
      if (leaf.isFull) yield leaf.take();
      if (!least.advance()) streams.splice(streams.indexOf(least), 1);
    }
    if (!leaf.isEmpty) yield leaf.take();
  }
}

function liveCount({ stored, isDeleted }: GeoInput): number {
  if (isDeleted === undefined) return countOf(stored);
  let count = 0;
  for (const stream = new PointStream({ stored, isDeleted }); stream.advance(); ) count += 1;
  return count;
}

function countOf(stored: StoredBytes): number {
  return geoPointCount(new Uint32Array(copyOfSpan(stored, 0, GEO_HEADER_BYTES).buffer));
}

/** The live points of one input, one by one. */
class PointStream {
  private readonly input: GeoInput;
  private readonly pointCount: number;
  private readonly leavesAt: number;
  private buffer = new ArrayBuffer(0);
  private next = 0;
  doc = 0;
  lat = 0;
  lng = 0;
  /** The index of the point's cell on the curve. */
  key = 0;

  constructor(input: GeoInput) {
    this.input = input;
    this.pointCount = countOf(input.stored);
    this.leavesAt = GEO_HEADER_BYTES + Math.ceil(this.pointCount / LEAF_POINTS) * BOUNDS_BYTES;
  }

  private docs = new Uint32Array(0);
  private lats = new Float64Array(0);
  private lngs = new Float64Array(0);

  /** False at the end. */
  advance(): boolean {
    const { isDeleted } = this.input;
    while (this.next < this.pointCount) {
      const at = this.next % LEAF_POINTS;
      if (at === 0) this.openLeaf(this.next / LEAF_POINTS);
      this.next += 1;
      this.doc = this.docs[at]!;
      if (isDeleted?.(this.doc as DocId) === true) continue;
      this.lat = this.lats[at]!;
      this.lng = this.lngs[at]!;
      this.key = curveKeyOf(this.lat, this.lng);
      return true;
    }
    return false;
  }

  private openLeaf(leaf: number): void {
    const inRead = leaf % LEAVES_PER_READ;
    if (inRead === 0) {
      const end = Math.min(leaf + LEAVES_PER_READ, Math.ceil(this.pointCount / LEAF_POINTS));
      const { stored } = this.input;
      this.buffer = copyOfSpan(stored, this.leavesAt + leaf * LEAF_BYTES, this.leavesAt + end * LEAF_BYTES).buffer;
    }
    const at = inRead * LEAF_BYTES;
    this.docs = new Uint32Array(this.buffer, at, LEAF_POINTS);
    this.lats = new Float64Array(this.buffer, at + 4 * LEAF_POINTS, LEAF_POINTS);
    this.lngs = new Float64Array(this.buffer, at + 12 * LEAF_POINTS, LEAF_POINTS);
  }
}
