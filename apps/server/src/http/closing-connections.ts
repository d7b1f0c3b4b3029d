import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** While the server stops, a connection whose client neither reads nor sends for this long is closed, in ms. */
const STALL_MS = 2_000;
/** Longest time that a stop waits for connections, in ms: half of the shortest usual limit of supervisors. */
const STOP_MS = 5_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Limits how long clients can delay a stopping server, which completes its answers: a client that does not read its
 * answer, or does not send the rest of its request, has two seconds, and all have five.
 */
export function boundClosing(app: FastifyInstance): void {
  const { server } = app;
  const connections = new Set<Socket>();
  const exchanges = new WeakMap<Socket, Exchange>();
  let end: NodeJS.Timeout | undefined;
  // over TLS these are the underlying sockets, which close the others with them
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // HTTP/2 has many exchanges in one connection, and its own time limits
    if (request.httpVersionMajor === 1) exchanges.set(request.socket, { request, response });
  });
  app.addHook('preClose', (done) => {
    server.on('timeout', (socket: unknown) => {
      if (socket instanceof Socket && isHeldUp(exchanges.get(socket))) socket.destroy();
    });
    server.setTimeout(STALL_MS);
    for (const socket of connections) socket.setTimeout(STALL_MS);
    end = setTimeout(() => {
      for (const socket of connections) socket.destroy();
    }, STOP_MS);
    done();
  });
  app.addHook('onClose', (_app, done) => {
    clearTimeout(end);
    done();
  });
}

/** Whether the client is the reason that nothing moves; otherwise the answer is still being made. */
function isHeldUp(exchange: Exchange | undefined): boolean {
  if (exchange === undefined) return true; // no request has sent all of its headers
  const { request, response } = exchange;
  return !request.complete || response.writableEnded || response.writableNeedDrain;
}
