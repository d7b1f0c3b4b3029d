/** Distances of vectors, in single precision as clients of the reference engine see them. */

const { fround } = Math;
/** A vector has no direction relative to another when the product of their lengths is below this: 2^-23. */
const SINGLE_EPSILON = 2 ** -23;
/** The product of lengths from which on single precision may lose the product of the vectors: 2^100. */
const LENGTHS_MAX = 2 ** 100;
/** Signs are compared in words of this many dimensions. */
const SIGN_WORD_DIMS = 64;

/** Distance, 0..1, between the query's vector and the one at `from` of `values`. O(dimensions). */
export type DistanceTo = (values: Float32Array, from: number) => number;

/** (1 - cosine) / 2; 0 where one of the two has no direction. */
export function cosineDistance(query: Float32Array): DistanceTo {
  const dimCount = query.length;
  const exactLength = exactLengthOf(query);
  const queryLength = fround(exactLength);
  return (values, from) => {
    let product = 0;
    let squares = 0;
    for (let dim = 0; dim < dimCount; dim++) {
      const value = values[from + dim]!;
      product += query[dim]! * value;
      squares += value * value;
    }
    const lengths = fround(queryLength * fround(Math.sqrt(squares)));
    if (!(lengths > SINGLE_EPSILON)) return 0;
    if (lengths > LENGTHS_MAX) return distanceOf(product / (exactLength * Math.sqrt(squares)));
    return distanceOf(fround(fround(product) / lengths));
  };
}

/** The distance of a cosine; the greatest for vectors of earlier releases that have infinite numbers. */
const distanceOf = (cosine: number): number => fround(fround(1 - (cosine > -1 ? Math.min(1, cosine) : -1)) / 2);

/** The distance for a number of differing signs: their share of the dimensions, padding included. */
export function signShare(differing: number, dimCount: number): number {
  return fround(differing / (Math.ceil(dimCount / SIGN_WORD_DIMS) * SIGN_WORD_DIMS));
}

/** The share of dimensions with different signs: the distance for embedders with `binaryQuantized`. */
export function signDistance(query: Float32Array): DistanceTo {
  const dimCount = query.length;
  const signs = query.map((value) => (value > 0 ? 1 : 0));
  return (values, from) => {
    let differing = 0;
    for (let dim = 0; dim < dimCount; dim++) differing += Number(values[from + dim]! > 0) ^ signs[dim]!;
    return signShare(differing, dimCount);
  };
}

/** Whether a vector is too short to have a direction relative to any other. */
export function isDirectionless(vector: Float32Array): boolean {
  return !(fround(exactLengthOf(vector)) > SINGLE_EPSILON);
}

function exactLengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}
