import type { CheckInterrupt, DocId } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import { distanceMetres, leastMetres, mostMetres } from '../geo-distance.js';
import type { ColumnView } from '../port.js';
import type { GeoNode, GeoPoints, LeafPoints } from '../reading/geo-points.js';

/** A document's point and its distance to another. */
export interface PointDistance {
  readonly doc: DocId;
  readonly lat: number;
  readonly lng: number;
  /** Metres. */
  readonly distance: number;
}

/** An item of the queue: a point, or a node whose points have no smaller key than the node. */
interface Waiting {
  readonly key: number;
  readonly point?: PointDistance;
  readonly node?: GeoNode;
  readonly points?: GeoPoints;
}

/** Tests documents for membership in a set, by a copy of the set's bits. */
export class PointSet {
  private readonly view: ColumnView;
  private readonly bits: Uint32Array;

  constructor(view: ColumnView, universe: Bitmap) {
    this.view = view;
    this.bits = view.kernel.bitmaps.bits(universe);
  }

  /** Calls `visit` for the points of the leaf whose documents are live and in the set. */
  each(
    { segment }: GeoPoints,
    { docs, lats, lngs }: LeafPoints,
    visit: (doc: DocId, lat: number, lng: number) => void,
  ): void {
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i]!;
      if (((this.bits[doc >>> 5] ?? 0) & (1 << (doc & 31))) === 0) continue;
      if (segment.deleted === 0 || !this.view.kernel.bitmaps.has(segment.deleted, doc)) visit(doc, lats[i]!, lngs[i]!);
    }
  }
}

const nothing: CheckInterrupt = () => undefined;

/**
 * The points of a set's documents, nearest first, or farthest first in descending order; of equal distances the lesser docid first, or
 * the greater. Lazy: a node is expanded when no other item is nearer than its bounds. Looks at each leaf.
 */
export function* nearestPoints(
  view: ColumnView,
  points: readonly GeoPoints[],
  from: { readonly lat: number; readonly lng: number; readonly direction: 'asc' | 'desc' },
  universe: Bitmap,
  checkInterrupt = nothing,
): Generator<PointDistance, void> {
  const { lat, lng } = from;
  const sign = from.direction === 'asc' ? 1 : -1;
  const set = new PointSet(view, universe);
  const queue = new WaitingQueue(sign);
  const add = (owner: GeoPoints, nodes: readonly GeoNode[]): void => {
    for (const node of nodes) {
      const bounds = owner.bounds(node);
      const key = sign === 1 ? leastMetres(lat, lng, bounds) : -mostMetres(lat, lng, bounds);
      queue.push({ key, node, points: owner });
    }
  };
  for (const owner of points) add(owner, owner.roots());
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { point, node, points: owner } = next;
    if (point !== undefined) yield point;
    else if (node!.level > 0) add(owner!, owner!.children(node!));
    else {
      checkInterrupt();
      set.each(owner!, owner!.leaf(node!.index), (doc, pointLat, pointLng) => {
        const distance = distanceMetres(lat, lng, pointLat, pointLng);
        queue.push({ key: distance * sign, point: { doc, lat: pointLat, lng: pointLng, distance } });
      });
    }
  }
}

/** All points of a set's documents, ascending by docid. O(points) */
export function allPoints(
  view: ColumnView,
  points: readonly GeoPoints[],
  { lat, lng }: { readonly lat: number; readonly lng: number },
  universe: Bitmap,
): PointDistance[] {
  const set = new PointSet(view, universe);
  const found: PointDistance[] = [];
  for (const owner of points)
    for (const leaf of owner.leavesWithin(() => true))
      set.each(owner, leaf, (doc, pointLat, pointLng) => {
        const distance = distanceMetres(lat, lng, pointLat, pointLng);
        found.push({ doc, lat: pointLat, lng: pointLng, distance });
      });
  return found.sort((a, b) => a.doc - b.doc);
}

/** A binary heap, the least key first; nodes precede points of the same key. */
class WaitingQueue {
  private readonly sign: 1 | -1;
  private readonly items: Waiting[] = [];

  constructor(sign: 1 | -1) {
    this.sign = sign;
  }

  push(item: Waiting): void {
    const items = this.items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.isBefore(item, items[above]!)) break;
      items[at] = items[above]!;
      at = above;
    }
    items[at] = item;
  }

  pop(): Waiting | undefined {
    const items = this.items;
    const [top] = items;
    const last = items.pop();
    if (top === undefined || last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = at * 2 + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && this.isBefore(items[below + 1]!, items[below]!)) below += 1;
      if (!this.isBefore(items[below]!, last)) break;
      items[at] = items[below]!;
      at = below;
    }
    items[at] = last;
    return top;
  }

  private isBefore(left: Waiting, right: Waiting): boolean {
    if (left.key !== right.key) return left.key < right.key;
    if (left.point === undefined || right.point === undefined) return left.point === undefined;
    return (left.point.doc - right.point.doc) * this.sign < 0;
  }
}
