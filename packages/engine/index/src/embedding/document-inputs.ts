import { ApiError, apiError } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';
import {
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_MAX_BYTES,
  type DocumentVariables,
  renderDocumentText,
  renderFragment,
} from '@fossick/documents/templates';
import type { EmbedderInput } from '@fossick/embedders';
import { type EmbedderConfig, sourceOf } from '@fossick/settings';

/** What an embedder gets of a document: its text, or one input for each fragment that the document can fill. */
export type InputRecipe =
  | { readonly kind: 'text'; readonly template: string; readonly maxBytes: number }
  | { readonly kind: 'fragments'; readonly fragments: readonly unknown[] };

/**
 * The recipe of an embedder; null for one whose vectors the user provides. A composite embedder has the recipe of its
 * indexing side.
 */
export function recipeOf(config: EmbedderConfig): InputRecipe | null {
  const source = sourceOf(config);
  if (source === 'userProvided') return null;
  if (source === 'composite') return recipeOf((config.indexingEmbedder ?? {}) as EmbedderConfig);
  const fragments = Object.entries((config.indexingFragments ?? {}) as JsonObject);
  if (fragments.length > 0)
    return { kind: 'fragments', fragments: fragments.map(([, fragment]) => (fragment as JsonObject)['value']) };
  return {
    kind: 'text',
    template: String(config.documentTemplate ?? DEFAULT_DOCUMENT_TEMPLATE),
    maxBytes: Number(config.documentTemplateMaxBytes ?? DEFAULT_TEMPLATE_MAX_BYTES),
  };
}

/**
 * The inputs of one document. A fragment that cannot be rendered is left out; a template that cannot be rendered throws
 * ApiError invalid_document_fields.
 */
export function renderInputs(recipe: InputRecipe, variables: DocumentVariables, externalId: string): EmbedderInput[] {
  if (recipe.kind === 'text') return [{ kind: 'text', text: renderText(recipe, variables, externalId) }];
  return recipe.fragments.flatMap((fragment): EmbedderInput[] => {
    try {
      return [{ kind: 'fragment', value: renderFragment(fragment, variables) }];
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  });
}

function renderText(
  { template, maxBytes }: Extract<InputRecipe, { kind: 'text' }>,
  variables: DocumentVariables,
  externalId: string,
): string {
  try {
    return renderDocumentText(template, variables, maxBytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw apiError('invalid_document_fields', externalId, error.message);
  }
}
