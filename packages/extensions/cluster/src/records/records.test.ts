import { MemoryObjects } from '@fossick/objects';
import { expect, it } from 'vitest';
import { decodeCommit, decodeCopy, encodeCommit, encodeCopy } from './commit-record.js';
import { LargeBodies, LostBodyError, positionInKey } from './large-bodies.js';

it('records of commits and copies are read as they were written, and other bytes are refused', () => {
  const commit = { store: 'instance', changes: Buffer.from([1, 2, 3]) };
  expect(decodeCommit(encodeCommit(commit))).toMatchObject({ store: 'instance' });
  expect(Buffer.from(decodeCommit(encodeCommit(commit)).changes)).toEqual(commit.changes);
  expect(decodeCopy(encodeCopy({ from: 'a', to: 'b' }))).toEqual({ from: 'a', to: 'b' });
  const bytes = encodeCommit(commit);
  expect(Buffer.from(bytes).toString('hex')).toBe('0108696e7374616e636503010203');
  expect(() => decodeCommit(bytes.subarray(0, -1))).toThrow(RangeError);
  expect(() => decodeCommit(Buffer.concat([bytes, Buffer.from([0])]))).toThrow('followed by other bytes');
  expect(() => decodeCommit(Buffer.concat([Buffer.from([9]), bytes.subarray(1)]))).toThrow('has format 9');
});

it('long bodies are objects, and one that was changed or removed is found', async () => {
  const objects = new MemoryObjects();
  const bodies = new LargeBodies({ objects, logName: 'main', inlineBytesMax: 10 });
  const short = { name: 'commit', body: new Uint8Array(10) };
  expect(await bodies.stored(short, 7)).toEqual(short);
  const long = { name: 'commit', body: new Uint8Array(11).fill(7) };
  const stored = await bodies.stored(long, 7);
  expect(stored.name).toBe('commit.object');
  const { key } = (await objects.list('').next()).value as { readonly key: string };
  expect(positionInKey('main', key)).toBe(7);
  expect(await bodies.loaded(stored)).toEqual(long);
  await objects.put(key, new Uint8Array(11).fill(8));
  await expect(bodies.loaded(stored)).rejects.toThrow(LostBodyError);
  await objects.delete(key);
  await expect(bodies.loaded(stored)).rejects.toThrow(LostBodyError);
});
