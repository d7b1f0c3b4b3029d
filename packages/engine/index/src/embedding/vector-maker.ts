import type { EmbedderInput, RequestReport } from '@fossick/embedders';
import type { EmbedderConfig } from '@fossick/settings';

export interface MakeOptions {
  /**
   * True once the vectors are no longer wanted: running requests are aborted, and EmbeddingError of kind `aborted` is
   * thrown.
   */
  readonly isCanceled: () => boolean;
  readonly onRequest: (report: RequestReport) => void;
}

/** Vectors that are made while the caller does other work. The caller must call either `take` or `drop`, once. */
export interface PendingVectors {
  /** Waits for the vectors: one for each input, in their order, or none at all. Throws EmbeddingError. */
  take(): Float32Array[];
  /** Aborts the running requests. */
  drop(): void;
}

/**
 * Makes vectors for a writer. Its transactions are synchronous, so it blocks while it waits, or does other work
 * meanwhile. Configurations are those of the settings, without defaults.
 */
export interface VectorMaker {
  /**
   * The number of dimensions of an embedder's vectors; sends one request to its provider, or one to each side of a
   * composite embedder. Throws EmbeddingError.
   */
  dimensions(embedder: EmbedderConfig, options: MakeOptions): number;
  /**
   * Begins to make the vector of each input. Several calls may run at once; their requests share the limits of the
   * provider. `options` are checked while the caller waits.
   */
  begin(embedder: EmbedderConfig, inputs: readonly EmbedderInput[], options: MakeOptions): PendingVectors;
}
