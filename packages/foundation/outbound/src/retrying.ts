import { setTimeout as pause } from 'node:timers/promises';

/** A fault that the next attempt may not meet. */
export class TransientFault extends Error {
  /** The error that the caller gets when there is no further attempt. */
  override readonly cause: Error;
  /** Milliseconds that the other side asks to wait; null when it does not. */
  readonly waitMs: number | null;
  /** Whether the attempt had less time than a request may take: its timeout says little about the other side. */
  readonly isCutShort: boolean;

  constructor(cause: Error, waitMs: number | null = null, isCutShort = false) {
    super(cause.message);
    this.cause = cause;
    this.waitMs = waitMs;
    this.isCutShort = isCutShort;
  }
}

/** Tells the time and waits. Tests pass one whose time passes only in pauses. */
export interface RetryClock {
  /** Milliseconds, like `performance.now()`. */
  readonly now: () => number;
  /** Rejects with the reason of the signal when that aborts. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export const REAL_CLOCK: RetryClock = {
  now: () => performance.now(),
  pause: async (ms, signal) => {
    try {
      await pause(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};

export interface RetryLimits {
  /** In all; no limit when absent. */
  readonly attempts?: number;
  /** When the last attempt has to begin, on the clock; asked before each pause. */
  readonly endMs?: () => number;
  /** Before the second attempt, in milliseconds; each later pause is twice as long, up to `pauseMsMax`. */
  readonly firstPauseMs: number;
  readonly pauseMsMax: number;
  /** The longest pause that the other side can ask for, in milliseconds; no limit when absent. The shortest is the first one. */
  readonly askedPauseMsMax?: number;
  /** Multiplies each pause by 0.5 to 1.5, so that clients of one server do not come at the same time. */
  readonly isRandom?: boolean;
  /** Ends a pause; the rejection is its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Default: REAL_CLOCK. */
  readonly clock?: RetryClock;
}

/**
 * Calls `attempt` until it does not throw a TransientFault, or the limits are reached: then throws the cause of the
 * last one, or of the one before if the last had too little time to mean anything.
 */
export async function retrying<T>(limits: RetryLimits, attempt: () => Promise<T>): Promise<T> {
  const { clock = REAL_CLOCK } = limits;
  let earlier: Error | undefined;
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (fault) {
      if (!(fault instanceof TransientFault)) throw fault;
      const error = fault.isCutShort ? (earlier ?? fault.cause) : fault.cause;
      const waitMs = pauseMs(limits, count, fault.waitMs);
      const isLast = count >= (limits.attempts ?? Number.POSITIVE_INFINITY);
      if (isLast || clock.now() + waitMs >= (limits.endMs?.() ?? Number.POSITIVE_INFINITY)) throw error;
      earlier = error;
      await clock.pause(waitMs, limits.signal);
    }
  }
}

function pauseMs(limits: RetryLimits, count: number, askedMs: number | null): number {
  const { firstPauseMs, pauseMsMax, askedPauseMsMax = Number.POSITIVE_INFINITY, isRandom = false } = limits;
  const ownMs = Math.min(firstPauseMs * 2 ** (count - 1), pauseMsMax) * (isRandom ? 0.5 + Math.random() : 1);
  return askedMs === null ? ownMs : Math.max(Math.min(askedMs, askedPauseMsMax), firstPauseMs);
}

/** `Retry-After` (seconds, or a date: RFC 9110 section 10.2.3) in milliseconds from now; null when there is none. */
export function retryAfterMs(value: string | null, nowMs = Date.now()): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
