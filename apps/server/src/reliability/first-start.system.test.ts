/** A first start that is killed at any of its writes: the next one starts, and the database is one of a whole start. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, startServerProcess } from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';

const KEY = ['--master-key', 'a key of more than sixteen bytes'];
const AUTHORIZED = { authorization: `Bearer ${KEY[1]}` };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Kills the first start of a folder at a fault; false when it lived through it. */
async function killed(folder: string, faults: string): Promise<boolean> {
  try {
    const server = await startServerProcess(folder, KEY, { FOSSICK_FAULTS: faults });
    await server.kill();
    return false;
  } catch {
    return true;
  }
}

async function expectWhole(folder: string): Promise<void> {
  const server = await startServerProcess(folder, KEY);
  cleanups.push(() => server.kill());
  await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'lighthouse' }], AUTHORIZED);
  await server.allTasksDone();
  const found = await server.call('POST', '/indexes/films/search', { q: 'lighthouse' }, AUTHORIZED);
  expect(found).toMatchObject({ status: 200, body: { hits: [{ id: 1 }] } });
  expect((await server.call('GET', '/keys', undefined, AUTHORIZED)).status).toBe(200);
  expect(server.output()).not.toMatch(/is new and empty|is kept/);
  await server.stop();
  for (const name of ['VERSION', 'ID']) expect(existsSync(join(folder, name))).toBe(true);
}

describe.skipIf(!isBuilt)('a first start', () => {
  test.each([
    'store.open',
    'store.commit',
    'store.committed',
    'rename',
    'renamed',
  ])('that is killed at any %s is followed by one that starts', async (point) => {
    let kills = 0;
    for (let visit = 1; ; visit++) {
      const folder = newDatabaseFolder();
      cleanups.push(() => removeFolder(folder));
      const wasKilled = await killed(folder, `${point}=kill@${visit}`);
      await expectWhole(folder);
      if (!wasKilled) break;
      kills++;
    }
    expect(kills).toBeGreaterThan(0);
  });

  test('may be killed at one write after the other', async () => {
    const folder = newDatabaseFolder();
    cleanups.push(() => removeFolder(folder));
    let kills = 0;
    while (await killed(folder, `store.open=kill@${kills + 1}`)) kills++;
    for (let visit = 1; await killed(folder, `store.commit=kill@${visit}`); visit++) kills++;
    expect(kills).toBeGreaterThan(3);
    await expectWhole(folder);
  });

  test('that fails for a full disk leaves a folder that starts', async () => {
    for (const point of ['store.commit', 'rename', 'store.open'])
      for (let visit = 1; visit <= 2; visit++) {
        const folder = newDatabaseFolder();
        cleanups.push(() => removeFolder(folder));
        await killed(folder, `${point}=fail:ENOSPC@${visit}`);
        await expectWhole(folder);
      }
  });
});
