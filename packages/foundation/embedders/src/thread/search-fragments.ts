import { ApiError, apiError } from '@fossick/base';
import { Rendering, renderFragment } from '@fossick/documents/templates';
import type { EmbedderInput } from '../port.js';
import type { SearchFragments, SearchVariables } from './embedding-messages.js';

/**
 * The one fragment that a search fills; the others lack a variable. All are rendered within the limits of one rendering.
 * Throws ApiError vector_embedding_error for none or several. Takes seconds at most.
 */
export function filledFragment(fragments: SearchFragments, variables: SearchVariables): EmbedderInput {
  const rendering = new Rendering();
  const rendered = Object.entries(fragments).flatMap(([name, { value }]): { name: string; value: unknown }[] => {
    try {
      return [{ name, value: renderFragment(value, variables, rendering) }];
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  });
  if (rendered.length === 1) return { kind: 'fragment', value: rendered[0]!.value };
  const names = rendered.map(({ name }) => name);
  throw apiError('vector_embedding_error', 'notOneFragment', names);
}
