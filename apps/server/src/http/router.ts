import { apiError } from '@fossick/base';
import type { FastifyInstance, HTTPMethods, RouteHandlerMethod } from 'fastify';
import { METHODS } from './methods.js';

/** Registers routes and, once all are registered, answers 405 for the other methods of their paths. */
export class Router {
  private readonly app: FastifyInstance;
  private readonly methods = new Map<string, Set<HTTPMethods>>();

  constructor(app: FastifyInstance) {
    this.app = app;
  }
  on(method: HTTPMethods, url: string, handler: RouteHandlerMethod): void {
    this.app.route({ method, url, handler, exposeHeadRoute: false });
    const methods = this.methods.get(url) ?? new Set();
    this.methods.set(url, methods.add(method));
  }
  /** Call after the last `on`. */
  close(): void {
    for (const [url, methods] of this.methods) {
      const allow = [...methods].join(', ');
      this.app.route({
        method: METHODS.filter((method) => !methods.has(method)),
        url,
        exposeHeadRoute: false,
        handler: (_request, reply) => {
          reply.header('allow', allow);
          throw apiError('method_not_allowed', [...methods].map((method) => `\`${method}\``).join(', '));
        },
      });
    }
  }
}
