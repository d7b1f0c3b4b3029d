import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * A client may end its side of a connection and read on (RFC 9112, section 9.6). Node closes such a connection at once by
 * default, and its requests get no answer unless it is written in the same turn.
 */
export function answerHalfClosed({ server }: FastifyInstance): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** Answers that end with their clients already. */
const ending = new WeakSet<ServerResponse>();

/** Closes an answer that goes on for long when its client ends its side: nothing else tells of a client that leaves while nothing is written. */
export function endWithClient(response: ServerResponse): void {
  const { socket, httpVersionMajor } = response.req;
  // a stream of HTTP/2 is closed by itself
  if (httpVersionMajor !== 1 || ending.has(response)) return;
  ending.add(response);
  const leave = (): void => void response.destroy();
  if (socket.readableEnded) return leave();
  socket.once('end', leave);
  response.once('close', () => socket.off('end', leave));
}
