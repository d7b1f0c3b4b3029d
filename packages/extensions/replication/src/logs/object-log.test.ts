import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderObjects, MemoryObjects, type ObjectStore } from '@fossick/objects';
import { type FaultyObjects, type ObjectFaults, outcomeUnder } from '@fossick/objects/faulty-objects.test-support';
import { describe, expect, it } from 'vitest';
import { DamagedLogError } from '../log-errors.js';
import { LogState } from '../replica/log-state.js';
import { ObjectLog } from './object-log.js';

describe('a log of objects whose store does not answer', () => {
  it.each<ObjectFaults>([
    { refused: 1 },
    { lost: 1 },
    { late: 1 },
    { isClockStale: true },
  ])('cannot tell what became of an append: %j', async (faults) => {
    const append = (objects: FaultyObjects): Promise<unknown> =>
      new ObjectLog({ objects, name: 'main' }).append(1, Uint8Array.of(1));
    expect(await outcomeUnder(faults, append)).toBe('unknown');
    const read = (objects: FaultyObjects): Promise<unknown> => new ObjectLog({ objects, name: 'main' }).read(1, 1);
    expect(await outcomeUnder(faults, read)).toBeInstanceOf(Error);
  });
});

it('an append to a store without space is refused, and succeeds later', async () => {
  const append = async (objects: FaultyObjects): Promise<unknown> =>
    new ObjectLog({ objects, name: 'main' }).append(1, Uint8Array.of(1));
  expect(await outcomeUnder({ full: 1 }, append)).toBe('refused');
  let full = 1;
  const faults = {
    get full() {
      return full--;
    },
  };
  const twice = async (objects: FaultyObjects) => [await append(objects), await append(objects)];
  expect(await outcomeUnder(faults, twice)).toEqual(['refused', 'appended']);
});

it('files of others are left where they are, and have no part in the log', async () => {
  const objects = new MemoryObjects();
  const log = new ObjectLog({ objects, name: 'main' });
  for (let position = 1; position <= 3; position++) await log.append(position, Uint8Array.of(position));
  const foreign = ['0.txt', '00000000000000000001.copy', 'notes'].flatMap((name) => [
    `log/main/entries/${name}`,
    `log/main/floors/${name}`,
  ]);
  for (const key of foreign) await objects.put(key, Uint8Array.of(1));
  await log.trim(3);
  for (const key of foreign) expect([key, await objects.get(key)]).not.toEqual([key, null]);
  expect(await objects.get(entry(2))).toBe(null);
  // a node that starts later finds the floor
  const later = new ObjectLog({ objects, name: 'main' });
  await expect(later.append(1, Uint8Array.of(9))).rejects.toMatchObject({ floor: 3 });
  expect(await later.append(4, Uint8Array.of(4))).toBe('appended');
});

const entry = (position: number): string => `log/main/entries/${String(position).padStart(20, '0')}`;

describe('a log whose entry is missing before others', () => {
  const LENGTH = 9;
  /** A store with a log, and a node that has looked at its end. */
  async function filled() {
    const objects = new MemoryObjects();
    const log = new ObjectLog({ objects, name: 'main' });
    for (let position = 1; position <= LENGTH; position++) await log.append(position, Uint8Array.of(position));
    expect(await log.read(LENGTH + 1, 1)).toEqual([]);
    return { objects, log };
  }

  it('is read up to there, and ends with an error that names the position', async () => {
    for (let missing = 1; missing < LENGTH; missing++) {
      const { objects } = await filled();
      await objects.delete(entry(missing));
      const log = new ObjectLog({ objects, name: 'main' });
      const there = missing === 1 ? [] : await log.read(1, 1 << 20);
      expect(there.map(({ position }) => position)).toEqual(Array.from({ length: missing - 1 }, (_, at) => at + 1));
      for (let look = 0; look < 2; look++) {
        const found = await log.read(missing, 1 << 20).catch((error: unknown) => error);
        expect(found).toBeInstanceOf(DamagedLogError);
        expect(found).toMatchObject({ position: missing, message: expect.stringContaining('it is missing') });
      }
    }
  });

  it('is noticed by a node that has looked at the end before, and is no end that was trimmed or has a file of others', async () => {
    const { objects, log } = await filled();
    await objects.put('log/main/entries/notes', Uint8Array.of(1));
    expect(await new ObjectLog({ objects, name: 'main' }).read(LENGTH + 1, 1)).toEqual([]);
    await objects.delete(entry(5));
    const looks = async (): Promise<void> => {
      for (let look = 0; look < 100; look++) await log.read(5, 1);
    };
    await expect(looks()).rejects.toThrow('entry 5 of the log is damaged: it is missing');
    await new ObjectLog({ objects, name: 'main' }).trim(7);
    await expect(log.read(5, 1)).rejects.toThrow('was trimmed');
  });
});

describe('a file that was never written here', () => {
  it.each([
    'notes of mine',
    '{"a":1}',
    '',
    '\x02',
    '\x09\x02',
    '\xff\xff\xff\xff',
  ])('is told by its name: %j', async (text) => {
    const objects = new MemoryObjects();
    await objects.put(entry(1), Buffer.from(text, 'latin1'));
    const [stored] = await new ObjectLog({ objects, name: 'main' }).read(1, 1);
    expect(() => new LogState({ logName: 'main' }).accept(stored!)).toThrow(
      `entry 1 of the log is damaged: the object ${entry(1)} is not an entry of a log`,
    );
  });

  it('is not what a newer release writes', () => {
    const ofNewer = { position: 1, bytes: Uint8Array.of(9, 1, 5, 5), key: entry(1) };
    expect(() => new LogState({ logName: 'main' }).accept(ofNewer)).toThrow('has format 9');
  });
});

describe('an append after an entry that is gone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-log-'));
  it.each<[string, () => ObjectStore]>([
    ['in memory', () => new MemoryObjects()],
    ['in a folder', () => new FolderObjects(join(folder, 'shared'))],
  ])('is a gap, and leaves nothing there, until the entry is back: %s', async (_, open) => {
    try {
      const objects = open();
      const log = new ObjectLog({ objects, name: 'main' });
      const byte = Uint8Array.of(1);
      for (const position of [1, 2, 3]) expect(await log.append(position, byte)).toBe('appended');
      await objects.delete(entry(3));
      for (const node of [log, new ObjectLog({ objects, name: 'main' })])
        expect(await node.append(4, byte)).toBe('gap');
      expect(await objects.get(entry(4))).toBe(null);
      await objects.put(entry(3), byte);
      expect(await log.append(4, byte)).toBe('appended');
      // entries that another node has trimmed are not missed
      await new ObjectLog({ objects, name: 'main' }).trim(5);
      expect(await log.append(5, byte)).toBe('appended');
      expect(await log.append(5, byte)).toBe('taken');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
