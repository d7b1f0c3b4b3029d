import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderObjects, MemoryObjects, type ObjectStore } from '@fossick/objects';
import { type FaultyObjects, type ObjectFaults, outcomeUnder } from '@fossick/objects/faulty-objects.test-support';
import { describe, expect, it } from 'vitest';
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

describe('an append after an entry that is gone', () => {
  const entry = (position: number): string => `log/main/entries/${String(position).padStart(20, '0')}`;
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
