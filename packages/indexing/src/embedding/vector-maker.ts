import type { EmbedderInput, RequestReport } from '@fossick/embedders';
import type { EmbedderConfig } from '@fossick/settings';

export interface MakeOptions {
  /** True once nobody wants the vectors any more: what is in flight is broken off, and EmbeddingError of kind `aborted` thrown. */
  readonly isCanceled: () => boolean;
  readonly onRequest: (report: RequestReport) => void;
}

/** Vectors that are being made while their caller does other things. Either `take` or `drop` has to be called, once. */
export interface PendingVectors {
  /** The vector of each input, in their order, all or nothing: waits for them. Throws EmbeddingError. */
  take(): Float32Array[];
  /** They are not wanted any more: what is in flight is broken off. */
  drop(): void;
}

/**
 * Makes vectors for a writer, whose transactions are synchronous: it waits for them, or goes on meanwhile. Configurations are those of the settings, defaults
 * not filled in.
 */
export interface VectorMaker {
  /** Numbers of every vector of an embedder; asks its provider once, and both sides of a composite one. Throws EmbeddingError. */
  dimensions(embedder: EmbedderConfig, options: MakeOptions): number;
  /**
   * Begins to make the vector of each input. Several may be under way; requests of all of them share the limits of their provider. `options` are heeded
   * while something is waited for.
   */
  begin(embedder: EmbedderConfig, inputs: readonly EmbedderInput[], options: MakeOptions): PendingVectors;
}
