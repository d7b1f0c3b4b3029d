import { MemoryObjects } from '@fossick/objects';
import { expect, it } from 'vitest';
import { clusterIdentity, isIdentity } from './cluster-identity.js';

it('is made by the first node, and not by one of a cluster that has begun', async () => {
  const objects = new MemoryObjects();
  await expect(clusterIdentity(objects, 'key', async () => false)).rejects.toThrow(
    /cluster\.json is missing .* bring its objects back/,
  );
  expect(await objects.get('cluster.json')).toBe(null);
  const { id } = await clusterIdentity(objects, 'key');
  expect((await clusterIdentity(objects, 'key', async () => false)).id).toBe(id);
});

it('is that of another node which begins at the same time', async () => {
  const objects = new MemoryObjects();
  let other = '';
  const mayBegin = async (): Promise<boolean> => {
    other = (await clusterIdentity(objects, null)).id;
    // the other one has appended its first entry
    return false;
  };
  expect((await clusterIdentity(objects, null, mayBegin)).id).toBe(other);
});

it('is missed when it is gone, or another one', async () => {
  const objects = new MemoryObjects();
  const { id } = await clusterIdentity(objects, null);
  expect(await isIdentity(objects, id)).toBe(true);
  await objects.delete('cluster.json');
  expect(await isIdentity(objects, id)).toBe(false);
  await clusterIdentity(objects, null);
  expect(await isIdentity(objects, id)).toBe(false);
});

it.each([
  '',
  '{',
  '[]',
  '{"id":7}',
  'x'.repeat(5_000),
])('is missed when something else is in its place: %s', async (text) => {
  const objects = new MemoryObjects();
  const { id } = await clusterIdentity(objects, null);
  await objects.put('cluster.json', Buffer.from(text));
  expect(await isIdentity(objects, id)).toBe(false);
  await expect(clusterIdentity(objects, null)).rejects.toThrow(/is not the identity of a cluster/);
});
