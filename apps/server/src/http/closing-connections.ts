import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A connection whose client neither takes nor sends anything for so long is broken off while the server stops, in ms. */
const STALL_MS = 2_000;
/** Longest that a stop waits for connections, in ms: half of the patience of the least patient supervisors. */
const STOP_MS = 5_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Bounds how long clients can hold up a stopping server, which answers what it was asked: who does not take the answer, or does not send
 * the rest of the request, is waited for two seconds, and everybody for five.
 */
export function boundClosing(app: FastifyInstance): void {
  const { server } = app;
  const connections = new Set<Socket>();
  const exchanges = new WeakMap<Socket, Exchange>();
  let end: NodeJS.Timeout | undefined;
  // over TLS these are the sockets underneath, which take the others with them
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // HTTP/2 has many exchanges in a connection, and times of its own
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

/** Whether the client is to blame that nothing moves; else the answer is still being worked on. */
function isHeldUp(exchange: Exchange | undefined): boolean {
  if (exchange === undefined) return true; // no request has come to the end of its headers
  const { request, response } = exchange;
  return !request.complete || response.writableEnded || response.writableNeedDrain;
}
