import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { FaultyObjects } from '../faulty-objects.test-support.js';
import { FolderObjects } from '../folder-objects.js';
import { MemoryObjects } from '../memory-objects.js';
import type { ObjectStore } from '../port.js';
import { randomOf } from '../virtual-time.test-support.js';

interface OpenedObjects {
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

/** Stores that need no server. */
export const OBJECT_STORES: Readonly<Record<string, () => Promise<OpenedObjects>>> = {
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
