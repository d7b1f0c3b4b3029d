import type { FastifyInstance } from 'fastify';
import { addVary } from './answers/compression.js';

/**
 * Any origin, any method, any header. Our own code rather than @fastify/cors, because an OPTIONS request that is no
 * preflight must reach the 405 of its route.
 */
export function registerCors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    addVary(reply, 'origin');
    if (request.headers.origin === undefined) return done();
    reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', '*');
    const method = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || method === undefined) return done();
    addVary(reply, 'access-control-request-method, access-control-request-headers');
    reply
      .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
      .header('access-control-max-age', '86400');
    reply.code(200).send();
  });
}
