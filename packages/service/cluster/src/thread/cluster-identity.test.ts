import { MemoryObjects } from '@fossick/replication';
import { expect, it } from 'vitest';
import { clusterIdentity, expectIdentity } from './cluster-identity.js';

it('is made by the first node, and not by one of a cluster that has begun', async () => {
  const objects = new MemoryObjects();
  await expect(clusterIdentity(objects, 'key', async () => false)).rejects.toThrow(
    /no cluster\.json .* bring its objects/,
  );
  expect(await objects.get('cluster.json')).toBe(null);
  const { id } = await clusterIdentity(objects, 'key');
  expect((await clusterIdentity(objects, 'key', async () => false)).id).toBe(id);
  await expectIdentity(objects, id);
});

it('is missed when it is gone, or another one', async () => {
  const objects = new MemoryObjects();
  const { id } = await clusterIdentity(objects, null);
  await objects.delete('cluster.json');
  await expect(expectIdentity(objects, id)).rejects.toThrow('gone');
  await clusterIdentity(objects, null);
  await expect(expectIdentity(objects, id)).rejects.toThrow('another one');
});
