import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { collectGarbage } from '@fossick/base';
import type { AnswerAccount, AnswerReservation } from '@fossick/search-service';

/**
 * Milliseconds within which a client must take a piece of its answer, or the rest of it. That is 1.1 KB/s, less than
 * any modem takes. The span is long because the system reports progress in steps: a sender learns of it when a third
 * of its socket's buffer, 4 MiB at most, is free again, which is after 14 s for a client that reads 100 KB/s.
 */
const SPAN_MS = 60_000;
/**
 * Interval of the checks, in milliseconds. A check that is much too late means that this thread was busy: then no
 * client is blamed.
 */
const LOOK_MS = 5_000;

/**
 * Bytes that a client must take in each second after the first span while answers hold more than half of their memory:
 * clients of 1.1 KB/s could keep it for a day. A client that reads 100 KB/s gets any answer.
 */
const CROWDED_BYTES_PER_SECOND = 64 << 10;

/** An answer of this size that is refused or done is freed before others like it: it is not counted any more. */
export const LARGE_BYTES = 16 * 2 ** 20;
let isCollecting = false;
/** Frees what nobody refers to once this turn is over. One collection is for all answers of the turn. */
export function collectSoon(): void {
  if (isCollecting) return;
  isCollecting = true;
  setImmediate(() => {
    isCollecting = false;
    collectGarbage();
  });
}

/** Spans in milliseconds, and the rate. */
export interface AnswerSpans {
  readonly spanMs: number;
  readonly lookMs: number;
  readonly crowdedBytesPerSecond?: number;
}
const SPANS: AnswerSpans = { spanMs: SPAN_MS, lookMs: LOOK_MS };

/** An answer from its admission until its connection or stream has taken all of it, or is closed. */
interface Waiting {
  readonly reservation: AnswerReservation;
  /** When its client took something last; null until it is sent. */
  fromMs: number | null;
  /** When it began to be sent. */
  sinceMs: number;
  /** Bytes that its connection has taken; 0 for an answer that is sent at once. */
  takenBytes: number;
}

/** Counts the bytes of all answers that wait for their clients, and closes those whose clients do not read. */
export class AnswerWatch {
  private readonly account: AnswerAccount;
  private readonly spans: AnswerSpans;
  private readonly waiting = new Map<ServerResponse, Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private lookedMs = 0;

  constructor(account: AnswerAccount, spans: AnswerSpans = SPANS) {
    this.account = account;
    this.spans = spans;
  }

  /** Counts an answer of this many bytes until `ended`. @throws ApiError too_many_answers */
  count(response: ServerResponse, bytes: number): void {
    if (isGone(response)) return;
    const known = this.waiting.get(response);
    const reservation = known?.reservation ?? this.account.reserve();
    reservation.set(bytes);
    if (known === undefined) this.waiting.set(response, { reservation, fromMs: null, sinceMs: 0, takenBytes: 0 });
    if (this.timer !== undefined) return;
    this.lookedMs = Date.now();
    this.timer = setInterval(() => this.look(), this.spans.lookMs).unref();
  }

  /** Called when an answer begins to be sent, as this many bytes: at most those that were counted. */
  sends(response: ServerResponse, bytes: number): void {
    const waiting = this.waiting.get(response);
    if (waiting === undefined) return;
    waiting.reservation.shrink(bytes);
    waiting.sinceMs = Date.now();
    this.progressed(response, 0);
  }

  /** Called when its client has taken this many more bytes of it. */
  progressed(response: ServerResponse, bytes: number): void {
    const waiting = this.waiting.get(response);
    if (waiting === undefined) return;
    waiting.fromMs = Date.now();
    waiting.takenBytes += bytes;
  }

  /** Called when an answer is sent completely, or its connection is closed. */
  ended(response: ServerResponse): void {
    const reservation = this.waiting.get(response)?.reservation;
    if (reservation === undefined) return;
    if (reservation.bytes >= LARGE_BYTES) collectSoon();
    reservation.release();
    this.waiting.delete(response);
  }

  private look(): void {
    const { spanMs, lookMs } = this.spans;
    const nowMs = Date.now();
    const lateMs = nowMs - this.lookedMs;
    const wasBusy = lateMs > 2 * lookMs;
    this.lookedMs = nowMs;
    if (this.waiting.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    for (const [response, waiting] of this.waiting) {
      if (isGone(response)) this.ended(response);
      else if (waiting.fromMs === null) continue;
      else if (wasBusy || isQueued(response)) {
        waiting.fromMs = nowMs;
        waiting.sinceMs += lateMs;
      } else if (nowMs - waiting.fromMs >= spanMs || this.isTooSlow(waiting, nowMs)) {
        response.destroy();
        this.ended(response);
      }
    }
  }

  private isTooSlow({ sinceMs, takenBytes }: Waiting, nowMs: number): boolean {
    const { spanMs, crowdedBytesPerSecond = CROWDED_BYTES_PER_SECOND } = this.spans;
    return this.account.isCrowded && takenBytes < ((nowMs - sinceMs - spanMs) / 1_000) * crowdedBytesPerSecond;
  }
}

/** Whether its connection was closed: Node does not report that to answers that wait for earlier ones on the same connection. */
export function isGone(response: ServerResponse & { readonly stream?: Http2ServerResponse['stream'] }): boolean {
  const { stream } = response;
  return stream === undefined ? response.destroyed || response.req.socket.destroyed : stream.destroyed;
}

/** Whether it waits for earlier answers on the same connection. */
function isQueued(response: ServerResponse): boolean {
  return response.socket === null;
}
