/** How alike two vectors are, in the single precision that clients of the reference engine see (spec 11 section 13). */
import type { JsonObject } from '../documents/parse-document.js';

const { fround } = Math;
/** The least a shifted similarity becomes, and the product of lengths below which vectors have no direction: 2^-23. */
const SINGLE_EPSILON = 2 ** -23;
/** Signs are compared in words of this many dimensions. */
const SIGN_WORD_DIMS = 64;
/** Where the similarities of a model lie when its embedder does not say it. */
const MODEL_DISTRIBUTIONS: Readonly<Record<string, Distribution>> = {
  'text-embedding-ada-002': { mean: 0.9, sigma: 0.08 },
  'text-embedding-3-large': { mean: 0.7, sigma: 0.1 },
  'text-embedding-3-small': { mean: 0.75, sigma: 0.1 },
  'BAAI/bge-base-en-v1.5': { mean: 0.85, sigma: 0.1 },
};

interface Distribution {
  readonly mean: number;
  readonly sigma: number;
}

/** Distance, 0..1, between the query's vector and the one at `from` of `values`. O(dimensions). */
export type DistanceTo = (values: Float32Array, from: number) => number;

/** (1 - cosine) / 2; 0 where one of the two has no direction. */
export function cosineDistance(query: Float32Array): DistanceTo {
  const dimCount = query.length;
  const queryLength = fround(Math.sqrt(squaredLength(query)));
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

/** The share of dimensions whose signs differ, padding counted: what an embedder with `binaryQuantized` compares. */
export function signDistance(query: Float32Array): DistanceTo {
  const dimCount = query.length;
  const padded = Math.ceil(dimCount / SIGN_WORD_DIMS) * SIGN_WORD_DIMS;
  const signs = query.map((value) => (value > 0 ? 1 : 0));
  return (values, from) => {
    let differing = 0;
    for (let dim = 0; dim < dimCount; dim++) differing += Number(values[from + dim]! > 0) ^ signs[dim]!;
    return fround(differing / padded);
  };
}

/** From a distance to the similarity that is shown, 0..1: what the embedder's settings make of it. */
export function similarityOf(embedder: JsonObject): (distance: number) => number {
  const distribution = distributionOf(embedder);
  if (distribution === null) return (distance) => fround(1 - distance);
  const mean = fround(distribution.mean);
  const sigma = fround(distribution.sigma);
  // stretches mean - sigma .. mean + sigma to 0.1 .. 0.9
  const factor = fround(fround(0.4) / sigma);
  const offset = fround(0.5 - fround(fround(fround(0.4) * mean) / sigma));
  return (distance) => {
    const shifted = fround(fround(factor * fround(1 - distance)) + offset);
    if (shifted <= 0) return SINGLE_EPSILON;
    return Math.min(1, shifted);
  };
}

function distributionOf(embedder: JsonObject): Distribution | null {
  const { source, model, distribution, searchEmbedder, indexingEmbedder } = embedder;
  if (isObject(distribution)) {
    const { mean, sigma } = distribution;
    return { mean: Number(mean), sigma: Number(sigma) };
  }
  if (source === 'composite') {
    const ofSearch = isObject(searchEmbedder) ? distributionOf(searchEmbedder) : null;
    return ofSearch ?? (isObject(indexingEmbedder) ? distributionOf(indexingEmbedder) : null);
  }
  if (source === 'openAi' || source === undefined || source === null)
    return MODEL_DISTRIBUTIONS[String(model ?? 'text-embedding-3-small')] ?? null;
  if (source === 'huggingFace') return MODEL_DISTRIBUTIONS[String(model ?? 'BAAI/bge-base-en-v1.5')] ?? null;
  return null;
}

function squaredLength(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return squares;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
