/** Nearest neighbours of a query among the documents of an index. */
import type { DocId } from '@fossick/base';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import { cosineDistance, type DistanceTo, signDistance, signShare } from '../graph/distance.js';
import { DistancePairs } from './distance-pairs.js';
import { LeastDistances } from './least-distances.js';
import type { VectorReader } from './vector-reader.js';

const LAST = -1;

/** Documents whose exact distance is known: 8 bytes for each, and a bit for each docid up to the last. */
class MeasuredDocuments {
  private readonly pairs = new DistancePairs(0);
  private bits = new Uint32Array(0);

  get count(): number {
    return this.pairs.count;
  }

  has(docId: DocId): boolean {
    return ((this.bits[docId >>> 5] ?? 0) & (1 << (docId & 31))) !== 0;
  }

  /** The document must be new. */
  add(docId: DocId, distance: number): void {
    const word = docId >>> 5;
    if (word >= this.bits.length) {
      const { bits } = this;
      this.bits = new Uint32Array(Math.max(word + 1, 2 * bits.length));
      this.bits.set(bits);
    }
    this.bits[word]! |= 1 << (docId & 31);
    this.pairs.add(distance, docId);
  }

  /** Documents are in the order of their addition. */
  docIdAt(at: number): DocId {
    return this.pairs.itemAt(at) as DocId;
  }

  distanceAt(at: number): number {
    return this.pairs.distanceAt(at);
  }
}

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

/** Vectors between two looks at the clock: reading the row of each may take some microseconds. */
const STEPS = 64;

/**
 * Candidates with vectors, nearest first, ties by docid. A look-up finds candidates by their codes, segment by segment, and computes their exact distances;
 * when more are requested, the next one goes further, at last to all. All look-ups together are O(documents * log documents), besides the comparisons of
 * vectors. They call the kernel's `onPause` now and then, which may throw and so end them.
 */
export class NearestDocuments {
  private readonly target: VectorTarget;
  private readonly candidates: Bitmap;
  private readonly view: VectorView;
  private readonly measures: readonly DistanceTo[];
  private readonly segments: readonly { readonly vectors: VectorReader; readonly deleted: Bitmap | None }[];
  private readonly known = new MeasuredDocuments();
  /** The known documents that were not consumed before the last look-up, nearest first. */
  private list = new DistancePairs(0);
  private at = 0;
  private takenCount = 0;
  /** How many of the known documents are in the list, or were. */
  private listedCount = 0;
  private steps = 0;
  /** Number of documents at the start of the list that no further look-up would precede. */
  private finalCount = 0;
  private isAll = false;
  /** The number of documents that the next look-up finds. */
  private next: number;

