import type { RestConfiguration } from '../configuration.js';
import type { ProviderClient } from '../http/provider-client.js';
import type { EmbedderInput } from '../port.js';
import { type Provider, textOf } from './provider.js';
import { readVector } from './read-vector.js';
import { type Path, pathText, type RestTemplates, readRestTemplates } from './rest-templates.js';

/** Inputs of one request if the template repeats. */
const INPUTS_MAX = 100;

/**
 * Any HTTP API, described by templates of its request and its answer. Throws EmbeddingError of kind `configuration` for
 * invalid templates.
 */
export function restProvider(configuration: RestConfiguration, client: ProviderClient): Provider {
  const { request, response, dimensions, hasFragments = false } = configuration;
  const templates = readRestTemplates(request, response, hasFragments);
  return {
    inputsMax: templates.repeated === null ? 1 : INPUTS_MAX,
    dimCount: dimensions ?? null,
    async request(inputs, options) {
      const answer = await client.post(fillRequest(request, templates, inputs), options);
      return readAnswer(answer, templates, inputs.length, client);
    },
    close: async () => {},
  };
}

/** The template with the placeholders replaced by the inputs. O(size of template and inputs) */
function fillRequest(template: unknown, templates: RestTemplates, inputs: readonly EmbedderInput[]): unknown {
  const values = inputs.map((input) => (input.kind === 'text' ? textOf(input) : input.value));
  const { inputPath, repeated } = templates;
  return repeated === null
    ? replaced(template, inputPath, values[0])
    : replaced(template, repeated.requestPath, values);
}

function replaced(template: unknown, path: Path, value: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  if (Array.isArray(template)) return template.map((item, at) => (at === part ? replaced(item, rest, value) : item));
  const entries = Object.entries(template as object);
  return Object.fromEntries(
    entries.map(([name, member]) => [name, name === part ? replaced(member, rest, value) : member]),
  );
}

/** The vectors at the template's path. */
export function readAnswer(
  answer: unknown,
  { embeddingPath, repeated }: RestTemplates,
  count: number,
  client: ProviderClient,
): Float32Array[] {
  if (repeated === null) return [readVector(valueAt(answer, embeddingPath, client), client)];
  const { responsePath } = repeated;
  const items = valueAt(answer, responsePath, client);
  if (!Array.isArray(items)) throw client.nonsense(`answered without a list at ${pathText(responsePath)}`);
  if (items.length !== count) throw client.nonsense(`answered with ${items.length} vectors for ${count} inputs`);
  const inItem = embeddingPath.slice(responsePath.length + 1);
  return items.map((item: unknown) => readVector(valueAt(item, inItem, client), client));
}

function valueAt(answer: unknown, path: Path, client: ProviderClient): unknown {
  let value = answer;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      throw client.nonsense(`answered without ${pathText(path)}`);
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return value;
}
