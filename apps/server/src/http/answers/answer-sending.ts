import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type AnswerWatch, collectSoon, LARGE_BYTES } from './answer-watch.js';
import { isConstantAnswer } from './compression.js';
import { byteLength, PartedBytes } from './parted-bytes.js';

/** Bytes that are passed to a connection at once. */
const PIECE_BYTES = 64 * 1024;
/**
 * Bytes of all answers that are passed on in one turn of the event loop. A connection takes up to 4 MB at once, so hundreds of them would
 * keep this thread for seconds, copying, before it hears of another request.
 */
const BYTES_PER_TURN = 4 * 2 ** 20;
/** Answers up to this size are sent in one piece: a client that reads 5 KB/s takes all of it within the limit of time. */
const WHOLE_BYTES = 256 * 1024;

/** Of the end of one streamed answer: those of the server, of Fastify and of Node. Each hears of it once, so their number does not grow. */
const LISTENERS_MAX = 20;

/**
 * Counts answers from before they are compressed until their clients have taken them, and sends large ones in pieces. Those that never
 * change take no room, and are followed like others.
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
      // who needs no key must not use up the memory for answers with what is there anyway
      watch.count(reply.raw, isConstantAnswer(payload) ? 0 : byteLength(payload));
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
    if (byteCount <= WHOLE_BYTES) return done(null, parts.length === 1 ? parts[0] : Buffer.concat(parts));
    reply.header('content-length', byteCount);
    done(null, new AnswerPieces(parts, (taken) => watch.progressed(reply.raw, taken)));
  });
}

/** Streams are pulled by their clients; they are bounded where they are made. */
function isBytes(payload: unknown): payload is string | Buffer | PartedBytes {
  return typeof payload === 'string' || Buffer.isBuffer(payload) || payload instanceof PartedBytes;
}

/**
 * The bytes of an answer, piece by piece as the connection takes them; a part that is taken is forgotten. `onPiece` is
 * called for each piece with its bytes.
 */
class AnswerPieces extends Readable {
  private readonly parts: Buffer[];
  private readonly onPiece: (byteCount: number) => void;
  private at = 0;

  constructor(parts: readonly Buffer[], onPiece: (byteCount: number) => void) {
    super({ highWaterMark: 1 });
    this.parts = parts.filter(({ length }) => length > 0).reverse();
    this.onPiece = onPiece;
  }
  override _read(): void {
    inTurn(() => this.pushPiece());
  }

  private pushPiece(): void {
    if (this.destroyed) return;
    const part = this.parts.at(-1);
    if (part === undefined) return void this.push(null);
    const end = Math.min(part.length, this.at + PIECE_BYTES);
    this.onPiece(end - this.at);
    const piece = part.subarray(this.at, end);
    this.at = end;
    if (end === part.length) {
      this.parts.pop();
      this.at = 0;
    }
    this.push(piece);
    if (this.parts.length === 0) this.push(null);
  }
}

let leftInTurn = BYTES_PER_TURN;
const waitingForTurn: (() => void)[] = [];

/** Passes on a piece: now, or in a later turn of the event loop, first come, first served. */
function inTurn(pass: () => void): void {
  if (leftInTurn === BYTES_PER_TURN) setImmediate(beginTurn);
  leftInTurn -= PIECE_BYTES;
  if (leftInTurn >= 0) pass();
  else waitingForTurn.push(pass);
}

function beginTurn(): void {
  leftInTurn = BYTES_PER_TURN;
  const mostCount = BYTES_PER_TURN / PIECE_BYTES;
  for (const pass of waitingForTurn.splice(0, mostCount)) inTurn(pass);
}
