import { DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_TEMPLATE_MAX_BYTES } from '@fossick/documents/templates';
import {
  DEFAULT_MODELS,
  DEFAULT_POOLING,
  EMBEDDER_FIELDS,
  type EmbedderConfig,
  type EmbedderField,
  sourceOf,
  takesField,
} from './sources.js';

/** An embedder with the defaults of its source, fields in the order of answers; secrets are not masked. */
export function resolvedEmbedder(stored: EmbedderConfig): EmbedderConfig {
  const source = sourceOf(stored);
  const values: Partial<Record<EmbedderField, unknown>> = { ...defaultsOf(stored), ...stored };
  const shown: Record<string, unknown> = { source };
  for (const field of EMBEDDER_FIELDS) {
    const value = values[field];
    if (value === undefined || value === null || !takesField(source, field)) continue;
    shown[field] = field === 'searchEmbedder' || field === 'indexingEmbedder' ? nested(field, value) : value;
  }
  return shown as EmbedderConfig;
}

function defaultsOf(stored: EmbedderConfig): EmbedderConfig {
  const source = sourceOf(stored);
  const model = DEFAULT_MODELS[source];
  const hasFragments = [stored.indexingFragments, stored.searchFragments].some(
    (map) => Object.keys((map ?? {}) as object).length > 0,
  );
  return {
    ...(model === undefined ? {} : { model }),
    ...(source === 'huggingFace' ? { pooling: DEFAULT_POOLING } : {}),
    ...(source === 'rest' ? { headers: {} } : {}),
    ...(hasFragments
      ? {}
      : { documentTemplate: DEFAULT_DOCUMENT_TEMPLATE, documentTemplateMaxBytes: DEFAULT_TEMPLATE_MAX_BYTES }),
  };
}

/** The side for searches renders no documents. */
function nested(field: 'searchEmbedder' | 'indexingEmbedder', value: unknown): EmbedderConfig {
  const resolved = resolvedEmbedder(value as EmbedderConfig);
  if (field === 'indexingEmbedder') return resolved;
  const { documentTemplate: _template, documentTemplateMaxBytes: _maxBytes, ...others } = resolved;
  return others;
}
