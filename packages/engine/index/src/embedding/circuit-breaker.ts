import { EmbeddingError } from '@fossick/embedders/settings';
import type { EmbedderConfig } from '@fossick/settings';
import { isOfInput } from './document-embedder.js';
import type { PendingVectors, VectorMaker } from './vector-maker.js';

/**
 * Time that a batch waits for a provider that answers nothing, in milliseconds: two operations that try as long as a
 * request is tried. The operations after them fail at once, so that a hundred of them do not wait a hundred times.
 */
const FRUITLESS_MS_MAX = 120_000;

interface Provider {
  /** Since its last vectors. */
  fruitlessMs: number;
  lastFault: EmbeddingError | undefined;
}

/**
 * The vector maker of one batch whose operations fail one by one: a provider that fails for all of them is waited for
 * only so long. An input that it refuses says nothing of the provider.
 */
export function withCircuitBreaker(maker: VectorMaker, now: () => number = () => performance.now()): VectorMaker {
  const providers = new Map<EmbedderConfig, Provider>();
  const providerOf = (embedder: EmbedderConfig): Provider => {
    const known = providers.get(embedder) ?? { fruitlessMs: 0, lastFault: undefined };
    providers.set(embedder, known);
    return known;
  };
  return {
    dimensions: (embedder, options) => maker.dimensions(embedder, options),
    begin(embedder, inputs, options): PendingVectors {
      const provider = providerOf(embedder);
      const { lastFault } = provider;
      if (lastFault !== undefined && provider.fruitlessMs >= FRUITLESS_MS_MAX) {
        const take = (): never => {
          throw lastFault.at(0);
        };
        return { take, drop: () => undefined };
      }
      const begunMs = now();
      const pending = maker.begin(embedder, inputs, options);
      const take = (): Float32Array[] => {
        try {
          const vectors = pending.take();
          provider.fruitlessMs = 0;
          return vectors;
        } catch (error) {
          if (error instanceof EmbeddingError && error.kind !== 'aborted' && !isOfInput(error)) {
            provider.fruitlessMs += now() - begunMs;
            provider.lastFault = error;
          }
          throw error;
        }
      };
      return { take, drop: () => pending.drop() };
    },
  };
}
