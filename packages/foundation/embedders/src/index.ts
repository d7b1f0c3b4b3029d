export type {
  CompositeConfiguration,
  EmbedderConfiguration,
  HuggingFaceConfiguration,
  OllamaConfiguration,
  OpenAiConfiguration,
  RestConfiguration,
  UserProvidedConfiguration,
} from './configuration.js';
export { EmbeddingError, type EmbeddingFault, shownUrl } from './embedding-error.js';
export { minuteLimitMemory } from './http/minute-limit.js';
export { type RequestOrigin, RequestSlots, requestMemory } from './http/request-slots.js';
export { CompositeEmbedder } from './kinds/composite.js';
export { createEmbedder, DEFAULT_LIMITS, type EmbedderLimits, type EmbedderOptions } from './kinds/create-embedder.js';
export type { Embedder, EmbedderInput, EmbedOptions, RequestReport } from './port.js';
export { type RestTemplates, readRestTemplates } from './sources/rest-templates.js';
export type {
  EmbeddingAnswer,
  EmbeddingQuestion,
  EmbeddingReport,
  SearchFragments,
} from './thread/embedding-messages.js';
export { EmbeddingWorker, type EmbeddingWorkerOptions } from './thread/embedding-worker.js';
export { embedderLimits, type SharedLimits } from './thread/shared-limits.js';
