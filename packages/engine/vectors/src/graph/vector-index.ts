import type { DocId, DocIds } from '@fossick/base';
import {
  type Bitmap,
  type Kernel,
  type NearNodes,
  NO_NODE,
  type None,
  type U32Array,
  VectorGraph,
  type VectorKind,
  VectorSet,
  type VectorsByDocument,
  type WantedDocuments,
} from '@fossick/kernel';
import { isDirectionless } from './distance.js';

/** A graph is built from this many vectors on: a scan of fewer takes less than half a millisecond. */
export const GRAPH_VECTORS_MIN = 4_096;
/** Candidates for the links of a new node ("efConstruction"): measured, 100,000 x 256 have recall 0.999 at ten times the speed of a scan. */
export const BUILD_BREADTH = 100;

/**
 * Vectors that a walk compares for each result: measured over 20,000 to 100,000 clustered vectors. A filter multiplies it by the ratio of all
 * documents to those that pass.
 */
const VISITS_PER_RESULT = 12;
/** A walk that compares this many times more vectors than expected is replaced by a scan. */
const VISITS_SLACK = 4;
/** The breadth of walks in a graph that was stored without one. */
const BREADTH_UNMEASURED = 48;
/** The number of results that a measured breadth is for: ten, and some that exact distances may move up. */
const MEASURED_RESULTS = 20;
/** How much broader a walk is for each result above that. */
const BREADTH_PER_RESULT = 1.6;
/** The assumed maximum error of codes in standard deviations: one candidate of a million has a larger error. */
const CODE_ERROR_SIGMAS = 5;
/** Steps of a code in one standard deviation of a uniform distribution over a step. */
const STEPS_PER_SIGMA = Math.sqrt(12);
/** The largest absolute value of a byte code. */
const CODE_MAX = 127;

/** A filter that keeps fewer than one document for this many vectors is walked instead of the vectors. */
const VECTORS_PER_WANTED_MIN = 4;
/** A table by docid is made only up to this many docids, from the first to the last, for each vector. */
const DOC_IDS_PER_VECTOR_MAX = 8;

/** Which documents count, as bitmaps of the kernel; 0 means all (`within`) or none. */
export interface DocumentScope {
  readonly within: Bitmap | None;
  readonly without: Bitmap | None;
}
export interface Candidates {
  /** Nodes in order of their codes' distance, those without direction first. */
  readonly nodes: Uint32Array;
  /** Distances of their codes: comparable between indexes of one kind. */
  readonly distances: Float32Array;
  /** Whether they are all vectors of the scope. */
  readonly isAll: boolean;
}

/**
 * The vectors of one name in one segment, in kernel memory: codes to search by, the document of each, and a graph when there are many. Exact
 * numbers are stored elsewhere: a caller that needs the exact order recomputes the distances of the candidates.
 */
export class VectorIndex {
  readonly set: VectorSet;
  readonly docIds: DocIds;
  readonly graph: VectorGraph | null;
  /** The least number of nodes that a walk keeps (measureBreadth); more where more results are wanted. */
  readonly breadth: number;
  private readonly kernel: Kernel;
  private readonly docIdsAt: U32Array;
  private readonly directionless: readonly number[];
  /** The range of docids of the table by docid; null: no table is made. */
  private readonly docIdRange: { readonly firstDocId: DocId; readonly count: number } | null;
  private vectorsByDocument: VectorsByDocument | undefined;

  /** Takes over set and graph. `docIds[node]` is the vector's document; vectors of one document are neighbours. */
  constructor(
    kernel: Kernel,
    set: VectorSet,
    docIds: DocIds,
    graph: VectorGraph | null,
    breadth: number = BREADTH_UNMEASURED,
  ) {
    this.set = set;
    this.docIds = docIds;
    this.graph = graph;
    this.breadth = breadth;
    this.kernel = kernel;
    this.docIdsAt = kernel.memory.residentU32(docIds);
    this.directionless = set.directionless(docIds.length);
    // without a graph a scan is short
    this.docIdRange = graph === null ? null : rangeOf(docIds);
  }

  get count(): number {
    return this.docIds.length;
  }

  /** Bytes of kernel memory in use. */
  get byteCount(): number {
    const { kind, dimCount, capacity } = this.set;
    const graphBytes = this.graph === null ? 0 : VectorGraph.bytesFor(capacity, this.graph.upperCount);
    const vectorsByDocumentBytes = (this.docIdRange?.count ?? 0) * 4;
    return VectorSet.bytesFor(kind, dimCount, capacity) + graphBytes + this.docIds.byteLength + vectorsByDocumentBytes;
  }

  /** The node range of the same document (spanOf). */
  span(node: number): readonly [from: number, to: number] {
    return spanOf(this.docIds, node);
  }

  /**
   * At least `limit` nodes near to the query. A walk over the graph, where that is cheaper, may miss some of the nearest; else each vector in scope is
   * compared.
   */
  candidates(query: Float32Array, limit: number, scope: DocumentScope): Candidates {
    const { count, graph } = this;
    const wanted: WantedDocuments = { docIds: this.docIdsAt, ...scope };
    const isScanOnly = graph === null || limit >= count || this.comparesNothing(query);
    return (isScanOnly ? null : this.walk(query, limit, wanted)) ?? this.scan(query, limit, wanted);
  }

  /**
   * Bounds the difference between the distance of a node's code and the exact distance to a query: each number is off by up to half a step of the code,
   * uniformly, and the errors of many numbers add up by their squares.
   */
  codeError(query: Float32Array): (node: number) => number {
    const { set } = this;
    if (set.kind !== 'int8') return () => 0;
    let [largest, squares] = [0, 0];
    for (const value of query) {
      largest = Math.max(largest, Math.abs(value));
      squares += value * value;
    }
    const step = squares === 0 ? 0 : largest / (CODE_MAX * Math.sqrt(squares));
    return (node) => {
      const scale = set.scaleOf(node);
      return (CODE_ERROR_SIGMAS / STEPS_PER_SIGMA) * Math.sqrt(step * step + scale * scale);
    };
  }

