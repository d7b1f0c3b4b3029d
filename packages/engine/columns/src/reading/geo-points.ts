import type { DocIds } from '@fossick/base';
import { type EvictingMemory, type HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';
import { copyOfSpan, type StoredBytes, storedInMemory } from '../bytes/column-spans.js';
import { BOUNDS_BYTES, GEO_HEADER_BYTES, geoPointCount, LEAF_BYTES, LEAF_POINTS } from '../bytes/geo-points-format.js';
import type { GeoBounds } from '../geo-distance.js';
import type { ColumnHome } from './column-reader.js';

/** The number of children of a node. */
const NODE_FANOUT = 16;
/** Consecutive leaves that are read together: one row of the store. */
const LEAVES_PER_READ = 48;

/** Points of one leaf, as parallel arrays. */
export interface LeafPoints {
  readonly docs: DocIds;
  readonly lats: Float64Array;
  readonly lngs: Float64Array;
}

/** The tree over the leaves, in memory: bounds of the nodes of each level, leaves first. */
class GeoTree implements HeldMemory {
  /** The stored leaves. */
  readonly stored: StoredBytes;
  readonly kind = 'columns';
  readonly byteCount: number;
  readonly levels: readonly Float64Array[];

  constructor(stored: StoredBytes, ownBytes: number) {
    this.stored = stored;
    const pointCount = geoPointCount(new Uint32Array(copyOfSpan(stored, 0, GEO_HEADER_BYTES).buffer));
    const leafCount = Math.ceil(pointCount / LEAF_POINTS);
    const end = GEO_HEADER_BYTES + leafCount * BOUNDS_BYTES;
    const levels: Float64Array[] = [new Float64Array(copyOfSpan(stored, GEO_HEADER_BYTES, end).buffer)];
    while (levels.at(-1)!.length > 4 * NODE_FANOUT) levels.push(levelAbove(levels.at(-1)!));
    this.levels = levels;
    this.pointCount = pointCount;
    this.byteCount = ownBytes + levels.reduce((sum, level) => sum + level.byteLength, 0);
  }

  readonly pointCount: number;

  free(): void {}
}

/** A node of a tree: its level (0: a leaf) and index. */
export interface GeoNode {
  readonly level: number;
  readonly index: number;
}

/**
 * The points of one segment as a tree. Bounds are in memory, leaves are read on demand. Segments of earlier releases lack the part:
 * their tree is built once from their columns.
 */
export class GeoPoints {
  readonly segment: ColumnHome;
  private readonly tree: HeldOnDemand<GeoTree>;

  constructor(segment: ColumnHome, memory: EvictingMemory, source: StoredBytes | (() => Uint8Array)) {
    this.segment = segment;
    this.tree = new HeldOnDemand(memory, () => {
      if (typeof source !== 'function') return new GeoTree(source, 0);
      const bytes = source();
      return new GeoTree(storedInMemory(bytes), bytes.length);
    });
  }

  /** The root nodes. */
  roots(): GeoNode[] {
    const { levels } = this.tree.load();
    const level = levels.length - 1;
    return Array.from({ length: levels[level]!.length / 4 }, (_, index) => ({ level, index }));
  }

  /** The children of an inner node. */
  children({ level, index }: GeoNode): GeoNode[] {
    const below = this.tree.load().levels[level - 1]!.length / 4;
    const from = index * NODE_FANOUT;
    const count = Math.min(NODE_FANOUT, below - from);
    return Array.from({ length: count }, (_, i) => ({ level: level - 1, index: from + i }));
  }

  bounds({ level, index }: GeoNode): GeoBounds {
    const all = this.tree.load().levels[level]!;
    const at = index * 4;
    return { minLat: all[at]!, minLng: all[at + 1]!, maxLat: all[at + 2]!, maxLng: all[at + 3]! };
  }

  /** Points of a leaf. */
  leaf(index: number): LeafPoints {
    const [points] = this.read(index, index + 1);
    return points!;
  }

  /** Points of all leaves below nodes whose bounds are wanted, leaf by leaf. O(points of these leaves + visited nodes) */
  *leavesWithin(isWanted: (bounds: GeoBounds) => boolean): Generator<LeafPoints, void> {
    let [from, to] = [0, 0];
    for (const index of this.leaves(this.roots(), isWanted)) {
      if (index === to && to - from < LEAVES_PER_READ) to += 1;
      else {
        yield* this.read(from, to);
        [from, to] = [index, index + 1];
      }
    }
    yield* this.read(from, to);
  }

  close(): void {
    this.tree.drop();
  }

  /** Indexes of leaves, ascending. */
  private *leaves(nodes: readonly GeoNode[], isWanted: (bounds: GeoBounds) => boolean): Generator<number, void> {
    for (const node of nodes) {
      if (!isWanted(this.bounds(node))) continue;
      if (node.level === 0) yield node.index;
      else yield* this.leaves(this.children(node), isWanted);
    }
  }

  private read(from: number, to: number): LeafPoints[] {
    if (from >= to) return [];
    const { stored, levels, pointCount } = this.tree.load();
    const start = GEO_HEADER_BYTES + levels[0]!.byteLength;
    const { buffer } = copyOfSpan(stored, start + from * LEAF_BYTES, start + to * LEAF_BYTES);
    return Array.from({ length: to - from }, (_, i) => {
      const at = i * LEAF_BYTES;
      const count = Math.min(LEAF_POINTS, pointCount - (from + i) * LEAF_POINTS);
      return {
        docs: new Uint32Array(buffer, at, count) as DocIds,
        lats: new Float64Array(buffer, at + 4 * LEAF_POINTS, count),
        lngs: new Float64Array(buffer, at + 12 * LEAF_POINTS, count),
      };
    });
  }
}

function levelAbove(level: Float64Array): Float64Array {
  const count = Math.ceil(level.length / 4 / NODE_FANOUT);
  const above = new Float64Array(count * 4);
  for (let node = 0; node < count; node++) {
    let [minLat, minLng, maxLat, maxLng] = [Infinity, Infinity, -Infinity, -Infinity];
    const end = Math.min(level.length, (node + 1) * NODE_FANOUT * 4);
    for (let at = node * NODE_FANOUT * 4; at < end; at += 4) {
      [minLat, minLng] = [Math.min(minLat, level[at]!), Math.min(minLng, level[at + 1]!)];
      [maxLat, maxLng] = [Math.max(maxLat, level[at + 2]!), Math.max(maxLng, level[at + 3]!)];
    }
    above.set([minLat, minLng, maxLat, maxLng], node * 4);
  }
  return above;
}
