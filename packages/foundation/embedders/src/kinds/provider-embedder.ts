import { EmbeddingError } from '../embedding-error.js';
import type { Embedder, EmbedderInput, EmbedOptions } from '../port.js';
import type { Provider } from '../sources/provider.js';

/** The input sent to find the number of dimensions. */
const PROBE: EmbedderInput = { kind: 'text', text: 'test' };

/** Splits inputs into a provider's requests, some of which run concurrently, and checks the answers. */
export class ProviderEmbedder implements Embedder {
  private readonly provider: Provider;
  private readonly requestsAtOnce: number;
  private dimCount: number | null;

  constructor(provider: Provider, requestsAtOnce: number) {
    this.provider = provider;
    this.requestsAtOnce = requestsAtOnce;
    this.dimCount = provider.dimCount;
  }

  async dimensions(options: EmbedOptions = {}): Promise<number> {
    if (this.dimCount === null) await this.request([PROBE], 0, options);
    return this.dimCount!;
  }

  async embed(inputs: readonly EmbedderInput[], options: EmbedOptions = {}): Promise<Float32Array[]> {
    const { inputsMax } = this.provider;
    const requestCount = Math.ceil(inputs.length / inputsMax);
    const { onRequest } = options;
    const reporting: EmbedOptions =
      onRequest === undefined ? options : { ...options, onRequest: (report) => onRequest({ ...report, requestCount }) };
    const made: Float32Array[] = new Array(inputs.length);
    const stop = new AbortController();
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
    let next = 0;
    let failure: unknown;
    const work = async (): Promise<void> => {
      while (next < inputs.length && failure === undefined) {
        const from = next;
        next += inputsMax;
        try {
          const vectors = await this.request(inputs.slice(from, from + inputsMax), from, { ...reporting, signal });
          for (const [at, vector] of vectors.entries()) made[from + at] = vector;
        } catch (error) {
          // only the first fault is reported, not the requests that it aborts
          failure ??= error;
          stop.abort();
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.requestsAtOnce, requestCount) }, work));
    if (failure !== undefined) throw failure;
    return made;
  }

  close(): Promise<void> {
    return this.provider.close();
  }

  private async request(
    inputs: readonly EmbedderInput[],
    from: number,
    options: EmbedOptions,
  ): Promise<Float32Array[]> {
    try {
      const vectors = await this.provider.request(inputs, options);
      this.dimCount ??= vectors[0]!.length;
      const wrong = vectors.find(({ length }) => length !== this.dimCount);
      if (wrong !== undefined)
        throw new EmbeddingError(
          'dimensions',
          `The embedding provider returned a vector of ${wrong.length} dimensions; ${this.dimCount} are expected.`,
        );
      return vectors;
    } catch (error) {
      throw error instanceof EmbeddingError ? error.at(from) : error;
    }
  }
}
