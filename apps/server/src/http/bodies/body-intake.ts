import type { IncomingMessage } from 'node:http';
import { apiError } from '@fossick/base';
import { type BodyReservation, NO_RESERVATION } from '@fossick/tasks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyMemory } from './body-memory.js';

/**
 * Bytes that a client must send of its body within each span: fewer than any modem sends, but more than a client that
 * only keeps the connection open.
 */
const PROGRESS_BYTES = 1_000;
const SPAN_MS = 30_000;
/**
 * Interval of the checks, in milliseconds. A check that is much too late means that this thread was busy: then no
 * client is blamed.
 */
const LOOK_MS = 5_000;
const SPANS: BodySpans = { spanMs: SPAN_MS, lookMs: LOOK_MS };

/** Emitted by a request when its client has stopped sending; the reader of the body then fails. */
export const STALLED = 'stalled';

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of its body's memory; undefined without one. */
    bodyReservation: BodyReservation | undefined;
  }
}

/**
 * Limits what clients can occupy with incomplete bodies: time by their progress, and memory over all of them. Refuses
 * transfer encodings that nobody decodes.
 */
export function registerBodyIntake(app: FastifyInstance, memory: BodyMemory, spans?: BodySpans): void {
  const watch = new BodyWatch(endStalled, spans);
  app.decorateRequest('bodyReservation', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { 'transfer-encoding': coding } = request.raw.headers;
    // Node undoes `chunked` and ignores what comes before it
    if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
      return done(apiError('bad_request', 'transferEncoding', coding));
    if (hasBody(request.raw)) {
      const watched = watch.add(request.raw);
      const reservation = memory.reserve();
      request.bodyReservation = reservation;
      reply.raw.on('close', () => {
        // values made from the body count until the answer is complete
        reservation.release();
        watch.answered(watched);
      });
    }
    done();
  });
}

/** The account of a request's body. */
export function reservationOf(request: FastifyRequest): BodyReservation {
  return request.bodyReservation ?? NO_RESERVATION;
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return length !== '0';
  // over HTTP/2 a body is not announced; a request without one is complete at once
  return headers['transfer-encoding'] !== undefined || ':method' in headers;
}

/** The reader answers; without one, or if it has answered already, the connection is closed. */
function endStalled(request: IncomingMessage): void {
  if (request.listenerCount(STALLED) > 0) request.emit(STALLED);
  else request.destroy();
}

/** A request whose body may be incomplete. */
interface Watched {
  readonly request: IncomingMessage;
  fromBytes: number;
  fromMs: number;
}

/** Spans in milliseconds. */
interface BodySpans {
  readonly spanMs: number;
  readonly lookMs: number;
}

/** Detects bodies whose clients have stopped sending. */
export class BodyWatch {
  private readonly watched = new Set<Watched>();
  private readonly onStall: (request: IncomingMessage) => void;
  private readonly spans: BodySpans;
  private timer: NodeJS.Timeout | undefined;
  private lookedMs = 0;

  /** `onStall` is called for each span without progress, also after the request was answered. */
  constructor(onStall: (request: IncomingMessage) => void, spans: BodySpans = SPANS) {
    this.onStall = onStall;
    this.spans = spans;
  }

  /**
   * Watches a request until its body is complete or its connection is closed. Neither is an event here: a check notices
   * it, and for most requests `answered`, because in a young process listeners would cost a search more than reading
   * its body does.
   */
  add(request: IncomingMessage): Watched {
    const watched: Watched = { request, fromBytes: request.socket?.bytesRead ?? 0, fromMs: Date.now() };
    this.watched.add(watched);
    if (this.timer === undefined) {
      this.lookedMs = Date.now();
      this.timer = setInterval(() => this.look(), this.spans.lookMs).unref();
    }
    return watched;
  }

  /** Called when a request is answered. An incomplete body is watched further. */
  answered(watched: Watched): void {
    if (isOver(watched.request)) this.watched.delete(watched);
  }

  private look(): void {
    const { spanMs, lookMs } = this.spans;
    const nowMs = Date.now();
    const wasBusy = nowMs - this.lookedMs > 2 * lookMs;
    this.lookedMs = nowMs;
    if (this.watched.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    for (const watched of this.watched) {
      const { request, fromBytes, fromMs } = watched;
      if (isOver(request)) {
        this.watched.delete(watched);
        continue;
      }
      const bytes = request.socket?.bytesRead ?? 0;
      // bytes that we have not read yet are not the client's fault
      const isOurs = wasBusy || request.readableLength > 0 || request.isPaused();
      if (isOurs || bytes - fromBytes >= PROGRESS_BYTES) {
        watched.fromBytes = bytes;
        watched.fromMs = nowMs;
      } else if (nowMs - fromMs >= spanMs) {
        watched.fromMs = nowMs;
        this.onStall(request);
      }
    }
  }
}

/** No more of its body will arrive. */
function isOver({ complete, destroyed, readableEnded }: IncomingMessage): boolean {
  // a request from within the process is never complete in Node's sense
  return complete || destroyed || readableEnded;
}
