import { ApiError, apiError, describeError, type ErrorCode, errorToJson, isErrorCode } from '@fossick/base';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Turns everything thrown by a route into the error object of the spec. */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const known = toApiError(error);
    const { status } = describeError(known.code);
    if (known.code === 'internal' || known.code === 'invalid_store_file') request.log.error(error);
    if (!request.raw.readableEnded) request.raw.resume();
    if (status === 503) reply.header('retry-after', '10');
    if (known.code === 'payload_timeout') {
      // the rest of the body will not come, and without it no other request on this connection
      reply.header('connection', 'close');
      reply.raw.once('finish', () => request.raw.destroy());
    }
    return reply.code(status).send(errorToJson(known.code, known.message));
  });
  app.setNotFoundHandler((_request, reply) => sendEmpty(reply, 404));
}

export function sendEmpty(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).header('content-length', '0').send();
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // another copy of the base room (a worker's, a user's bundle) throws the same shape from another class
  if (error instanceof Error && error.name === 'ApiError' && 'code' in error && isErrorCode(String(error.code)))
    return new ApiError(error.code as ErrorCode, error.message);
  const system = systemCode(error);
  const message = error instanceof Error ? error.message : String(error);
  return system === undefined ? apiError('internal', 'fault', message) : new ApiError(system, message);
}

function systemCode(error: unknown): ErrorCode | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC') return 'no_space_left_on_device';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too_many_open_files';
  return code === 'EIO' ? 'io_error' : undefined;
}
