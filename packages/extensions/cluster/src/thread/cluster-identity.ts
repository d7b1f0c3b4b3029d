import { createHmac, randomUUID } from 'node:crypto';
import { LaunchError } from '@fossick/instance';
import type { ObjectStore } from '@fossick/objects';

/** The key of the identity. */
export const IDENTITY_KEY = 'cluster.json';
const BYTES_MAX = 4_096;
/** Of the objects and records of a cluster. */
const CLUSTER_FORMAT = 1;

/** The object that tells which cluster a store of objects belongs to. */
export interface ClusterIdentity {
  readonly id: string;
  readonly format: number;
  /** HMAC-SHA-256 of a fixed text by the master key: nodes with another key do not belong to it. */
  readonly key: string;
}

/**
 * The identity of the cluster, which the first node creates. Throws LaunchError when this node does not belong to it;
 * rejects when the store does not answer. `mayBegin`: whether this node may create it, asked where there is none.
 */
export async function clusterIdentity(
  objects: ObjectStore,
  masterKey: string | null,
  mayBegin: () => Promise<boolean> = async () => true,
): Promise<ClusterIdentity> {
  const key = createHmac('sha256', masterKey ?? '')
    .update('fossick cluster')
    .digest('hex');
  const own: ClusterIdentity = { id: randomUUID(), format: CLUSTER_FORMAT, key };
  let found = await readIdentity(objects);
  if (found === undefined && !(await mayBegin())) {
    // another node may have begun meanwhile
    found = await readIdentity(objects);
    if (found === undefined)
      throw new LaunchError(
        `${IDENTITY_KEY} is missing in the store of objects, and its cluster has begun before: bring its objects back, ` +
          'nothing new is begun in their place',
      );
  }
  if (found === undefined) await objects.put(IDENTITY_KEY, Buffer.from(JSON.stringify(own)), { ifAbsent: true });
  const identity = found ?? (await readIdentity(objects));
  if (identity === undefined) throw new LaunchError(`${IDENTITY_KEY} cannot be read after it was created`);
  if (identity.format > CLUSTER_FORMAT)
    throw new LaunchError(`the cluster has format ${identity.format}, and this release knows ${CLUSTER_FORMAT}`);
  if (identity.key !== key)
    throw new LaunchError('the nodes of this cluster have another master key: start this one with theirs');
  return identity;
}

/** Whether the store of objects is that of a cluster: what is no identity is an answer, too. Rejects when it does not answer. */
export async function isIdentity(objects: ObjectStore, id: string): Promise<boolean> {
  try {
    return (await readIdentity(objects))?.id === id;
  } catch (error) {
    if (error instanceof LaunchError) return false;
    throw error;
  }
}

async function readIdentity(objects: ObjectStore): Promise<ClusterIdentity | undefined> {
  const body = await objects.get(IDENTITY_KEY);
  if (body === null) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > BYTES_MAX) throw notOne();
    chunks.push(chunk);
  }
  return identityOf(Buffer.concat(chunks).toString('utf8'));
}

function identityOf(text: string): ClusterIdentity {
  try {
    const { id, format, key } = JSON.parse(text) as Partial<ClusterIdentity>;
    if (typeof id === 'string' && typeof format === 'number' && typeof key === 'string') return { id, format, key };
  } catch {
    // the same as any other text
  }
  throw notOne();
}

function notOne(): LaunchError {
  return new LaunchError(`${IDENTITY_KEY} in the store of objects is not the identity of a cluster`);
}
