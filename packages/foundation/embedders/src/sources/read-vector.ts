import type { ProviderClient } from '../http/provider-client.js';

/** The vector in a part of a provider's answer. Throws EmbeddingError if it is not one. O(dimensions) */
export function readVector(value: unknown, client: ProviderClient): Float32Array {
  if (!Array.isArray(value) || value.length === 0)
    throw client.nonsense('answered without a vector where one has to be');
  const vector = new Float32Array(value.length);
  for (let dim = 0; dim < value.length; dim++) {
    const number: unknown = value[dim];
    if (typeof number !== 'number' || !Number.isFinite(Math.fround(number)))
      throw client.nonsense('answered with a vector that holds more than finite numbers');
    vector[dim] = number;
  }
  return vector;
}

/** Vectors of `count` inputs out of a list. */
export function readVectors(list: unknown, count: number, client: ProviderClient): Float32Array[] {
  if (!Array.isArray(list)) throw client.nonsense('answered without a list of vectors');
  if (list.length !== count) throw client.nonsense(`answered with ${list.length} vectors for ${count} inputs`);
  return list.map((value) => readVector(value, client));
}
