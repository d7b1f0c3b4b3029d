export { CompositeEmbedder } from './composite.js';
export type {
  CompositeConfiguration,
  EmbedderConfiguration,
  HuggingFaceConfiguration,
  OllamaConfiguration,
  OpenAiConfiguration,
  RestConfiguration,
  UserProvidedConfiguration,
} from './configuration.js';
export { createEmbedder, DEFAULT_LIMITS, type EmbedderLimits, type EmbedderOptions } from './create-embedder.js';
export { EmbeddingError, type EmbeddingFault, shownUrl } from './embedding-error.js';
export { begunMemory } from './http/minute-limit.js';
export { RequestPlaces, type RequestSide, requestMemory } from './http/request-places.js';
export { fetchTransport, type ProviderAnswer, type ProviderRequest, type Transport } from './http/transport.js';
export type { Embedder, EmbedderInput, EmbedOptions, RequestReport } from './port.js';
export { type RestTemplates, readRestTemplates } from './sources/rest-templates.js';
