import type { EmbedderInput, RequestReport } from '@fossick/embedders';
import type { EmbedderConfig } from '@fossick/settings';

export interface MakeOptions {
  /** True once nobody wants the vectors any more: what is in flight is broken off, and EmbeddingError of kind `aborted` thrown. */
  readonly isCanceled: () => boolean;
  readonly onRequest: (report: RequestReport) => void;
}

/**
 * Makes vectors while the writer waits: its transactions are synchronous. Configurations are those of the settings, defaults not filled in. Both methods
 * throw EmbeddingError; `make` is all or nothing.
 */
export interface VectorMaker {
  /** Numbers of every vector of an embedder; asks its provider once, and both sides of a composite one. */
  dimensions(embedder: EmbedderConfig, options: MakeOptions): number;
  /** The vector of each input of a document, in their order. */
  make(embedder: EmbedderConfig, inputs: readonly EmbedderInput[], options: MakeOptions): Float32Array[];
}
