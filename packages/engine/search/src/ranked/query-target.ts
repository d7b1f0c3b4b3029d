/** The query vector of a search. */

import { type ApiError, apiError, type ErrorCode, own, sharedError } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';
import type { IndexView } from '@fossick/index';
import type { VectorTarget } from '@fossick/vectors';
import { vectorRulesOf } from '@fossick/vectors';
import { similarityOf } from './similarity.js';

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
