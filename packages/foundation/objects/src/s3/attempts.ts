import { setTimeout } from 'node:timers/promises';
import { errorOf, type Failure, failureOf, S3Error } from './s3-error.js';

export interface AttemptTiming {
  /** For an answer, in addition to the time that its bytes need. */
  readonly answerMs: number;
  /** Requests for one thing at most. */
  readonly attempts: number;
  /** Before the second attempt, doubled before each other one, and up to as much again by chance. */
  readonly pauseMs: number;
  /** Waits so long, in milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** A signal that is given after so many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
}
/** An answer is 15 s late: the store, or the way there, is away. Five attempts last 3 s and more in pauses. */
export const ATTEMPT_TIMING: AttemptTiming = {
  answerMs: 15_000,
  attempts: 5,
  pauseMs: 200,
  pause: (ms) => setTimeout(ms),
  deadline: (ms) => AbortSignal.timeout(ms),
};

const PAUSE_MAX_MS = 10_000;
/** The slowest connection that is used: 64 KiB a second. */
const BYTES_PER_MS = 64;

export interface AttemptOptions {
  readonly timing: AttemptTiming;
  /** For messages. */
  readonly place: string;
  /** Bytes that are sent or received. */
  readonly bytes?: number;
  /** Whether a request that may have been done is made again. */
  readonly isRepeatable: boolean;
}

/**
 * Makes a request until it is answered. Passes on what `expected` makes of a failure, if anything. Throws S3Error, which
 * says that nothing was written only of a lasting refusal: whoever waits for another one may see it pass.
 *
 * @param request its signal ends it when the time is over
 */
export async function attempt<T>(
  request: (signal: AbortSignal) => Promise<T>,
  { timing, place, bytes = 0, isRepeatable }: AttemptOptions,
  expected: (failure: Failure) => T | undefined = () => undefined,
): Promise<T> {
  let isUndone = true;
  for (let count = 1; ; count++) {
    let failure: Failure;
    try {
      return await request(timing.deadline(timing.answerMs + Math.ceil(bytes / BYTES_PER_MS)));
    } catch (thrown) {
      if (thrown instanceof S3Error) throw thrown;
      failure = failureOf(thrown);
    }
    isUndone &&= failure.isUndone;
    const meant = expected(failure);
    if (meant !== undefined) return meant;
    if (count >= timing.attempts || !mayPass(failure) || !(isRepeatable || failure.isUndone))
      throw errorOf({ ...failure, isUndone: isUndone && !mayPass(failure) }, place);
    await timing.pause(pauseBefore(count, failure, timing));
  }
}

/** The client corrects its clock by the answer that refused it, so the next attempt may succeed. */
function mayPass({ kind }: Failure): boolean {
  return kind === 'busy' || kind === 'unreachable' || kind === 'clock';
}

function pauseBefore(count: number, { kind, retryAfterMs }: Failure, { pauseMs }: AttemptTiming): number {
  if (retryAfterMs !== null) return retryAfterMs;
  if (kind === 'clock') return 0;
  const least = Math.min(pauseMs * 2 ** (count - 1), PAUSE_MAX_MS);
  return least * (1 + Math.random());
}
