import { readNoQuery } from '@fossick/api';
import { authorize, queryOf, type ServerContext, sendJson } from '../../context.js';
import type { Router } from '../../http/router.js';

/** The usage data of this server, as they would be sent. */
export function registerUsage(router: Router, context: ServerContext): void {
  router.on('GET', '/usage-data', (request, reply) => {
    authorize(context, request, 'metrics.get');
    readNoQuery(queryOf(request));
    return sendJson(reply, context.usage.toJson());
  });
}
