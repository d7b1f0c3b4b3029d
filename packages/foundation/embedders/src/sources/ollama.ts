import type { OllamaConfiguration } from '../configuration.js';
import { EmbeddingError, shownUrl } from '../embedding-error.js';
import type { ProviderClient } from '../http/provider-client.js';
import { type Provider, textOf } from './provider.js';
import { readVector, readVectors } from './read-vector.js';

export const OLLAMA_URL = 'http://localhost:11434/api/embeddings';
/** A local model computes inputs one after another anyway; a request of this size takes seconds. */
const INPUTS_MAX = 32;

/** Ollama's two routes: `/api/embed` takes several inputs, the older `/api/embeddings` one. Throws EmbeddingError for any other. */
export function ollamaProvider(
  { model, dimensions, url = OLLAMA_URL }: OllamaConfiguration,
  client: ProviderClient,
): Provider {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  const takesSeveral = path.endsWith('/api/embed');
  if (!takesSeveral && !path.endsWith('/api/embeddings'))
    throw new EmbeddingError(
      'configuration',
      `The address of an ollama embedder has to end in \`/api/embed\` or \`/api/embeddings\`, not ${shownUrl(url)}.`,
      { url: shownUrl(url) },
    );
  return {
    inputsMax: takesSeveral ? INPUTS_MAX : 1,
    dimCount: dimensions ?? null,
    async request(inputs, options) {
      const texts = inputs.map(textOf);
      if (!takesSeveral) {
        const { embedding } = objectOf(await client.post({ model, prompt: texts[0] }, options));
        return [readVector(embedding, client)];
      }
      const { embeddings } = objectOf(await client.post({ model, input: texts }, options));
      return readVectors(embeddings, inputs.length, client);
    },
    close: async () => {},
  };
}

function objectOf(answer: unknown): Readonly<Record<string, unknown>> {
  return typeof answer === 'object' && answer !== null ? (answer as Readonly<Record<string, unknown>>) : {};
}
