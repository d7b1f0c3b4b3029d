import { EmbeddingError } from '../embedding-error.js';
import type { Embedder } from '../port.js';

/** Vectors come with documents and searches; none are made. */
export class UserProvidedEmbedder implements Embedder {
  private readonly dimCount: number;

  constructor(dimCount: number) {
    this.dimCount = dimCount;
  }

  async dimensions(): Promise<number> {
    return this.dimCount;
  }

  async embed(): Promise<never> {
    throw new EmbeddingError(
      'configuration',
      'A userProvided embedder makes no vectors: give them with documents and searches.',
    );
  }

  async close(): Promise<void> {}
}
