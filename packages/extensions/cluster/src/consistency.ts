import { apiError } from '@fossick/base';
import type { AdmittedRequest } from '@fossick/runtime/extension';
import type { ClusterLink } from './link/cluster-link.js';

const POSITION = 'x-fossick-position';
/** A node without contact for longer is stale, in milliseconds. */
const STALE_MS = 5_000;
/** A request waits so long for a position, in milliseconds. */
const POSITION_MS = 2_000;
/** What a stale node answers in any case: operators and load balancers ask for it. */
const ALWAYS_ANSWERED = /^\/(health|_fossick\/cluster|metrics|version)(\?|$)/;

export type ConsistentNode = Pick<ClusterLink, 'position' | 'silentMs' | 'refusesStale' | 'reaches' | 'caughtUp'>;

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
export async function admitRequest(node: ConsistentNode, request: AdmittedRequest): Promise<void> {
  const { headers, method, url } = request;
  const { silentMs } = node;
  if (silentMs > STALE_MS) {
    request.setHeader('x-fossick-stale-ms', silentMs);
    if (node.refusesStale && !ALWAYS_ANSWERED.test(url))
      throw apiError('replica_behind', 'stale', Math.round(silentMs / 1_000));
  }
  if (!request.isKnown()) return;
  const showPosition = (): void => request.setHeader(POSITION, node.position);
  showPosition();
  if (method !== 'GET' && method !== 'HEAD') request.onAnswer(showPosition);
  const wanted = headers['x-fossick-min-position'];
  if (wanted !== undefined) await reach(node, String(wanted));
  if (headers['x-fossick-consistency'] === 'strong') await node.caughtUp();
  showPosition();
}

async function reach(node: Pick<ClusterLink, 'position' | 'reaches'>, text: string): Promise<void> {
  if (!/^\d{1,15}$/.test(text)) throw apiError('bad_request', 'minPosition', text);
  const position = Number(text);
  if (!(await node.reaches(position, POSITION_MS)))
    throw apiError('replica_behind', 'position', position, node.position);
}
