import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** The methods for which every path has a route or answers 405. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

const KNOWN: ReadonlySet<string> = new Set(METHODS);
/** The methods that were sent with requests which are treated as TRACE. */
const replaced = new WeakMap<IncomingMessage, string>();

/**
 * Treats requests with any other method as TRACE, which no path offers: 405 where the path has a route, 404 elsewhere.
 * HTTP/2 allows any method, HTTP/1.1 those that Node's parser knows; the framework knows neither all of them nor that a
 * QUERY may come without a body. Their names do not reach metrics either, where each would be a series of its own.
 */
export function treatUnknownMethods(app: FastifyInstance): void {
  app.server.prependListener('request', (request: IncomingMessage) => {
    const { method = '' } = request;
    if (KNOWN.has(method)) return;
    replaced.set(request, method);
    request.method = 'TRACE';
  });
}

/** The method as the client sent it. */
export function sentMethod(request: IncomingMessage): string {
  return replaced.get(request) ?? request.method ?? '';
}