  close(): void {
    this.graph?.close();
    this.set.close();
    this.kernel.memory.free(this.docIdsAt);
    if (this.vectorsByDocument !== undefined) this.kernel.memory.free(this.vectorsByDocument.ptr);
  }

  private comparesNothing(query: Float32Array): boolean {
    return this.set.kind !== 'signs' && isDirectionless(query);
  }

  private walk(query: Float32Array, limit: number, wanted: WantedDocuments): Candidates | null {
    const { count, set } = this;
    const breadth = this.breadth + Math.ceil(Math.max(0, limit - MEASURED_RESULTS) * BREADTH_PER_RESULT);
    const isFiltered = wanted.within !== 0 || wanted.without !== 0;
    // a scan compares `wanted` vectors, a walk visits * count / wanted
    const scanMax = Math.ceil(Math.sqrt(VISITS_PER_RESULT * breadth * count));
    // counting the bits of the filter is cheap
    if (wanted.within !== 0 && this.kernel.bitmaps.count(wanted.within) <= scanMax) return null;
    const wantedCount = isFiltered ? set.countWanted(count, wanted) : count;
    if (wantedCount <= scanMax) return null;
    const visitsMax = Math.ceil((VISITS_SLACK * VISITS_PER_RESULT * breadth * count) / wantedCount) + GRAPH_VECTORS_MIN;
    const found = this.graph!.search(query, breadth, wanted, visitsMax);
    return found === null ? null : { ...this.withDirectionless(found, wanted), isAll: false };
  }

  private scan(query: Float32Array, limit: number, wanted: WantedDocuments): Candidates {
    const { count, set } = this;
    // all vectors are equally near to a query without a direction: they are taken in document order
    const length = Math.min(count, this.comparesNothing(query) ? count : limit);
    const vectorsByDocument = this.vectorsFor(wanted);
    const found =
      vectorsByDocument === null
        ? set.scan(count, query, length, wanted)
        : set.scanWithin(count, query, length, wanted, vectorsByDocument);
    return { ...this.withDirectionless(found, wanted), isAll: found.nodes.length < length || length === count };
  }

  /** The table from documents to vectors; null where scanning all vectors costs no more. Made on first use. */
  private vectorsFor({ within }: WantedDocuments): VectorsByDocument | null {
    const range = this.docIdRange;
    const isSparse = within !== 0 && this.kernel.bitmaps.count(within) * VECTORS_PER_WANTED_MIN < this.count;
    if (range === null || !isSparse) return null;
    if (this.vectorsByDocument !== undefined) return this.vectorsByDocument;
    const vectorsByDocument = new Uint32Array(range.count).fill(NO_NODE);
    const { docIds } = this;
    for (let node = docIds.length - 1; node >= 0; node--) vectorsByDocument[docIds[node]! - range.firstDocId] = node;
    this.vectorsByDocument = { ptr: this.kernel.memory.residentU32(vectorsByDocument), ...range };
    return this.vectorsByDocument;
  }

  /** Adds vectors without a direction, which are nearest to everything and have no codes to compare. */
  private withDirectionless(found: NearNodes, { within, without }: WantedDocuments): NearNodes {
    if (this.directionless.length === 0) return found;
    const kernel = this.kernel;
    const first = this.directionless.filter((node) => {
      const docId = this.docIds[node]!;
      return (
        (within === 0 || kernel.bitmaps.has(within, docId)) && (without === 0 || !kernel.bitmaps.has(without, docId))
      );
    });
    const known = new Set(first);
    const rest = [...found.nodes.keys()].filter((at) => !known.has(found.nodes[at]!));
    return {
      nodes: Uint32Array.from([...first, ...rest.map((at) => found.nodes[at]!)]),
      distances: Float32Array.from([...first.map(() => -1), ...rest.map((at) => found.distances[at]!)]),
    };
  }
}

/** The range [from, to) of the vectors of the document that the node belongs to. O(vectors of the document). */
export function spanOf(docIds: Uint32Array, node: number): readonly [from: number, to: number] {
  const docId = docIds[node];
  let from = node;
  let to = node + 1;
  while (from > 0 && docIds[from - 1] === docId) from -= 1;
  while (docIds[to] === docId) to += 1;
  return [from, to];
}

function rangeOf(docIds: Uint32Array): { readonly firstDocId: DocId; readonly count: number } | null {
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (const docId of docIds) {
    if (docId < first) first = docId;
    if (docId > last) last = docId;
  }
  const count = last - first + 1;
  return docIds.length > 0 && count <= docIds.length * DOC_IDS_PER_VECTOR_MAX
    ? { firstDocId: first as DocId, count }
    : null;
}

/** An index without a graph over vectors in memory. O(numbers). */
export function scanIndex(
  kernel: Kernel,
  kind: VectorKind,
  { dimCount, docIds, values }: { readonly dimCount: number; readonly docIds: DocIds; readonly values: Float32Array },
): VectorIndex {
  const set = kernel.vectors.createSet(kind, dimCount, docIds.length);
  const piece = Math.max(1, Math.floor(PIECE_NUMBERS / dimCount)) * dimCount;
  for (let from = 0; from < values.length; from += piece) set.put(from / dimCount, values.subarray(from, from + piece));
  return new VectorIndex(kernel, set, docIds, null);
}

/** Numbers copied through the kernel's scratch at a time. */
const PIECE_NUMBERS = 1 << 16;
