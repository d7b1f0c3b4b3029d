import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ApiError, apiError, describeError, errorToJson } from '@fossick/base';

/** Node's reference from a socket to the answer being made or written. */
interface AnsweringSocket extends Duplex {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/**
 * Answers input that never became a request, because Node's parser refused it, in the API's form, and closes the
 * connection. If an answer to an earlier request on the connection has begun, nothing is written: it would be inside of
 * that answer.
 */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { _httpMessage: answer } = socket as AnsweringSocket;
  if (socket.writable && answer?.headersSent !== true) {
    const { code, message } = refusal(error);
    const body = JSON.stringify(errorToJson(code, message));
    const { status } = describeError(code);
    socket.write(
      `HTTP/1.1 ${status} ${REASONS[status] ?? 'Bad Request'}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
        `content-type: application/json; charset=utf-8\r\nconnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

function refusal(error: Error & { readonly code?: string }): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return apiError('headers_too_large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return apiError('payload_too_large', 'chunkExtensions');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return apiError('payload_timeout', 'head');
    default:
      return apiError('bad_request', 'notHttp', error.message);
  }
}
