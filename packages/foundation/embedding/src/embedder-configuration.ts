import {
  DEFAULT_LIMITS,
  type EmbedderConfiguration,
  type EmbedderLimits,
  minuteLimitMemory,
  requestMemory,
} from '@fossick/embedders';
import { type EmbedderConfig, resolvedEmbedder, sourceOf } from '@fossick/settings';

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

/** Limits of the requests to providers, shared by all threads that get them. */
export interface SharedLimits extends Partial<EmbedderLimits> {
  /** The shared count of running requests (RequestSlots). */
  readonly running: SharedArrayBuffer;
}

/** Limits of the requests to providers, as far as the environment or the command line set them. */
export function embedderLimits(env: Environment, requestsPerMinute: number | null): SharedLimits {
  const milliseconds = (name: string): number | undefined => {
    const full = `EXPERIMENTAL_REST_EMBEDDER_${name}_SECONDS`;
    const seconds = Number(nonEmpty(env[`FOSSICK_${full}`]) ?? nonEmpty(env[`MEILI_${full}`]));
    return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
  };
  return {
    requestTimeoutMs: milliseconds('TIMEOUT') ?? DEFAULT_LIMITS.requestTimeoutMs,
    retryMs: milliseconds('MAX_RETRY_DURATION') ?? DEFAULT_LIMITS.retryMs,
    requestsPerMinute,
    running: requestMemory(),
    ...(requestsPerMinute === null ? {} : { begun: minuteLimitMemory(requestsPerMinute) }),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
