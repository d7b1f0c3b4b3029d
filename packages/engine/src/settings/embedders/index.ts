export { checkEmbedder, checkEmbedderCount, checkSentFields, checkTemplates } from './check-embedder.js';
export { cleanEmbedder, mergeEmbedder, mergeEmbedders } from './merge-embedders.js';
export { resolvedEmbedder } from './resolved-embedder.js';
export {
  EMBEDDER_SOURCES,
  type EmbedderConfig,
  type EmbedderField,
  type EmbedderSource,
  fieldsOf,
  OPENAI_MODELS,
  sourceOf,
} from './sources.js';
