import { OutboundClient } from '@fossick/outbound';
import type { EmbedderConfiguration } from '../configuration.js';
import { EmbeddingError, shownUrl } from '../embedding-error.js';
import { MinuteLimit, minuteLimitMemory } from '../http/minute-limit.js';
import { ProviderClient, type ProviderLimits } from '../http/provider-client.js';
import { RequestLimit } from '../http/request-limit.js';
import { RequestSlots, requestMemory } from '../http/request-slots.js';
import type { Embedder, EmbedderInput, EmbedOptions } from '../port.js';
import { huggingFaceProvider } from '../sources/hugging-face.js';
import { OLLAMA_URL, ollamaProvider } from '../sources/ollama.js';
import { bearer, OPENAI_URL, openAiProvider } from '../sources/open-ai.js';
import type { Provider } from '../sources/provider.js';
import { restProvider } from '../sources/rest.js';
import { CompositeEmbedder } from './composite.js';

/** The input sent to find the number of dimensions. */
const PROBE: EmbedderInput = { kind: 'text', text: 'test' };

/** Vectors come with documents and searches; none are made. */
class UserProvidedEmbedder implements Embedder {
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

export interface EmbedderLimits extends ProviderLimits {
  /** The most concurrent requests to a provider's address. */
  readonly requestsAtOnce: number;
  /** The most requests to one provider that begin within any minute; null: no limit. */
  readonly requestsPerMinute: number | null;
  /**
   * `minuteLimitMemory(requestsPerMinute)`, for embedders of several threads that share the limit; absent: each embedder has
   * its own.
   */
  readonly begun?: SharedArrayBuffer;
}

export const DEFAULT_LIMITS: EmbedderLimits = {
  requestTimeoutMs: 30_000,
  retryMs: 60_000,
  answerBytes: 64 * 2 ** 20,
  requestsAtOnce: 8,
  requestsPerMinute: null,
};

export interface EmbedderOptions {
  /** Overrides of DEFAULT_LIMITS. */
  readonly limits?: Partial<EmbedderLimits>;
  /** Counts of concurrent requests, for embedders that share that limit; absent: each embedder has its own. */
  readonly slots?: RequestSlots;
  /** Sends requests; absent: one that reaches any address. */
  readonly client?: Pick<OutboundClient, 'request'>;
}
const anyAddress = new OutboundClient({ policy: null });

/**
 * Creates an embedder. Sends no request yet. Throws EmbeddingError of kind `configuration` for one that can never work.
 */
export function createEmbedder(configuration: EmbedderConfiguration, options: EmbedderOptions = {}): Embedder {
  if (configuration.source === 'userProvided') return new UserProvidedEmbedder(configuration.dimensions);
  if (configuration.source === 'composite')
    return new CompositeEmbedder(
      createEmbedder(configuration.searchEmbedder, options),
      createEmbedder(configuration.indexingEmbedder, options),
    );
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const atOnce = configuration.source === 'huggingFace' ? 1 : limits.requestsAtOnce;
  const slots = options.slots ?? new RequestSlots(requestMemory(), 'indexing');
  return new ProviderEmbedder(providerOf(configuration, limits, slots, options.client ?? anyAddress), atOnce);
}

type RemoteConfiguration = Exclude<EmbedderConfiguration, { readonly source: 'userProvided' | 'composite' }>;

function providerOf(
  configuration: RemoteConfiguration,
  limits: EmbedderLimits,
  slots: RequestSlots,
  outbound: Pick<OutboundClient, 'request'>,
): Provider {
  const { requestsAtOnce, requestsPerMinute, begun } = limits;
  const client = (url: string, headers: Readonly<Record<string, string>>): ProviderClient => {
    if (!/^https?:/.test(url))
      throw new EmbeddingError('configuration', 'The address of an embedder has to be http or https.');
    const minute =
      requestsPerMinute === null
        ? null
        : new MinuteLimit(requestsPerMinute, begun ?? minuteLimitMemory(requestsPerMinute), shownUrl(url));
    const turns = new RequestLimit({ address: shownUrl(url), atOnce: requestsAtOnce, slots }, minute);
    return new ProviderClient(outbound, url, headers, limits, turns);
  };
  switch (configuration.source) {
    case 'openAi':
      return openAiProvider(configuration, client(configuration.url ?? OPENAI_URL, bearer(configuration.apiKey)));
    case 'ollama':
      return ollamaProvider(configuration, client(configuration.url ?? OLLAMA_URL, bearer(configuration.apiKey)));
    case 'rest': {
      const { url, apiKey, headers = {} } = configuration;
      return restProvider(configuration, client(url, { ...bearer(apiKey), ...lowerCased(headers) }));
    }
    case 'huggingFace':
      return huggingFaceProvider(configuration);
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Splits inputs into a provider's requests, some of which run concurrently, and checks the answers. */
class ProviderEmbedder implements Embedder {
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
