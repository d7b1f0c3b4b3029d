import { requireFeature } from '@fossick/api';
import { authorize, type ServerContext } from '../../context.js';
import type { Router } from '../../http/router.js';

/** Metrics in the text format of Prometheus. */
export function registerMetrics(router: Router, context: ServerContext): void {
  router.on('GET', '/metrics', async (request, reply) => {
    authorize(context, request, 'metrics.get');
    requireFeature(context.features, 'metrics', '/metrics');
    const { cluster } = context;
    const more =
      cluster === undefined ? '' : await (await import('../../cluster/cluster-metrics.js')).clusterMetrics(cluster);
    const text = `${await context.metrics.text(context)}${more}`;
    return reply.header('content-type', context.metrics.contentType).send(text);
  });
}
