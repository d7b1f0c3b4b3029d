/** What an embedder is made of, by source. Field names are those of the `embedders` setting. */
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
  /** Fewer than the model has, where it can. */
  readonly dimensions?: number;
  /** Of any provider that speaks the same; default the vendor's own. */
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
  /** JSON with `"{{embedding}}"` where the vector is, in an array with `"{{..}}"` where there are several. */
  readonly response: unknown;
  readonly apiKey?: string;
  readonly dimensions?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Inputs are fragments, not texts. */
  readonly hasFragments?: boolean;
}
export interface HuggingFaceConfiguration {
  readonly source: 'huggingFace';
  /** A folder with a model, or the name of an installed package that holds one. */
  readonly model: string;
  readonly revision?: string;
  readonly pooling?: 'useModel' | 'forceMean' | 'forceCls';
}
export interface UserProvidedConfiguration {
  readonly source: 'userProvided';
  readonly dimensions: number;
}
/** One side for documents, the other for queries: a large provider and a quick local model of the same space. */
export interface CompositeConfiguration {
  readonly source: 'composite';
  readonly searchEmbedder: EmbedderConfiguration;
  readonly indexingEmbedder: EmbedderConfiguration;
}
