import { readNoQuery, requireFeature } from '@fossick/api';
import { namesHidden } from '@fossick/instance/access';
import { authorize, queryOf, type ServerContext, sendJson } from '../../context.js';
import type { Router } from '../../http/router.js';

/** Metrics in the text format of Prometheus. */
export function registerMetrics(router: Router, context: ServerContext): void {
  router.on('GET', '/metrics', async (request, reply) => {
    const access = authorize(context, request, 'metrics.get');
    requireFeature(context.features, 'metrics', '/metrics');
    const own = `${await context.metrics.text(context)}${await context.extensions.metrics()}`;
    const isShown = (line: string): boolean => !namesHidden(access, line);
    const shown = access.hiddenIndexes?.length === 0 ? own : own.split('\n').filter(isShown).join('\n');
    return reply.header('content-type', context.metrics.contentType).send(shown);
  });
}

/** The usage data of this server, as they would be sent. */
export function registerUsage(router: Router, context: ServerContext): void {
  router.on('GET', '/usage-data', (request, reply) => {
    authorize(context, request, 'metrics.get');
    readNoQuery(queryOf(request));
    return sendJson(reply, context.usage.toJson());
  });
}
