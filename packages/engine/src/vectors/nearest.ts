/** Exact nearest neighbours: every candidate is looked at (spec 11 section 13). */
import type { Ptr } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import { cosineDistance, type DistanceTo, signDistance } from './similarity.js';

/** What documents are compared with. */
export interface VectorTarget {
  readonly embedder: string;
  /**
   * All of one size. The first is compared with the first vector of a document, the second with its second and so on, as
   * the reference engine does between documents; a single vector with `isAnyVector` is compared with all of them. The
   * nearest pair counts.
   */
  readonly vectors: readonly Float32Array[];
  readonly isAnyVector: boolean;
  readonly isQuantized: boolean;
  readonly similarityOf: (distance: number) => number;
}
export interface Neighbour {
  readonly docId: number;
  /** 0 (the same direction) to 1. */
  readonly distance: number;
}

/**
 * Candidates with vectors, nearest first, equals by docid. Distances are measured once; what is nearest is picked in
 * batches, each by a heap of its size. A graph may take this class's place for large indexes.
 */
export class NearestDocuments {
  private readonly docIds: Uint32Array;
  private readonly distances: Float32Array;
  private batch: Neighbour[] = [];
  private at = 0;
  private last: Neighbour | null = null;

  /** O(vectors of the candidates * dimensions). */
  constructor(
    view: IndexView,
    target: VectorTarget,
    candidates: Ptr,
    private batchSize: number,
  ) {
    const found = measured(view, target, candidates);
    this.docIds = found.docIds;
    this.distances = found.distances;
  }

  /** The next one without taking it; null once all are out. A new batch costs O(candidates * log batchSize). */
  peek(): Neighbour | null {
    if (this.at === this.batch.length) {
      this.batch = this.nextBatch();
      this.at = 0;
    }
    return this.batch[this.at] ?? null;
  }

  take(): Neighbour | null {
    const next = this.peek();
    if (next === null) return null;
    this.at += 1;
    this.last = next;
    return next;
  }

  /** All documents whose distance is one that `isNear` takes, in no order, taken ones included. O(candidates). */
  *within(isNear: (distance: number) => boolean): Generator<number, void> {
    for (let place = 0; place < this.docIds.length; place++)
      if (isNear(this.distances[place]!)) yield this.docIds[place]!;
  }

  private nextBatch(): Neighbour[] {
    const heap = new FarthestHeap(Math.max(1, this.batchSize));
    // who goes on past what was expected goes far: each document is looked at O(log candidates) times
    this.batchSize *= 2;
    const { docIds, distances } = this;
    const last = this.last;
    for (let place = 0; place < docIds.length; place++) {
      const docId = docIds[place]!;
      const distance = distances[place]!;
      if (last !== null && !isFarther(distance, docId, last)) continue;
      heap.offer(distance, docId);
    }
    return heap.sorted();
  }
}

function isFarther(distance: number, docId: number, than: Neighbour): boolean {
  return distance > than.distance || (distance === than.distance && docId > than.docId);
}

/** Keeps the nearest of all that it is offered; the farthest kept is at the root. */
class FarthestHeap {
  private readonly kept: Neighbour[] = [];

  constructor(private readonly size: number) {}

  /** O(log size). */
  offer(distance: number, docId: number): void {
    const { kept } = this;
    if (kept.length < this.size) {
      kept.push({ docId, distance });
      this.rise(kept.length - 1);
      return;
    }
    if (isFarther(distance, docId, kept[0]!)) return;
    kept[0] = { docId, distance };
    this.sink();
  }

  sorted(): Neighbour[] {
    return this.kept.sort((a, b) => a.distance - b.distance || a.docId - b.docId);
  }

  private rise(from: number): void {
    const { kept } = this;
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      const { distance, docId } = kept[at]!;
      if (!isFarther(distance, docId, kept[parent]!)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private sink(): void {
    const { kept } = this;
    for (let at = 0; ; ) {
      let farthest = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const other = kept[child];
        if (other !== undefined && isFarther(other.distance, other.docId, kept[farthest]!)) farthest = child;
      }
      if (farthest === at) return;
      this.swap(at, farthest);
      at = farthest;
    }
  }

  private swap(a: number, b: number): void {
    const held = this.kept[a]!;
    this.kept[a] = this.kept[b]!;
    this.kept[b] = held;
  }
}

interface Measured {
  readonly docIds: Uint32Array;
  /** Of each docid, from its nearest vector. */
  readonly distances: Float32Array;
}

function measured(
  view: IndexView,
  { embedder, vectors, isAnyVector, isQuantized }: VectorTarget,
  candidates: Ptr,
): Measured {
  const { kernel } = view;
  const dimCount = vectors[0]?.length ?? 0;
  const measures = vectors.map(isQuantized ? signDistance : cosineDistance);
  const tables = view.segments.flatMap((segment) => {
    const table = segment.vectors(embedder, dimCount);
    return table === undefined ? [] : [{ table, dead: segment.dead }];
  });
  const room = tables.reduce((sum, { table }) => sum + table.docIds.length, 0);
  const docIds = new Uint32Array(room);
  const distances = new Float32Array(room);
  let count = 0;
  for (const { table, dead } of tables) {
    const { docIds: owners, values } = table;
    for (let place = 0; place < owners.length; ) {
      const docId = owners[place]!;
      let end = place + 1;
      while (owners[end] === docId) end += 1;
      if (kernel.has(candidates, docId) && (dead === 0 || !kernel.has(dead, docId))) {
        docIds[count] = docId;
        const at = { values, from: place * dimCount, to: end * dimCount, dimCount };
        distances[count] = isAnyVector ? nearestOf(measures[0]!, at) : nearestPair(measures, at);
        count += 1;
      }
      place = end;
    }
  }
  return { docIds: docIds.subarray(0, count), distances: distances.subarray(0, count) };
}

/** The vectors of one document. */
interface Span {
  readonly values: Float32Array;
  readonly from: number;
  readonly to: number;
  readonly dimCount: number;
}

function nearestOf(measure: DistanceTo, { values, from, to, dimCount }: Span): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let at = from; at < to; at += dimCount) nearest = Math.min(nearest, measure(values, at));
  return nearest;
}

function nearestPair(measures: readonly DistanceTo[], { values, from, to, dimCount }: Span): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let at = from, place = 0; at < to && place < measures.length; at += dimCount, place++)
    nearest = Math.min(nearest, measures[place]!(values, at));
  return nearest;
}
