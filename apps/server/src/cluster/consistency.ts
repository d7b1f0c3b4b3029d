import { apiError } from '@fossick/base';
import type { FastifyInstance } from 'fastify';
import type { NodeCluster } from './node-cluster.js';

/** A node without contact for longer is stale, in milliseconds. */
const STALE_MS = 5_000;
/** A request waits so long for a position, in milliseconds. */
const POSITION_MS = 2_000;
/** What a stale node answers in any case: operators and load balancers ask for it. */
const ALWAYS_ANSWERED = /^\/(health|_fossick\/cluster|metrics|version)(\?|$)/;

/**
 * What requests may ask of a node of a cluster, and what each answer says:
 *
 *     X-Fossick-Min-Position: 120     the answer sees the log up to there, or is 503 replica_behind
 *     X-Fossick-Consistency: strong   the answer sees everything that any node has acknowledged before
 *     X-Fossick-Position              in answers: the position that the node had applied when the request came, or
 *                                     when a write was answered, so that it includes the write
 *     X-Fossick-Stale-Ms              in answers of a node without contact: for how long
 */
export function registerConsistency(app: FastifyInstance, cluster: NodeCluster): void {
  app.addHook('onRequest', async (request, reply) => {
    const { headers, url } = request;
    const { silentMs } = cluster;
    if (silentMs > STALE_MS) {
      reply.header('x-fossick-stale-ms', silentMs);
      if (cluster.refusesStale && !ALWAYS_ANSWERED.test(url))
        throw apiError('replica_behind', 'stale', Math.round(silentMs / 1_000));
    }
    const wanted = headers['x-fossick-min-position'];
    if (wanted !== undefined) await reach(cluster, String(wanted));
    if (headers['x-fossick-consistency'] === 'strong') await cluster.caughtUp();
    reply.header('x-fossick-position', cluster.position);
  });
  app.addHook('onSend', async ({ method }, reply) => {
    if (method !== 'GET' && method !== 'HEAD') reply.header('x-fossick-position', cluster.position);
  });
}

async function reach(cluster: NodeCluster, text: string): Promise<void> {
  if (!/^\d{1,15}$/.test(text)) throw apiError('bad_request', 'minPosition', text);
  const position = Number(text);
  if (!(await cluster.reaches(position, POSITION_MS)))
    throw apiError('replica_behind', 'position', position, cluster.position);
}