  /** @param batchSize how many documents will probably be requested */
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
    if (this.at >= this.list.count) return null;
    return { docId: this.list.itemAt(this.at) as DocId, distance: this.list.distanceAt(this.at) };
  }

  take(): Neighbour | null {
    const next = this.peek();
    if (next === null) return null;
    this.at += 1;
    this.takenCount += 1;
    return next;
  }

  /** All documents whose distance satisfies `isNear`, unordered, consumed ones included: looks further until none does. */
  *within(isNear: (distance: number) => boolean): Generator<DocId, void> {
    const { known } = this;
    const isNearAtEnd = (): boolean => this.finalCount === 0 || isNear(this.list.distanceAt(this.finalCount - 1));
    while (!this.isAll && isNearAtEnd()) this.lookFurther();
    for (let at = 0; at < known.count; at++) {
      this.step();
      if (isNear(known.distanceAt(at))) yield known.docIdAt(at);
    }
  }

  /** O(segments * (walk or scan + exact comparisons * dimensions)). */
  private lookFurther(): void {
    const wanted = this.next;
    this.next *= FURTHER;
    const limit = Math.ceil(wanted * MEASURED_PER_DOCUMENT) + MEASURED_MORE;
    const { known } = this;
    const least = new LeastDistances(wanted);
    for (let at = 0; at < known.count; at++) least.add(known.distanceAt(at));
    let isAll = true;
    for (const query of this.target.vectors) if (!this.measureNear(query, limit, least)) isAll = false;
    this.isAll = isAll;
    const list = this.listOpen();
    this.finalCount = isAll ? list.count : finalCountOf(list, Math.max(0, wanted - this.takenCount));
  }

  /** Measures what is near to one vector of the target; returns whether these are all documents that have a vector. */
  private measureNear(query: Float32Array, limit: number, least: LeastDistances): boolean {
    const { kernel, documentCount } = this.view;
    // when every document counts, no vector's document needs to be tested
    const within: Bitmap | None = kernel.bitmaps.count(this.candidates) === documentCount ? 0 : this.candidates;
    let isAll = true;
    const inRows: FoundInRows[] = [];
    for (const { vectors, deleted } of this.segments) {
      const scope = { within, without: deleted !== 0 && kernel.bitmaps.isEmpty(deleted) ? 0 : deleted };
      const found = vectors.candidates(query, vectors.isAtHand ? Math.max(limit, AT_HAND_MIN) : limit, scope);
      isAll &&= found.isAll;
      const { nodes, distances } = found;
      if (vectors.isAtHand) for (const node of nodes) this.measure(least, vectors, node);
      else inRows.push({ vectors, nodes, distances, leastOf: this.leastOf(vectors, query) });
    }
    const total = inRows.reduce((sum, { nodes }) => sum + nodes.length, 0);
    return this.measureNearest(new NearCandidates(inRows, 2 * limit), least) === total && isAll;
  }

  /** Lists the known documents that are not consumed: the rest of the list, and those measured since. O(documents * log documents) */
  private listOpen(): DistancePairs {
    const { list, known } = this;
    const open = new DistancePairs(list.count - this.at + known.count - this.listedCount);
    for (let at = this.at; at < list.count; at++) open.add(list.distanceAt(at), list.itemAt(at));
    for (let at = this.listedCount; at < known.count; at++) open.add(known.distanceAt(at), known.docIdAt(at));
    open.sort();
    this.list = open;
    this.listedCount = known.count;
    this.at = 0;
    return open;
  }

  /** Computes exact distances of candidates, the nearest first, until the rest cannot be among the least; returns how many. */
  private measureNearest(candidates: NearCandidates, least: LeastDistances): number {
    for (let at = 0; at < candidates.count; at++) {
      this.step();
      if (candidates.leastAt(at) > least.bound) return at;
      if (candidates.isFirstOfRow(at)) this.measureRow(candidates, at, least);
    }
    return candidates.count;
  }

  /** Computes the exact distances of a candidate and of later ones in the same row, because reading a row costs more than some distances. */
  private measureRow(candidates: NearCandidates, first: number, least: LeastDistances): void {
    const vectors = candidates.vectorsAt(first);
    const nodes = candidates.nodesOfRow(first).filter((node) => !this.known.has(vectors.docIdOf(node)));
    if (nodes.length === 0) return;
    vectors.readRow(vectors.rowOf(nodes[0]!), nodes, (node, values) => this.measure(least, vectors, node, values));
  }

  /** An approximate lower bound of the exact distance of a candidate, by the distance of its code. */
  private leastOf(vectors: VectorReader, query: Float32Array): (node: number, distance: number) => number {
    if (this.target.isQuantized) return (_, distance) => signShare(distance, query.length);
    const errorOf = vectors.codeError(query);
    return (node, distance) => (distance - ERROR_SHARE * errorOf(node)) / 2;
  }

  /** Computes the exact distance of a document, by all of its vectors, unless it is known. */
  private measure(least: LeastDistances, vectors: VectorReader, node: number, given?: Float32Array): void {
    this.step();
    const docId = vectors.docIdOf(node);
    if (this.known.has(docId)) return;
    const values = given ?? vectors.vectorsAround(node);
    const { measures, target } = this;
    const dimCount = target.vectors[0]!.length;
    let nearest = Number.POSITIVE_INFINITY;
    for (let at = 0, index = 0; at < values.length; at += dimCount, index++) {
      const measure = target.isAnyVector ? measures[0] : measures[index];
      if (measure !== undefined) nearest = Math.min(nearest, measure(values, at));
    }
    this.known.add(docId, nearest);
    least.add(nearest);
  }

  /** Lets the kernel's user look at the clock. */
  private step(): void {
    this.steps += 1;
    if (this.steps % STEPS === 0) this.view.kernel.onPause?.();
  }
}

