import {
  ApiError,
  apiError,
  describeError,
  type ErrorCode,
  errorToJson,
  foreignText,
  isErrorCode,
  messageWithoutPaths,
} from '@fossick/base';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isGone } from './answers/answer-watch.js';

/** The answer to a thrown error. */
export interface ErrorAnswer {
  readonly code: ErrorCode;
  readonly status: number;
  readonly json: object;
  /** In seconds, for temporary errors; else null. */
  readonly retryAfter: string | null;
  /** Whether it must be logged for the operator, because the request did not cause it. */
  readonly isFault: boolean;
}

export function errorAnswer(error: unknown): ErrorAnswer {
  const { code, message } = toApiError(error);
  const { status } = describeError(code);
  const isFault = code === 'internal' || code === 'invalid_store_file' || systemCode(error) !== undefined;
  return { code, status, json: errorToJson(code, message), retryAfter: status === 503 ? '10' : null, isFault };
}

/** Turns every error thrown by a route into the error object of the API. */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const { code, status, json, retryAfter, isFault } = errorAnswer(error);
    if (isFault && !isOfLeftClient(error, reply)) request.log.error(error);
    if (!request.raw.readableEnded) request.raw.resume();
    if (retryAfter !== null) reply.header('retry-after', retryAfter);
    if (code === 'payload_timeout') {
      // the rest of the body will not arrive, and without it no other request on this connection
      reply.header('connection', 'close');
      reply.raw.once('finish', () => request.raw.destroy());
    }
    return reply.code(status).send(json);
  });
  app.setNotFoundHandler((request) => {
    throw noRoute(request.url);
  });
}

/** An answer is closed with its connection before it has begun: no fault, unless the stream of the answer ended by itself. */
function isOfLeftClient(error: unknown, { raw }: FastifyReply): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE' && isGone(raw);
}

/** Answers a request that reaches no route with an error. */
export function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  const { status, json } = errorAnswer(error);
  return reply.code(status).send(json);
}

/** The error of a path that no route has, which is told without its query. */
export function noRoute(url: string): ApiError {
  return apiError('route_not_found', foreignText(url.split('?', 1)[0]!.slice(0, QUOTED_CHARS)));
}
const QUOTED_CHARS = 200;

export function sendEmpty(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).header('content-length', '0').send();
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // another copy of this package (in a worker, or in a user's bundle) throws the same error with another class
  if (error instanceof Error && error.name === 'ApiError' && 'code' in error && isErrorCode(String(error.code)))
    return new ApiError(error.code as ErrorCode, foreignText(error.message));
  const system = systemCode(error);
  const message = messageWithoutPaths(error);
  return system === undefined ? apiError('internal', 'fault', message) : new ApiError(system, foreignText(message));
}

function systemCode(error: unknown): ErrorCode | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC') return 'no_space_left_on_device';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too_many_open_files';
  return code === 'EIO' ? 'io_error' : undefined;
}
