/** Nearest neighbours of a query among the documents of an index. */
import type { DocId } from '@fossick/base';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import { cosineDistance, type DistanceTo, signDistance, signShare } from '../graph/distance.js';
import type { VectorReader } from './vector-reader.js';

/** The part of a view that vector searches use. */
export interface VectorView {
  readonly kernel: Kernel;
  /** Live documents of the index. */
  readonly documentCount: number;
  readonly segments: readonly VectorSegment[];
}

/** The vectors of one segment. */
export interface VectorSegment {
  /** Bitmap of documents that were deleted or rewritten since; 0: none. */
  readonly deleted: Bitmap | None;
  /** Vectors of one dimension under a name, or undefined when no document of the segment has one. */
  vectors(name: string, dimCount: number, isQuantized: boolean): VectorReader | undefined;
}

/** The vectors that documents are compared with. */
export interface VectorTarget {
  readonly embedder: string;
  /**
   * All of one dimension. The first is compared with the first vector of a document, the second with its second and so
   * on, as in the reference engine's similar search; a single vector with `isAnyVector` is compared with all of them.
   * The nearest pair counts.
   */
  readonly vectors: readonly Float32Array[];
  readonly isAnyVector: boolean;
  readonly isQuantized: boolean;
  readonly similarityOf: (distance: number) => number;
}
export interface Neighbour {
  readonly docId: DocId;
  /** 0 (the same direction) to 1. */
  readonly distance: number;
}

/** How many times more documents the next look-up finds when the last one did not suffice. */
const FURTHER = 8;
/** Candidates that a walk must find for each requested document: byte codes order nearly equal distances only roughly. */
const MEASURED_PER_DOCUMENT = 1.25;
const MEASURED_MORE = 6;
/**
 * The share of the codes' maximum error that is assumed for candidates: three standard deviations. One candidate in seven hundred is nearer than that, and it
 * is missed only if it ranks directly after the last requested one.
 */
const ERROR_SHARE = 0.6;
/** Up to this many vectors in memory are all compared exactly: that is cheaper than selecting some. A row to read costs some microseconds. */
const AT_HAND_MIN = 256;

/** A vector that is probably near, judged by its code. */
interface Candidate {
  readonly vectors: VectorReader;
  readonly node: number;
  /** The row of its numbers: vectors of one row are read together. */
  readonly row: number;
  readonly distance: number;
  /** An approximate lower bound of the exact distance. */
  readonly least: number;
}

/**
 * Candidates with vectors, nearest first, ties by docid. A look-up finds candidates by their codes, segment by segment, and computes their exact distances;
 * when more are requested, the next one goes further, at last to all.
 */
export class NearestDocuments {
  private readonly target: VectorTarget;
  private readonly candidates: Bitmap;
  private readonly view: VectorView;
  private readonly measures: readonly DistanceTo[];
  private readonly segments: readonly { readonly vectors: VectorReader; readonly deleted: Bitmap | None }[];
  /** Exact distances, by docid. */
  private readonly known = new Map<DocId, number>();
  private readonly taken = new Set<DocId>();
  private list: Neighbour[] = [];
  private at = 0;
  /** Number of documents at the start of the list that no further look-up would precede. */
  private finalCount = 0;
  private isAll = false;
  /** The number of documents that the next look-up finds. */
  private next: number;

  /**
   * @param batchSize how many documents will probably be requested
   */
  constructor(view: VectorView, target: VectorTarget, candidates: Bitmap, batchSize: number) {
    this.target = target;
    this.candidates = candidates;
    this.view = view;
    // one more, because the caller tests whether the document after the last is as near
    this.next = Math.max(1, batchSize) + 1;
    const { embedder, vectors, isQuantized } = target;
    this.measures = vectors.map(isQuantized ? signDistance : cosineDistance);
    const dimCount = vectors[0]?.length ?? 0;
    this.segments = view.segments.flatMap((segment) => {
      const open = segment.vectors(embedder, dimCount, isQuantized);
      return open === undefined ? [] : [{ vectors: open, deleted: segment.deleted }];
    });
    this.isAll = this.segments.length === 0;
  }

  /** The next document without consuming it; null at the end. */
  peek(): Neighbour | null {
    while (this.at >= this.finalCount && !this.isAll) this.lookFurther();
    return this.list[this.at] ?? null;
  }

  take(): Neighbour | null {
    const next = this.peek();
    if (next === null) return null;
    this.at += 1;
    this.taken.add(next.docId);
    return next;
  }

  /** All documents whose distance satisfies `isNear`, unordered, consumed ones included: looks further until none does. */
  *within(isNear: (distance: number) => boolean): Generator<DocId, void> {
    const isNearAtEnd = (): boolean => {
      const last = this.list[this.finalCount - 1];
      return last === undefined || isNear(last.distance);
    };
    while (!this.isAll && isNearAtEnd()) this.lookFurther();
    for (const [docId, distance] of this.known) if (isNear(distance)) yield docId;
  }

