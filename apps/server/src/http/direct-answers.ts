import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIndexUid } from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import { parseJson } from '@fossick/wire';
import type { FastifyInstance } from 'fastify';
import { AnswerPieces, isSentInPieces } from './answer-pieces.js';
import type { AnswerWatch } from './answer-watch.js';
import { JSON_TYPES, mediaTypeOf } from './body.js';
import type { BodyMemory } from './body-memory.js';
import { compressedBytes, preferredEncoding } from './compression.js';
import { errorAnswer } from './errors.js';
import type { JsonRefusal, JsonRoute } from './json-route.js';

/** The longest body that is answered directly, if it arrives together with the head of its request. */
const BODY_BYTES_MAX = 16 * 1024;
const INDEXES = '/indexes/';
const BELOW_INDEX = '/indexes/:indexUid/';
const [JSON_BYTES, JSON_TEXT] = ['application/json', 'application/json; charset=utf-8'];

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** What direct answers share with the framework. */
export interface DirectSurroundings {
  readonly framework: RequestListener;
  readonly limitBytes: number;
  readonly bodies: BodyMemory;
  readonly answers: AnswerWatch;
  /** Called after each answer with the pattern of its route, its status and its duration. */
  onAnswered(request: IncomingMessage, path: string, status: number, milliseconds: number): void;
  onFault(error: unknown): void;
}

/** The framework's own listener of requests. Called before other listeners are added. */
export function frameworkListener(app: FastifyInstance): RequestListener {
  return app.server.listeners('request')[0] as RequestListener;
}

/** A request in progress. */
interface Exchange {
  readonly route: JsonRoute;
  readonly indexUid: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answers: AnswerWatch;
}

/**
 * Answers ordinary requests for JSON routes without the framework: HTTP/1.1, a short body of known length that arrives with the head, no query
 * string. Everything else goes to the framework, which gives the same answers (docs/decisions/search-threads.md). In a
 * young process the framework's work for a request takes as long as a search.
 */
export function answerDirectly(app: FastifyInstance, routes: readonly JsonRoute[], given: DirectSurroundings): void {
  const ofInstance = new Map(routes.map((route) => [route.url, route]));
  const ofIndexes = new Map(
    routes
      .filter(({ url }) => url.startsWith(BELOW_INDEX))
      .map((route) => [route.url.slice(BELOW_INDEX.length), route]),
  );
  let isClosing = false;
  // while the server stops, the framework answers new requests
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  const exchangeOf = (request: IncomingMessage, response: ServerResponse): Exchange | undefined => {
    if (isClosing || !isUsual(request, given.limitBytes)) return undefined;
    const url = request.url!;
    let [route, indexUid] = [ofInstance.get(url), ''];
    if (route === undefined && url.startsWith(INDEXES)) {
      const end = url.indexOf('/', INDEXES.length);
      indexUid = url.slice(INDEXES.length, Math.max(end, INDEXES.length));
      if (isIndexUid(indexUid)) route = ofIndexes.get(url.slice(end + 1));
    }
    return route === undefined ? undefined : { route, indexUid, request, response, answers: given.answers };
  };
  const server = app.server as Server;
  const { framework } = given;
  // the other listeners stay and are called before this one: each request has one answer
  server.off('request', framework);
  server.on('request', (request, response) => {
    const exchange = exchangeOf(request, response);
    if (exchange === undefined) return framework(request, response);
    const startedMs = performance.now();
    // the parser continues with the body after this returns
    process.nextTick(() => {
      if (request.readableLength === bodyBytes(request) && !request.destroyed) void answer(exchange, given, startedMs);
      else framework(request, response);
    });
  });
}

function isUsual(request: IncomingMessage, limitBytes: number): boolean {
  const { method, httpVersion, headers } = request;
  if (method !== 'POST' || httpVersion !== '1.1' || headers['content-encoding'] !== undefined) return false;
  const bytes = bodyBytes(request);
  return bytes > 0 && bytes <= Math.min(BODY_BYTES_MAX, limitBytes);
}

/** The announced length; 0 for none, and for an unknown one. */
function bodyBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

async function answer(exchange: Exchange, given: DirectSurroundings, startedMs: number): Promise<void> {
  const { route, indexUid, request, response } = exchange;
  const { headers } = request;
  const hold = given.bodies.hold();
  response.on('close', () => {
    hold.release();
    given.answers.ended(response);
    if (response.writableFinished)
      given.onAnswered(request, route.url, response.statusCode, performance.now() - startedMs);
  });
  try {
    const access = route.authorize(headers, indexUid);
    mediaTypeOf(headers['content-type'], JSON_TYPES);
    const bytes = request.read() as Buffer;
    hold.grow(bytes.length);
    const found = await route.answer({ access, indexUid, headers, received: parseJson(bytes) });
    if (Buffer.isBuffer(found)) send(exchange, 200, JSON_BYTES!, found);
    else refuse(exchange, found);
  } catch (error) {
    const wrong = errorAnswer(error);
    if (wrong.isFault) given.onFault(error);
    refuse(exchange, wrong, wrong.retryAfter);
  }
}

function refuse(exchange: Exchange, { status, json }: JsonRefusal, retryAfter: string | null = null): void {
  if (retryAfter !== null) exchange.response.setHeader('retry-after', retryAfter);
  send(exchange, status, JSON_TEXT!, Buffer.from(toJsonText(json)));
}

/**
 * Sends bytes with the same headers as the framework's hooks: compressed if the client accepts it, CORS for all
 * origins. @throws ApiError too_many_answers
 */
function send(exchange: Exchange, status: number, type: string, bytes: Buffer): void {
  const { request, response, answers } = exchange;
  answers.count(response, bytes.length);
  const encoding = acceptedEncoding(request.headers);
  if (encoding === undefined) return write(exchange, status, type, bytes);
  const compressed = compressedBytes(bytes, encoding);
  response.setHeader('content-encoding', encoding);
  if (Buffer.isBuffer(compressed)) return write(exchange, status, type, compressed);
  compressed.then(
    (shorter) => write(exchange, status, type, shorter),
    () => response.destroy(),
  );
}

function write({ request, response, answers }: Exchange, status: number, type: string, bytes: Buffer): void {
  // its client has gone
  if (response.destroyed || response.headersSent) return;
  const head: Record<string, string | number> = { vary: 'origin, accept-encoding' };
  if (request.headers.origin !== undefined) {
    head['access-control-allow-origin'] = '*';
    head['access-control-expose-headers'] = '*';
  }
  head['content-type'] = type;
  head['content-length'] = bytes.length;
  answers.sends(response, bytes.length);
  response.writeHead(status, head);
  if (isSentInPieces(bytes)) new AnswerPieces(bytes, () => answers.progressed(response)).pipe(response);
  else response.end(bytes);
}

function acceptedEncoding(headers: IncomingHttpHeaders) {
  const accepted = headers['accept-encoding'];
  return accepted === undefined
    ? undefined
    : preferredEncoding(Array.isArray(accepted) ? accepted.join(',') : accepted);
}
