import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { FaultyObjects, type ObjectFaults } from '../faulty-objects.test-support.js';
import { FolderObjects } from '../folder-objects.js';
import { MemoryObjects } from '../memory-objects.js';
import type { ObjectStore } from '../port.js';
import { randomOf } from '../virtual-time.test-support.js';

interface OpenedObjects {
  readonly objects: ObjectStore;
  readonly again: () => ObjectStore;
  /** From now on the first client can write nothing, until the answer is called; absent where nothing makes it so. */
  readonly fill?: () => () => void;
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
const double = (objects: ObjectStore, faults: () => ObjectFaults = () => ({})): ObjectStore =>
  new FaultyObjects({ objects, clock, random, faults, latencyMs: 3 });

/** Stores that need no server. */
export const OBJECT_STORES: Readonly<Record<string, () => Promise<OpenedObjects>>> = {
  memory: async () => {
    const objects = new MemoryObjects();
    return { objects, again: () => objects };
  },
  folder: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-objects.'));
    const close = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
    // where files begin is no folder: no file can be made there
    const unfinished = join(folder, '.unfinished');
    const fill = (): (() => void) => {
      rmSync(unfinished, { recursive: true });
      writeFileSync(unfinished, '');
      return () => {
        rmSync(unfinished);
        mkdirSync(unfinished);
      };
    };
    return { objects: new FolderObjects(folder), again: () => new FolderObjects(folder), fill, close };
  },
  double: async () => {
    const objects = new MemoryObjects();
    let full = 0;
    const fill = (): (() => void) => {
      full = 1;
      return () => {
        full = 0;
      };
    };
    return { objects: double(objects, () => ({ full })), again: () => double(objects), fill };
  },
};