/** At least `count`, plus ties of the last of them. */
function finalCountOf(list: DistancePairs, count: number): number {
  let sure = Math.min(count, list.count);
  while (sure > 0 && sure < list.count && list.distanceAt(sure) === list.distanceAt(sure - 1)) sure += 1;
  return sure;
}

/** What a look-up found in one segment, and the least exact distance that a vector may have by the distance of its code. */
interface FoundInRows {
  readonly vectors: VectorReader;
  readonly nodes: Uint32Array;
  readonly distances: Float32Array;
  readonly leastOf: (node: number, distance: number) => number;
}

/** The nearest vectors of several segments by the distances of their codes; ties in the order of the segments. */
class NearCandidates {
  readonly count: number;
  private readonly found: readonly FoundInRows[];
  /** Distances of codes with the number of the vector: those of a segment are numbered on from those before. */
  private readonly order: DistancePairs;
  /** The segment of each number, as its place in `found`, and the first number of each segment. */
  private readonly owners: Uint32Array;
  private readonly starts: readonly number[];
  /** The next candidate in the same row, or LAST. */
  private readonly later: Int32Array;
  /** 1: an earlier candidate is in the same row. */
  private readonly isLater: Uint8Array;

  /** O(vectors * log vectors) */
  constructor(found: readonly FoundInRows[], limit: number) {
    this.found = found;
    const starts = [0];
    for (const { nodes } of found) starts.push(starts.at(-1)! + nodes.length);
    const total = starts.at(-1)!;
    this.starts = starts;
    this.owners = new Uint32Array(total);
    this.order = new DistancePairs(total);
    found.forEach(({ distances }, owner) => {
      this.owners.fill(owner, starts[owner], starts[owner + 1]);
      for (let at = 0; at < distances.length; at++) this.order.add(distances[at]!, starts[owner]! + at);
    });
    this.order.sort();
    this.count = Math.min(limit, total);
    this.later = new Int32Array(this.count).fill(LAST);
    this.isLater = new Uint8Array(this.count);
    this.linkRows();
  }

  /** An approximate lower bound of the exact distance of a candidate. */
  leastAt(at: number): number {
    return this.ownerAt(at).leastOf(this.nodeAt(at), this.order.distanceAt(at));
  }

  isFirstOfRow(at: number): boolean {
    return this.isLater[at] === 0;
  }

  vectorsAt(at: number): VectorReader {
    return this.ownerAt(at).vectors;
  }

  /** The nodes of a candidate and of all later ones in its row. */
  nodesOfRow(first: number): number[] {
    const nodes: number[] = [];
    for (let at = first; at !== LAST; at = this.later[at]!) nodes.push(this.nodeAt(at));
    return nodes;
  }

  private linkRows(): void {
    const lastOf = this.found.map(() => new Map<number, number>());
    for (let at = 0; at < this.count; at++) {
      const owner = this.owners[this.order.itemAt(at)]!;
      const row = this.found[owner]!.vectors.rowOf(this.nodeAt(at));
      const last = lastOf[owner]!.get(row);
      lastOf[owner]!.set(row, at);
      if (last === undefined) continue;
      this.later[last] = at;
      this.isLater[at] = 1;
    }
  }

  private ownerAt(at: number): FoundInRows {
    return this.found[this.owners[this.order.itemAt(at)]!]!;
  }

  private nodeAt(at: number): number {
    const item = this.order.itemAt(at);
    const owner = this.owners[item]!;
    return this.found[owner]!.nodes[item - this.starts[owner]!]!;
  }
}
