import type { FastifyInstance } from 'fastify';
import { AnswerPieces, isSentInPieces } from './answer-pieces.js';
import { type AnswerWatch, collectSoon, LARGE_BYTES } from './answer-watch.js';
import { byteLength, PartedBytes } from './parted-bytes.js';

/** Of the end of one streamed answer: those of the server, of Fastify and of Node. Each hears of it once, so their number does not grow. */
const LISTENERS_MAX = 20;

/**
 * Counts answers from before they are compressed until their clients have taken them, and sends large ones in pieces.
 * `register` adds the hooks between these two, which change the bytes. An answer without room is refused with 503.
 */
export function registerAnswers(app: FastifyInstance, watch: AnswerWatch, register: () => void): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.setMaxListeners(LISTENERS_MAX);
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!isBytes(payload)) return done(null, payload);
    reply.raw.on('close', () => watch.ended(reply.raw));
    try {
      watch.count(reply.raw, byteLength(payload));
    } catch (error) {
      // nobody refers to it once this turn is over
      if (byteLength(payload) >= LARGE_BYTES) collectSoon();
      for (const name of ['content-type', 'content-length', 'content-encoding']) reply.removeHeader(name);
      return done(error as Error);
    }
    done(null, payload);
  });
  register();
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!isBytes(payload)) return done(null, payload);
    const parts =
      payload instanceof PartedBytes ? payload.parts : [typeof payload === 'string' ? Buffer.from(payload) : payload];
    const byteCount = byteLength(payload);
    watch.sends(reply.raw, byteCount);
    if (!isSentInPieces(byteCount)) return done(null, parts.length === 1 ? parts[0] : Buffer.concat(parts));
    reply.header('content-length', byteCount);
    done(null, new AnswerPieces(parts, (taken) => watch.progressed(reply.raw, taken)));
  });
}

/** Streams are pulled by their clients; they are bounded where they are made. */
function isBytes(payload: unknown): payload is string | Buffer | PartedBytes {
  return typeof payload === 'string' || Buffer.isBuffer(payload) || payload instanceof PartedBytes;
}
