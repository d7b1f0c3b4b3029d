import type { Kernel, VectorSet, WantedDocuments } from '@fossick/kernel';

/** Vectors that share a place, about: a row of exact numbers or some. */
const VECTORS_PER_PLACE = 16;
const PLACES_MAX = 1_024;
/** Multiples of it, without their whole parts, are spread evenly and fall in with no period of the documents. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Everything counts. */
const ALL: WantedDocuments = { docIds: 0, within: 0, without: 0 };

/** Vectors in their order, one after another; those of one document side by side. */
interface Vectors {
  readonly dimCount: number;
  readonly docIds: Uint32Array;
  readonly values: Float32Array;
}

/**
 * The order in which vectors are written so that near ones lie together: what a search looks at, in memory and on disk, then comes in fewer lines, pages and
 * rows. Answers the places of the vectors in that order; those of one document stay side by side, and where several are equally near to everything, documents
 * ascend. Some vectors, evenly drawn, stand for places, and others go to the one they are nearest to, by way of a few that stand for many.
 * O(vectors * sqrt(places) * dimensions): some microseconds each.
 */
export function nearOrder(kernel: Kernel, { dimCount, docIds, values }: Vectors): Uint32Array {
  const { length } = docIds;
  const placeCount = Math.min(PLACES_MAX, Math.floor(length / VECTORS_PER_PLACE));
  const order = Uint32Array.from(docIds, (_, at) => at);
  if (placeCount < 2) return order;
  const vectorAt = (at: number): Float32Array => values.subarray(at * dimCount, (at + 1) * dimCount);
  const places = new NearPlaces(
    kernel,
    dimCount,
    Array.from({ length: placeCount }, (_, at) => vectorAt(Math.floor((((at + 0.5) * GOLDEN) % 1) * length))),
  );
  const placeOf = new Uint32Array(length);
  try {
    for (let at = 0; at < length; at++)
      placeOf[at] = at > 0 && docIds[at] === docIds[at - 1] ? placeOf[at - 1]! : places.placeOf(vectorAt(at));
  } finally {
    places.close();
  }
  return order.sort((left, right) => placeOf[left]! - placeOf[right]! || left - right);
}

/** Vectors that stand for places, in two levels. */
class NearPlaces {
  readonly #top: VectorSet;
  readonly #topCount: number;
  readonly #groups: readonly { readonly set: VectorSet; readonly count: number; readonly firstPlace: number }[];

  constructor(kernel: Kernel, dimCount: number, drawn: readonly Float32Array[]) {
    const setOf = (vectors: readonly Float32Array[]): VectorSet => {
      const set = kernel.createVectorSet('int8', dimCount, vectors.length);
      for (const [at, vector] of vectors.entries()) set.put(at, vector);
      return set;
    };
    this.#topCount = Math.ceil(Math.sqrt(drawn.length));
    const step = drawn.length / this.#topCount;
    this.#top = setOf(Array.from({ length: this.#topCount }, (_, at) => drawn[Math.floor(at * step)]!));
    const members: Float32Array[][] = Array.from({ length: this.#topCount }, () => []);
    for (const vector of drawn) members[nearest(this.#top, this.#topCount, vector)]!.push(vector);
    let firstPlace = 0;
    this.#groups = members.map((vectors) => {
      const group = { set: setOf(vectors), count: vectors.length, firstPlace };
      firstPlace += Math.max(1, vectors.length);
      return group;
    });
  }

  placeOf(vector: Float32Array): number {
    const { set, count, firstPlace } = this.#groups[nearest(this.#top, this.#topCount, vector)]!;
    return firstPlace + nearest(set, count, vector);
  }

  close(): void {
    for (const { set } of this.#groups) set.close();
    this.#top.close();
  }
}

/** 0 where nothing is there, or nothing is nearer. */
function nearest(set: VectorSet, count: number, vector: Float32Array): number {
  return count < 2 ? 0 : (set.scan(count, vector, 1, ALL).nodes[0] ?? 0);
}
