import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** The methods for which every path has a route or answers 405. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

const KNOWN: ReadonlySet<string> = new Set(METHODS);

/**
 * Treats requests with any other method as TRACE, which no path offers: 405 where the path has a route, 404 elsewhere.
 * HTTP/2 allows any method, HTTP/1.1 those that Node's parser knows; the framework knows neither all of them nor that a
 * QUERY may come without a body. Their names do not reach metrics either, where each would be a series of its own.
 */
export function treatUnknownMethods(app: FastifyInstance): void {
  app.server.prependListener('request', (request: IncomingMessage) => {
    if (!KNOWN.has(request.method ?? '')) request.method = 'TRACE';
  });
}
