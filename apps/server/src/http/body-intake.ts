import type { IncomingMessage } from 'node:http';
import { type BodyHold, NO_HOLD } from '@fossick/payloads';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyMemory } from './body-memory.js';
import { type BodySpans, BodyWatch } from './body-watch.js';

/** What a request emits when its client has stopped sending; whoever reads the body ends it then. */
export const STALLED = 'stalled';

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body takes of the memory for bodies; undefined when it has none. */
    bodyHold: BodyHold | undefined;
  }
}

/** Bounds what clients can hold of this server by bodies that they have begun: time by progress, and memory over all of them. */
export function registerBodyIntake(app: FastifyInstance, memory: BodyMemory, spans?: BodySpans): void {
  const watch = new BodyWatch(endStalled, spans);
  app.decorateRequest('bodyHold', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.raw)) {
      const watched = watch.add(request.raw);
      const hold = memory.hold();
      request.bodyHold = hold;
      reply.raw.once('close', () => {
        // what was made of the body is held as long as the answer is worked on
        hold.release();
        watch.answered(watched);
      });
    }
    done();
  });
}

/** What the body of a request is counted on. */
export function holdOf(request: FastifyRequest): BodyHold {
  return request.bodyHold ?? NO_HOLD;
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return length !== '0';
  // over HTTP/2 a body needs no announcement; what was none is whole at once
  return headers['transfer-encoding'] !== undefined || ':method' in headers;
}

/** A reader answers; without one, or when it has done so, nothing more is expected of the connection. */
function endStalled(request: IncomingMessage): void {
  if (request.listenerCount(STALLED) > 0) request.emit(STALLED);
  else request.destroy();
}
