import type { IncomingMessage } from 'node:http';
import { apiError } from '@fossick/base';
import { type BodyReservation, NO_RESERVATION } from '@fossick/tasks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyMemory } from './body-memory.js';
import { type BodySpans, BodyWatch } from './body-watch.js';

/** Emitted by a request when its client has stopped sending; the reader of the body then fails. */
export const STALLED = 'stalled';

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of its body's memory; undefined without one. */
    bodyHold: BodyReservation | undefined;
  }
}

/**
 * Limits what clients can occupy with incomplete bodies: time by their progress, and memory over all of them. Refuses
 * transfer encodings that nobody decodes.
 */
export function registerBodyIntake(app: FastifyInstance, memory: BodyMemory, spans?: BodySpans): void {
  const watch = new BodyWatch(endStalled, spans);
  app.decorateRequest('bodyHold', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { 'transfer-encoding': coding } = request.raw.headers;
    // Node undoes `chunked` and ignores what comes before it
    if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
      return done(apiError('bad_request', 'transferEncoding', coding));
    if (hasBody(request.raw)) {
      const watched = watch.add(request.raw);
      const hold = memory.hold();
      request.bodyHold = hold;
      reply.raw.on('close', () => {
        // values made from the body count until the answer is complete
        hold.release();
        watch.answered(watched);
      });
    }
    done();
  });
}

/** The account of a request's body. */
export function holdOf(request: FastifyRequest): BodyReservation {
  return request.bodyHold ?? NO_RESERVATION;
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
