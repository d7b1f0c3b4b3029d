/**
 * A node of a cluster whose own store, with its place in the log, was lost, emptied, cut or exchanged: a start refuses it
 * in one line and changes nothing, `fossick check` says the same, and everything is there when the file is back.
 */
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  keptPort,
  newDatabaseFolder,
  releasePorts,
  removeFolder,
} from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { contentsOf, FILE_LOSSES, problemsOf, refusalOf } from '@fossick/server/reliability/lost-files.test-support';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
/** The folder of a node of a clean stop, with what it shares. */
let whole: string;
let port: number;
beforeAll(async () => {
  whole = newDatabaseFolder();
  port = await keptPort();
  const server = await startTestServer(join(whole, 'node'), optionsOf(whole));
  await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'lighthouse' }]);
  await server.allTasksDone();
  await server.stop();
});
afterAll(() => {
  releasePorts([port]);
  removeFolder(whole);
});

function optionsOf(folder: string): string[] {
  return [
    ...['--cluster-objects', pathToFileURL(join(folder, 'shared')).href, '--cluster-url', `http://127.0.0.1:${port}`],
    ...['--cluster-secret', 'a secret of the nodes of tests'],
  ];
}

function copy(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  cpSync(whole, folder, { recursive: true });
  return folder;
}

const nodeOf = (folder: string): string => join(folder, 'node');
const refused = (folder: string): Promise<string> => refusalOf(nodeOf(folder), optionsOf(folder));
/** What may happen to the store, given its folder. */
const LOSSES: typeof FILE_LOSSES = {
  ...FILE_LOSSES,
  'a store of something else': (folder) => cpSync(join(folder, '../auth/data.mdb'), join(folder, 'data.mdb')),
};

describe('the store of a node of a cluster', () => {
  test.each(Object.keys(LOSSES))('%s refuses the start, and all is there when it is back', async (how) => {
    const folder = copy();
    const own = join(folder, 'node', 'cluster');
    LOSSES[how]!(own);
    const before = contentsOf(folder);
    const refusal = await refused(folder);
    expect(refusal).toContain(own);
    expect(refusal).toContain('start this node with an empty folder, which is filled from the cluster');
    expect(refusal).not.toContain('\n');
    expect(await refused(folder)).toBe(refusal);
    expect(contentsOf(folder)).toEqual(before);
    const problems = await problemsOf(nodeOf(folder));
    expect(problems.join('\n')).toContain(own);
    expect(contentsOf(folder)).toEqual(before);
    rmSync(own, { recursive: true, force: true });
    cpSync(join(whole, 'node', 'cluster'), own, { recursive: true });
    const server = await startTestServer(join(folder, 'node'), optionsOf(folder));
    const added = await server.call('POST', '/indexes/films/documents', [{ id: 2, title: 'lighthouse' }]);
    expect(added).toMatchObject({ status: 202, body: { taskUid: 1 } });
    await server.allTasksDone();
    const found = await server.call('POST', '/indexes/films/search', { q: 'lighthouse' });
    expect(found).toMatchObject({ status: 200, body: { hits: { length: 2 } } });
    await server.stop();
  });

  test('gone with its folder is refused by the cluster, which has begun without it', async () => {
    const folder = copy();
    rmSync(join(folder, 'node', 'cluster'), { recursive: true });
    const before = contentsOf(folder);
    expect(await refused(folder)).toMatch(/the cluster has begun .*: .* with an empty folder/);
    expect(contentsOf(folder)).toEqual(before);
    cpSync(join(whole, 'node', 'cluster'), join(folder, 'node', 'cluster'), { recursive: true });
    expect(await refused(folder)).toBe('');
  });

  test('that is lost is filled from the cluster in an empty folder', async () => {
    const folder = copy();
    rmSync(join(folder, 'node'), { recursive: true });
    const server = await startTestServer(join(folder, 'node'), optionsOf(folder));
    const found = await server.call('POST', '/indexes/films/search', { q: 'lighthouse' });
    expect(found).toMatchObject({ status: 200, body: { hits: { length: 1 } } });
    await server.stop();
  });

  test('that a start was about to make is made by the next one', async () => {
    const folder = copy();
    rmSync(join(folder, 'node'), { recursive: true });
    rmSync(join(folder, 'shared'), { recursive: true });
    // what starts leave that ended before the store was there
    mkdirSync(join(folder, 'node', 'cluster'), { recursive: true });
    expect(await refused(folder)).toBe('');
    expect(existsSync(join(folder, 'node', 'cluster', 'data.mdb'))).toBe(true);
  });
});
