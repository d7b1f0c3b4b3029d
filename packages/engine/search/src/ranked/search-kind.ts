/** The kind of a search: words, vectors or both. */

import type { IndexView } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import { requireEmbedder } from './query-target.js';

type VectorParameters = Pick<SearchRequest, 'q' | 'vector' | 'hybrid' | 'hasMedia'>;

export type SearchKind =
  | { readonly kind: 'keyword' }
  | { readonly kind: 'semantic'; readonly embedder: string }
  | { readonly kind: 'hybrid'; readonly embedder: string; readonly semanticRatio: number };

/**
 * The kind of a search. A keyword search does not look its embedder up.
 * @throws ApiError invalid_search_embedder for an embedder that the index does not have
 */
export function searchKind(view: IndexView, { q, vector, hybrid, hasMedia }: VectorParameters): SearchKind {
  const hasText = q !== null && q.trim() !== '';
  if (!hybrid || hybrid.semanticRatio === 0 || (vector === null && !hasText && hasMedia !== true))
    return { kind: 'keyword' };
  const { embedder, semanticRatio } = hybrid;
  requireEmbedder(view, embedder, 'invalid_search_embedder');
  return semanticRatio === 1 || !hasText ? { kind: 'semantic', embedder } : { kind: 'hybrid', embedder, semanticRatio };
}
