import { EmbeddingError } from '../embedding-error.js';
import type { Embedder, EmbedderInput, EmbedOptions } from '../port.js';

/** Texts that are embedded by both sides to check that they agree. */
const TRIALS = ['A dog in the park', 'The price of copper rose in spring', 'kitchen'].map(
  (text): EmbedderInput => ({ kind: 'text', text }),
);
/**
 * The least cosine of the two vectors of one text: the same model computed with another precision is above it, another
 * model is far below.
 */
const COSINE_MIN = 0.95;

/**
 * One embedder for documents, another of the same vector space for queries. `embed` is the side of documents;
 * `forSearch` the other.
 */
export class CompositeEmbedder implements Embedder {
  readonly forSearch: Embedder;
  private readonly forIndexing: Embedder;

  constructor(forSearch: Embedder, forIndexing: Embedder) {
    this.forSearch = forSearch;
    this.forIndexing = forIndexing;
  }

  /**
   * Sends a request to both sides, and throws EmbeddingError of kind `dimensions` or `configuration` where they do not
   * fit together.
   */
  async dimensions(options: EmbedOptions = {}): Promise<number> {
    const [forSearch, forIndexing] = await Promise.all([
      this.forSearch.dimensions(options),
      this.forIndexing.dimensions(options),
    ]);
    if (forSearch !== forIndexing)
      throw new EmbeddingError(
        'dimensions',
        `The search embedder makes vectors of ${forSearch} dimensions, the indexing embedder of ${forIndexing}.`,
      );
    const [searched, indexed] = await Promise.all([
      this.forSearch.embed(TRIALS, options),
      this.forIndexing.embed(TRIALS, options),
    ]);
    for (const [at, vector] of searched.entries()) {
      const likeness = cosine(vector, indexed[at]!);
      if (likeness < COSINE_MIN)
        throw new EmbeddingError(
          'configuration',
          `The search and the indexing embedder do not make the same vectors: those of one text are ${likeness.toFixed(3)} alike, not ${COSINE_MIN} or more.`,
        );
    }
    return forIndexing;
  }

  embed(inputs: readonly EmbedderInput[], options?: EmbedOptions): Promise<Float32Array[]> {
    return this.forIndexing.embed(inputs, options);
  }

  async close(): Promise<void> {
    await this.forSearch.close();
    await this.forIndexing.close();
  }
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, left, right] = [0, 0, 0];
  for (const [dim, value] of a.entries()) {
    product += value * b[dim]!;
    left += value * value;
    right += b[dim]! * b[dim]!;
  }
  return product / Math.sqrt(left * right);
}
