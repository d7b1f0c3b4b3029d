import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { MemoryLog } from '../logs/memory-log.js';
import { ObjectLog } from '../logs/object-log.js';
import { FaultyObjects } from '../objects/faulty-objects.test-support.js';
import { FolderObjects } from '../objects/folder-objects.js';
import { MemoryObjects } from '../objects/memory-objects.js';
import type { CommitLog, ObjectStore } from '../port.js';
import { randomOf } from '../simulation/virtual-time.test-support.js';
import { describeCommitLog } from './commit-log.test-support.js';
import { describeObjectStore } from './object-store.test-support.js';

interface Opened {
  readonly objects: ObjectStore;
  readonly again: () => ObjectStore;
  readonly close?: () => Promise<void>;
}
const clock = {
  after: (delayMs: number, work: () => void): Disposable => {
    const timer = setTimeout(work, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
const random = randomOf(TEST_SEED);
/** A double without faults, whose requests overtake one another. */
const double = (objects: ObjectStore): ObjectStore =>
  new FaultyObjects({ objects, clock, random, faults: () => ({}), latencyMs: 3 });

const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  memory: async () => {
    const objects = new MemoryObjects();
    return { objects, again: () => objects };
  },
  folder: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-objects.'));
    const close = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
    return { objects: new FolderObjects(folder), again: () => new FolderObjects(folder), close };
  },
  double: async () => {
    const objects = new MemoryObjects();
    return { objects: double(objects), again: () => double(objects) };
  },
};

describeCommitLog('memory', async () => {
  const log: CommitLog = new MemoryLog();
  return { log, again: async () => log };
});
for (const [name, open] of Object.entries(stores)) {
  describeObjectStore(name, open);
  describeCommitLog(`of objects, ${name}`, async () => {
    const { objects, again, close } = await open();
    const log = new ObjectLog({ objects, name: 'main' });
    return { log, again: async () => new ObjectLog({ objects: again(), name: 'main' }), ...(close && { close }) };
  });
}
