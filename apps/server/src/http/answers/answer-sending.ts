import type { FastifyInstance } from 'fastify';
import { AnswerPieces, isSentInPieces } from './answer-pieces.js';
import type { AnswerWatch } from './answer-watch.js';

/**
 * Counts answers from before they are compressed until their clients have taken them, and sends large ones in pieces.
 * `register` adds the hooks between these two, which change the bytes. An answer without room is refused with 503.
 */
export function registerAnswers(app: FastifyInstance, watch: AnswerWatch, register: () => void): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!isBytes(payload)) return done(null, payload);
    reply.raw.on('close', () => watch.ended(reply.raw));
    try {
      watch.count(reply.raw, Buffer.byteLength(payload));
    } catch (error) {
      for (const name of ['content-type', 'content-length', 'content-encoding']) reply.removeHeader(name);
      return done(error as Error);
    }
    done(null, payload);
  });
  register();
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!isBytes(payload)) return done(null, payload);
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    watch.sends(reply.raw, bytes.length);
    if (!isSentInPieces(bytes)) return done(null, bytes);
    reply.header('content-length', bytes.length);
    done(null, new AnswerPieces(bytes, (byteCount) => watch.progressed(reply.raw, byteCount)));
  });
}

/** Streams are pulled by their clients; they are bounded where they are made. */
function isBytes(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload);
}
