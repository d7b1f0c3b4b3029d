import { readNoQuery } from '@fossick/api';
import { authorize, queryOf, type ServerContext, sendJson } from '../../context.js';
import type { Router } from '../../http/router.js';

/** What a node knows of its cluster. */
export function registerCluster(router: Router, context: ServerContext): void {
  router.on('GET', '/_fossick/cluster', async (request, reply) => {
    authorize(context, request, 'stats.get');
    readNoQuery(queryOf(request));
    const { cluster } = context;
    if (cluster === undefined) return sendJson(reply, { role: 'single' });
    const { role, silentMs, ...status } = await cluster.status();
    const { kind, epoch, leader } = role;
    return sendJson(reply, { ...status, role: kind, epoch, leader: leader?.address ?? null, silentMs });
  });
}
