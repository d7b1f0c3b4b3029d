/** The configuration of an embedder, by source. Fields have the names of the `embedders` setting. */
export type EmbedderConfiguration =
  | OpenAiConfiguration
  | OllamaConfiguration
  | RestConfiguration
  | HuggingFaceConfiguration
  | UserProvidedConfiguration
  | CompositeConfiguration;

export interface OpenAiConfiguration {
  readonly source: 'openAi';
  /** Default text-embedding-3-small. */
  readonly model?: string;
  readonly apiKey?: string;
  /** Fewer than the model's, if the model supports it. */
  readonly dimensions?: number;
  /** Of any provider with the same API; default the vendor's own. */
  readonly url?: string;
}
export interface OllamaConfiguration {
  readonly source: 'ollama';
  readonly model: string;
  readonly apiKey?: string;
  readonly dimensions?: number;
  /** Ends in `/api/embed` or `/api/embeddings`; default http://localhost:11434/api/embeddings. */
  readonly url?: string;
}
export interface RestConfiguration {
  readonly source: 'rest';
  readonly url: string;
  /** JSON with `"{{text}}"` or `"{{fragment}}"`, alone or in `["{{text}}", "{{..}}"]`. */
  readonly request: unknown;
  /** JSON with `"{{embedding}}"` in place of the vector, and an array with `"{{..}}"` where there are several. */
  readonly response: unknown;
  readonly apiKey?: string;
  readonly dimensions?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Inputs are fragments, not texts. */
  readonly hasFragments?: boolean;
}
export interface HuggingFaceConfiguration {
  readonly source: 'huggingFace';
  /** A folder with a model, or the name of an installed package that contains one. */
  readonly model: string;
  readonly revision?: string;
  readonly pooling?: 'useModel' | 'forceMean' | 'forceCls';
}
export interface UserProvidedConfiguration {
  readonly source: 'userProvided';
  readonly dimensions: number;
}
/**
 * One embedder for documents, another for queries: a large provider and a fast local model of the same vector space.
 */
export interface CompositeConfiguration {
  readonly source: 'composite';
  readonly searchEmbedder: EmbedderConfiguration;
  readonly indexingEmbedder: EmbedderConfiguration;
}
