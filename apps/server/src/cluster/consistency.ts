import { ApiError, apiError } from '@fossick/base';
import type { NodeCluster } from '@fossick/cluster';
import type { Guard } from '@fossick/instance/access';
import type { FastifyInstance } from 'fastify';

const POSITION = 'x-fossick-position';
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
 *
 * Whoever has no valid key or token is told no position, and nothing waits and asks the log for it.
 */
export function registerConsistency(
  app: FastifyInstance,
  cluster: Pick<NodeCluster, 'position' | 'silentMs' | 'refusesStale' | 'reaches' | 'caughtUp'>,
  guard: Pick<Guard, 'authenticate'>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { headers, url } = request;
    const { silentMs } = cluster;
    if (silentMs > STALE_MS) {
      reply.header('x-fossick-stale-ms', silentMs);
      if (cluster.refusesStale && !ALWAYS_ANSWERED.test(url))
        throw apiError('replica_behind', 'stale', Math.round(silentMs / 1_000));
    }
    if (!isKnown(guard, headers.authorization)) return;
    reply.header(POSITION, cluster.position);
    const wanted = headers['x-fossick-min-position'];
    if (wanted !== undefined) await reach(cluster, String(wanted));
    if (headers['x-fossick-consistency'] === 'strong') await cluster.caughtUp();
    reply.header(POSITION, cluster.position);
  });
  app.addHook('onSend', async ({ method }, reply) => {
    if (method !== 'GET' && method !== 'HEAD' && reply.hasHeader(POSITION)) reply.header(POSITION, cluster.position);
  });
}

function isKnown(guard: Pick<Guard, 'authenticate'>, authorization: string | undefined): boolean {
  try {
    guard.authenticate(authorization);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

async function reach(cluster: Pick<NodeCluster, 'position' | 'reaches'>, text: string): Promise<void> {
  if (!/^\d{1,15}$/.test(text)) throw apiError('bad_request', 'minPosition', text);
  const position = Number(text);
  if (!(await cluster.reaches(position, POSITION_MS)))
    throw apiError('replica_behind', 'position', position, cluster.position);
}
