import { isJsonObject } from '@fossick/base/contract';
import type { OpenAiConfiguration } from '../configuration.js';
import { EmbeddingError } from '../embedding-error.js';
import type { ProviderClient } from '../http/provider-client.js';
import { type Provider, textOf } from './provider.js';
import { readVectors } from './read-vector.js';

export const OPENAI_URL = 'https://api.openai.com/v1/embeddings';
const DEFAULT_MODEL = 'text-embedding-3-small';
/**
 * Inputs of one request: the vendor allows 2,048; with fewer, less is lost by a failure and several requests run
 * concurrently.
 */
const INPUTS_MAX = 100;

/** The vendor's models: number of dimensions, and whether fewer can be requested. */
const MODELS: Readonly<Record<string, { readonly dimCount: number; readonly canShorten: boolean }>> = {
  'text-embedding-3-small': { dimCount: 1536, canShorten: true },
  'text-embedding-3-large': { dimCount: 3072, canShorten: true },
  'text-embedding-ada-002': { dimCount: 1536, canShorten: false },
};

/** OpenAI's embeddings API: `POST {model, input[]}`. */
export function openAiProvider(configuration: OpenAiConfiguration, client: ProviderClient): Provider {
  const { model = DEFAULT_MODEL, dimensions } = configuration;
  const known = Object.hasOwn(MODELS, model) ? MODELS[model] : undefined;
  const asksForDimensions = dimensions !== undefined && known?.canShorten !== false;
  return {
    inputsMax: INPUTS_MAX,
    dimCount: dimensions ?? known?.dimCount ?? null,
    async request(inputs, options) {
      const body = { model, input: inputs.map(textOf), ...(asksForDimensions ? { dimensions } : {}) };
      const answer = await client.post(body, options);
      return readVectors(inOrder(answer, client), inputs.length, client);
    },
    close: async () => {},
  };
}

/** Items have the index of their input, because some providers do not keep the order. */
function inOrder(answer: unknown, client: ProviderClient): unknown[] {
  const data = isJsonObject(answer) ? answer.data : undefined;
  if (!Array.isArray(data)) throw client.nonsense('answered without `data`');
  const items = data.map((item: unknown, at) => {
    if (!isJsonObject(item)) throw client.nonsense('answered with `data` that holds no objects');
    return { index: typeof item.index === 'number' ? item.index : at, embedding: item.embedding };
  });
  return items.sort((left, right) => left.index - right.index).map(({ embedding }) => embedding);
}

/** Headers of a request with a key; none without. */
export function bearer(apiKey: string | undefined): Readonly<Record<string, string>> {
  if (apiKey === undefined || apiKey === '') return {};
  if (/[^\t\x20-\x7e]/.test(apiKey))
    throw new EmbeddingError('configuration', 'The API key of the embedder holds characters that no header takes.');
  return { authorization: `Bearer ${apiKey}` };
}
