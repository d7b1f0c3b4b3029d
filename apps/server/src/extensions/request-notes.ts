import type { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { sentMethod } from '../http/methods.js';
import type { OwnConnection } from '../http/own-connection.js';
import type { OpenExtensions } from './open-extensions.js';

/** Tells extensions of requests and of what becomes of them. A server whose extensions look at none has no hook for it. */
export function registerRequestNotes(
  app: FastifyInstance,
  extensions: OpenExtensions,
  ownConnection: OwnConnection,
): void {
  if (!extensions.hasRequestNotes) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers, url } = request;
    if (ownConnection.has(raw.socket)) return done();
    const notes = extensions.noteRequest(raw, {
      headers,
      method: sentMethod(raw),
      url,
      connection: raw.socket,
      httpVersion: raw.httpVersion,
      isEncrypted: (raw.socket as Partial<TLSSocket>).encrypted === true,
    });
    if (notes.length > 0)
      // the event of answers that are sent and of those whose client leaves
      reply.raw.once('close', () => {
        const outcome = {
          route: request.routeOptions.url,
          status: reply.raw.statusCode,
          isCut: !reply.raw.writableFinished,
        };
        for (const note of notes) note.end(outcome);
      });
    done();
  });
}
