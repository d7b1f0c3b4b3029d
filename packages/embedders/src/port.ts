/** One thing to embed: a text, or a fragment, which is JSON that the provider understands (an image by its address, say). */
export type EmbedderInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fragment'; readonly value: unknown };

/** How one request to a provider went, for whoever counts them. */
export interface RequestReport {
  readonly isSuccess: boolean;
  readonly durationMs: number;
  /** Requests that the same call takes in all, this one among them, without those that are made again; absent where there is just one. */
  readonly requestCount?: number;
  /** Why it failed, in words that hold no secret. */
  readonly fault?: string;
}

export interface EmbedOptions {
  /** Ends all that is in flight; `embed` then throws an EmbeddingError of kind `aborted`. */
  readonly signal?: AbortSignal;
  /** Milliseconds from now until it has to be over, retries and pauses counted; absent: as the embedder was made. */
  readonly timeoutMs?: number;
  readonly onRequest?: (report: RequestReport) => void;
}

/** Makes vectors. May be used by several callers at once; their requests share the limits it was made with. */
export interface Embedder {
  /** Numbers of every vector. Asks the provider once where the configuration does not say. Throws EmbeddingError. */
  dimensions(options?: EmbedOptions): Promise<number>;
  /**
   * The vector of each input, in their order, in requests of several, some of them at once. Throws EmbeddingError for the first that could not be
   * made, once nothing is in flight any more: all or nothing.
   */
  embed(inputs: readonly EmbedderInput[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Frees what a local model holds. */
  close(): Promise<void>;
}