  /** O(segments * (walk or scan + exact comparisons * dimensions)). */
  private lookFurther(): void {
    const wanted = this.next;
    this.next *= FURTHER;
    const limit = Math.ceil(wanted * MEASURED_PER_DOCUMENT) + MEASURED_MORE;
    let isAll = true;
    const { kernel, documentCount } = this.view;
    // when every document counts, no vector's document needs to be tested
    const within: Bitmap | None = kernel.bitmaps.count(this.candidates) === documentCount ? 0 : this.candidates;
    for (const query of this.target.vectors) {
      const inRows: Candidate[] = [];
      for (const { vectors, deleted } of this.segments) {
        const scope = { within, without: deleted !== 0 && kernel.bitmaps.isEmpty(deleted) ? 0 : deleted };
        const found = vectors.candidates(query, vectors.isAtHand ? Math.max(limit, AT_HAND_MIN) : limit, scope);
        isAll &&= found.isAll;
        const { nodes, distances } = found;
        const leastOf = vectors.isAtHand ? null : this.leastOf(vectors, query);
        for (let at = 0; at < nodes.length; at++) {
          const [node, distance] = [nodes[at]!, distances[at]!];
          if (leastOf === null) this.measure(vectors, node);
          else inRows.push({ vectors, node, row: vectors.rowOf(node), distance, least: leastOf(node, distance) });
        }
      }
      inRows.sort((left, right) => left.distance - right.distance);
      if (this.measureNearest(inRows.slice(0, 2 * limit), wanted) < inRows.length) isAll = false;
    }
    this.isAll = isAll;
    const rest = [...this.known].filter(([docId]) => !this.taken.has(docId));
    this.list = rest.map(([docId, distance]) => ({ docId, distance })).sort(byDistance);
    this.at = 0;
    this.finalCount = isAll ? this.list.length : finalCountOf(this.list, Math.max(0, wanted - this.taken.size));
  }

  /**
   * Computes exact distances of candidates, the nearest first, until the rest cannot be among the nearest `wanted` documents;
   * returns how many.
   */
  private measureNearest(candidates: readonly Candidate[], wanted: number): number {
    const nearest = [...this.known.values()].sort((left, right) => left - right);
    const isMeasured = new Uint8Array(candidates.length);
    for (let at = 0; at < candidates.length; at++) {
      if (nearest.length >= wanted && candidates[at]!.least > nearest[wanted - 1]!) return at;
      if (isMeasured[at] === 1) continue;
      for (const distance of this.measureRow(candidates, at, isMeasured)) {
        let index = nearest.length;
        while (index > 0 && nearest[index - 1]! > distance) index -= 1;
        nearest.splice(index, 0, distance);
      }
    }
    return candidates.length;
  }

  /** Computes the exact distances of a candidate and of later ones in the same row, because reading a row costs more than some distances. */
  private measureRow(candidates: readonly Candidate[], from: number, isMeasured: Uint8Array): readonly number[] {
    const { vectors, row } = candidates[from]!;
    const nodes: number[] = [];
    for (let at = from; at < candidates.length; at++) {
      const other = candidates[at]!;
      if (other.row !== row || other.vectors !== vectors) continue;
      isMeasured[at] = 1;
      nodes.push(other.node);
    }
    const measured: number[] = [];
    vectors.readRow(row, nodes, (node, values) => {
      const distance = this.measure(vectors, node, values);
      if (distance !== undefined) measured.push(distance);
    });
    return measured;
  }

  /** An approximate lower bound of the exact distance of a candidate, by the distance of its code. */
  private leastOf(vectors: VectorReader, query: Float32Array): (node: number, distance: number) => number {
    if (this.target.isQuantized) return (_, distance) => signShare(distance, query.length);
    const errorOf = vectors.codeError(query);
    return (node, distance) => (distance - ERROR_SHARE * errorOf(node)) / 2;
  }

  /** The exact distance of a document, by all of its vectors; undefined when it is known already. */
  private measure(vectors: VectorReader, node: number, values = vectors.vectorsAround(node)): number | undefined {
    const docId = vectors.docIdOf(node);
    if (this.known.has(docId)) return undefined;
    const { measures, target } = this;
    const dimCount = target.vectors[0]!.length;
    let nearest = Number.POSITIVE_INFINITY;
    for (let at = 0, index = 0; at < values.length; at += dimCount, index++) {
      const measure = target.isAnyVector ? measures[0] : measures[index];
      if (measure !== undefined) nearest = Math.min(nearest, measure(values, at));
    }
    this.known.set(docId, nearest);
    return nearest;
  }
}

function byDistance(left: Neighbour, right: Neighbour): number {
  return left.distance - right.distance || left.docId - right.docId;
}

/** At least `count`, plus ties of the last of them. */
function finalCountOf(list: readonly Neighbour[], count: number): number {
  let sure = Math.min(count, list.length);
  while (sure > 0 && sure < list.length && list[sure]!.distance === list[sure - 1]!.distance) sure += 1;
  return sure;
}
