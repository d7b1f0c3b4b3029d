/** The query vector of a search. */

import { type ApiError, apiError, type ErrorCode, own, sharedError } from '@fossick/base';
import { isJsonObject, type JsonObject } from '@fossick/documents';
import type { IndexView } from '@fossick/index';
import { type VectorTarget, vectorRulesOf } from '@fossick/vectors';

const { fround } = Math;
/** The least value of a shifted similarity: 2^-23. */
const SINGLE_EPSILON = 2 ** -23;
/** Distributions of a model's similarities, for embedders without one. */
const MODEL_DISTRIBUTIONS: Readonly<Record<string, Distribution>> = {
  'text-embedding-ada-002': { mean: 0.9, sigma: 0.08 },
  'text-embedding-3-large': { mean: 0.7, sigma: 0.1 },
  'text-embedding-3-small': { mean: 0.75, sigma: 0.1 },
  'BAAI/bge-base-en-v1.5': { mean: 0.85, sigma: 0.1 },
};

/** @throws ApiError with `code` when the index has no such embedder */
export function requireEmbedder(view: IndexView, embedder: string, code: ErrorCode): void {
  const names = Object.keys(view.settings.embedders);
  if (names.includes(embedder)) return;
  throw sharedError(code, 'noEmbedder', view.uid, embedder, names.sort());
}

/**
 * The target vector, or the error of a query whose text would have to be embedded: this package calls no model.
 * @throws ApiError invalid_vector_dimensions
 */
export function queryTarget(
  view: IndexView,
  embedder: string,
  vector: readonly number[] | null,
): VectorTarget | ApiError {
  if (vector === null) return apiError('vector_embedding_error', 'cannotEmbedQuery', view.uid, embedder);
  const expected = vectorRulesOf(view.settings).get(embedder)?.dimCount ?? null;
  if (expected !== null && vector.length !== expected)
    throw apiError('invalid_vector_dimensions', 'ofQuery', view.uid, embedder, expected, vector.length);
  return { ...targetOf(view, embedder, [Float32Array.from(vector)]), isAnyVector: true };
}

/** The vectors of a document as a target under the embedder's settings. */
export function targetOf(view: IndexView, embedder: string, vectors: readonly Float32Array[]): VectorTarget {
  const isQuantized = vectorRulesOf(view.settings).get(embedder)?.isQuantized === true;
  const settings = own(view.settings.embedders, embedder) as JsonObject;
  return { embedder, vectors, isAnyVector: false, isQuantized, similarityOf: similarityOf(settings) };
}

interface Distribution {
  readonly mean: number;
  readonly sigma: number;
}

/** From a distance to the shown similarity, 0..1, by the embedder's settings. */
function similarityOf(embedder: JsonObject): (distance: number) => number {
  const distribution = distributionOf(embedder);
  if (distribution === null) return (distance) => fround(1 - distance);
  const mean = fround(distribution.mean);
  const sigma = fround(distribution.sigma);
  // maps mean - sigma .. mean + sigma to 0.1 .. 0.9
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
  if (isJsonObject(distribution)) {
    const { mean, sigma } = distribution;
    return { mean: Number(mean), sigma: Number(sigma) };
  }
  if (source === 'composite') {
    const ofSearch = isJsonObject(searchEmbedder) ? distributionOf(searchEmbedder) : null;
    return ofSearch ?? (isJsonObject(indexingEmbedder) ? distributionOf(indexingEmbedder) : null);
  }
  if (source === 'openAi' || source === undefined || source === null)
    return own(MODEL_DISTRIBUTIONS, String(model ?? 'text-embedding-3-small')) ?? null;
  if (source === 'huggingFace') return own(MODEL_DISTRIBUTIONS, String(model ?? 'BAAI/bge-base-en-v1.5')) ?? null;
  return null;
}
