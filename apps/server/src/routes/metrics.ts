import { requireFeature } from '@fossick/answers';
import { readNoQuery } from '@fossick/wire';
import { authorize, queryOf, type ServerContext } from '../context.js';
import type { Router } from '../http/router.js';

/** Metrics in the text format of Prometheus. */
export function registerMetrics(router: Router, context: ServerContext): void {
  router.on('GET', '/metrics', async (request, reply) => {
    authorize(context, request, 'metrics.get');
    readNoQuery(queryOf(request));
    requireFeature(context.features, 'metrics', '/metrics');
    const text = await context.metrics.text(context);
    return reply.header('content-type', context.metrics.contentType).send(text);
  });
}
