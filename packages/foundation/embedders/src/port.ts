/**
 * One thing to embed: a text, or a fragment, which is JSON that the provider understands (for example the address of an
 * image).
 */
export type EmbedderInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fragment'; readonly value: unknown };

/** The result of one request to a provider, for statistics. */
export interface RequestReport {
  readonly isSuccess: boolean;
  readonly durationMs: number;
  /** Requests of the same call in all, including this one, without retries; absent where there is just one. */
  readonly requestCount?: number;
  /** Why it failed, in a text without secrets. */
  readonly fault?: string;
}

export interface EmbedOptions {
  /** Aborts all running requests; `embed` then throws an EmbeddingError of kind `aborted`. */
  readonly signal?: AbortSignal;
  /** Time limit in milliseconds from now, including retries and pauses; absent: that of the embedder. */
  readonly timeoutMs?: number;
  readonly onRequest?: (report: RequestReport) => void;
}

/** Makes vectors. Several callers may use it at once; their requests share its limits. */
export interface Embedder {
  /** The number of dimensions. Sends one request if the configuration does not give it. Throws EmbeddingError. */
  dimensions(options?: EmbedOptions): Promise<number>;
  /**
   * The vector of each input, in their order, by several requests, some of them concurrent. Throws the first
   * EmbeddingError once no request is running any more: all vectors or none.
   */
  embed(inputs: readonly EmbedderInput[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Frees the memory of a local model. */
  close(): Promise<void>;
}
