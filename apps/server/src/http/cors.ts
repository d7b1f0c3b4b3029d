import type { FastifyInstance } from 'fastify';
import { allowedOrigin, type CallerLists, EVERY_CALLER, requireHost } from './allowed-callers.js';
import { addVary } from './answers/compression.js';

/**
 * Pages of allowed origins, by default of any, with any method and any header. Others are refused, because a browser sends
 * some of their requests without asking first, and so is a request to another name than the server's own. Our own code
 * rather than @fastify/cors, because an OPTIONS request that is no preflight must reach the 405 of its route.
 */
export function registerCors(app: FastifyInstance, callers: CallerLists = EVERY_CALLER): void {
  app.addHook('onRequest', (request, reply, done) => {
    addVary(reply, 'origin');
    const { headers } = request;
    let allowed: string | undefined;
    try {
      requireHost(callers, headers);
      if (headers.origin !== undefined)
        allowed = allowedOrigin(callers, headers.origin, headers, request.routeOptions.url);
    } catch (error) {
      return done(error as Error);
    }
    if (allowed === undefined) return done();
    reply.header('access-control-allow-origin', allowed).header('access-control-expose-headers', '*');
    const method = headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || method === undefined) return done();
    addVary(reply, 'access-control-request-method, access-control-request-headers');
    reply
      .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
      .header('access-control-allow-headers', headers['access-control-request-headers'] ?? '*')
      .header('access-control-max-age', '86400');
    reply.code(200).send();
  });
}
