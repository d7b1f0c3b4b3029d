/** What settings and indexing say about embedders; the providers themselves are not loaded. */

export type {
  CompositeConfiguration,
  EmbedderConfiguration,
  HuggingFaceConfiguration,
  OllamaConfiguration,
  OpenAiConfiguration,
  RestConfiguration,
  UserProvidedConfiguration,
} from './configuration.js';
export { EmbeddingError } from './embedding-error.js';
export type { EmbedderInput, RequestReport } from './port.js';
export { readRestTemplates } from './sources/rest-templates.js';
