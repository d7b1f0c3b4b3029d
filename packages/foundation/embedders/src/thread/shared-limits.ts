import { minuteLimitMemory } from '../http/minute-limit.js';
import { requestMemory } from '../http/request-slots.js';
import { DEFAULT_LIMITS, type EmbedderLimits } from '../kinds/create-embedder.js';

type Environment = Readonly<Record<string, string | undefined>>;

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
