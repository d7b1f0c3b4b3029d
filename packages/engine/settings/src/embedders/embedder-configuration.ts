import type { EmbedderConfiguration } from '@fossick/embedders';
import { resolvedEmbedder } from './resolved-embedder.js';
import { type EmbedderConfig, sourceOf } from './sources.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration of an embedder: the settings with the defaults of their source, and with the environment's values
 * where they have none.
 */
export function configurationOf(stored: EmbedderConfig, env: Environment): EmbedderConfiguration {
  const config = resolvedEmbedder(stored);
  if (sourceOf(config) === 'composite')
    return {
      source: 'composite',
      searchEmbedder: configurationOf(config.searchEmbedder as EmbedderConfig, env),
      indexingEmbedder: configurationOf(config.indexingEmbedder as EmbedderConfig, env),
    };
  const { source, model, revision, pooling, apiKey, dimensions, url, request, response, headers } = config;
  const common = { source, model, revision, pooling, apiKey, dimensions, url, request, response, headers };
  const given = Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));
  // the compiler cannot know which fields go with which source: the check of the settings has seen to it
  return {
    ...fromEnvironment(sourceOf(config), env),
    ...given,
    ...fragmentsOf(config),
  } as unknown as EmbedderConfiguration;
}

function fromEnvironment(source: string, env: Environment): object {
  const named = (name: string): string | undefined =>
    nonEmpty(env[`FOSSICK_${name}`]) ?? nonEmpty(env[`MEILI_${name}`]);
  if (source === 'openAi') {
    const apiKey = named('OPENAI_API_KEY') ?? nonEmpty(env.OPENAI_API_KEY);
    return apiKey === undefined ? {} : { apiKey };
  }
  const url = source === 'ollama' ? named('OLLAMA_URL') : undefined;
  return url === undefined ? {} : { url };
}

function fragmentsOf({ indexingFragments, searchFragments }: EmbedderConfig): object {
  const hasFragments = [indexingFragments, searchFragments].some(
    (map) => Object.keys((map ?? {}) as object).length > 0,
  );
  return hasFragments ? { hasFragments } : {};
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
