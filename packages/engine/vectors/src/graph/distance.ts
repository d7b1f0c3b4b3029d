/** Distances of vectors, in single precision as clients of the reference engine see them. */

const { fround } = Math;
/** A vector has no direction relative to another when the product of their lengths is below this: 2^-23. */
const SINGLE_EPSILON = 2 ** -23;
/** Signs are compared in words of this many dimensions. */
const SIGN_WORD_DIMS = 64;

/** Distance, 0..1, between the query's vector and the one at `from` of `values`. O(dimensions). */
export type DistanceTo = (values: Float32Array, from: number) => number;

/** (1 - cosine) / 2; 0 where one of the two has no direction. */
export function cosineDistance(query: Float32Array): DistanceTo {
  const dimCount = query.length;
  const queryLength = lengthOf(query);
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
    const cosine = Math.max(-1, Math.min(1, fround(fround(product) / lengths)));
    return fround(fround(1 - cosine) / 2);
  };
}

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
  return !(lengthOf(vector) > SINGLE_EPSILON);
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return fround(Math.sqrt(squares));
}
