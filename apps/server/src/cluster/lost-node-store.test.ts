/**
 * A node of a cluster whose own store, with its place in the log, was lost, emptied, cut or exchanged: a start refuses it
 * in one line and changes nothing, `fossick check` says the same, and everything is there when the file is back.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerOptions } from '@fossick/instance';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { keptPort, newDatabaseFolder, releasePorts, removeFolder } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

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

/** Names and contents of all files, without those that hold nothing that outlives a process. */
function contentsOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (below: string): void => {
    for (const item of readdirSync(below, { withFileTypes: true })) {
      const path = join(below, item.name);
      if (item.isDirectory()) walk(path);
      else if (item.name !== 'lock.mdb' && item.isFile())
        found[relative(folder, path)] = createHash('sha256').update(readFileSync(path)).digest('hex');
    }
  };
  walk(folder);
  return found;
}

async function refusalOf(folder: string): Promise<string> {
  try {
    await (await startTestServer(join(folder, 'node'), optionsOf(folder))).stop();
  } catch (error) {
    expect((error as Error).constructor.name).toBe('LaunchError');
    return (error as Error).message;
  }
  return '';
}

async function problemsOf(folder: string): Promise<string[]> {
  const [{ checkDatabase }, { readServerOptions }] = (await Promise.all(
    ['commands/check', 'index'].map(
      (name) => import(/* @vite-ignore */ new URL(`../../dist/${name}.js`, import.meta.url).href),
    ),
  )) as [
    { checkDatabase(options: ServerOptions, report: object): Promise<number> },
    { readServerOptions(argv: readonly string[], env: object): ServerOptions },
  ];
  const problems: string[] = [];
  const report = { line: () => undefined, problem: (text: string) => problems.push(text) };
  await checkDatabase(readServerOptions(['--db-path', join(folder, 'node')], {}), report);
  return problems;
}

const cut = (file: string, to: (bytes: number) => number): void => truncateSync(file, to(statSync(file).size));
/** What may happen to the file of the store, which is in a folder of its own. */
const LOSSES: Readonly<Record<string, (file: string, folder: string) => void>> = {
  removed: (file) => rmSync(file),
  emptied: (file) => truncateSync(file, 0),
  'cut to its half': (file) => cut(file, (bytes) => Math.floor(bytes / 2)),
  'cut to one byte': (file) => cut(file, () => 1),
  'cut to its first page': (file) => cut(file, () => 4096),
  'cut to its two heads': (file) => cut(file, () => 8192),
  'an empty folder': (_, folder) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  },
  'full of zeros': (file) => writeFileSync(file, Buffer.alloc(statSync(file).size)),
  'a text': (file) => writeFileSync(file, 'not found\n'),
  'a folder': (file) => {
    rmSync(file);
    mkdirSync(file);
  },
  'a link to nothing': (file, folder) => {
    rmSync(file);
    symlinkSync(join(folder, 'elsewhere.mdb'), file);
  },
  'under another name': (file) => renameSync(file, `${file}.bak`),
  'a store of something else': (file, folder) => cpSync(join(folder, '../auth/data.mdb'), file),
};

describe('the store of a node of a cluster', () => {
  test.each(Object.keys(LOSSES))('%s refuses the start, and all is there when it is back', async (how) => {
    const folder = copy();
    const own = join(folder, 'node', 'cluster');
    LOSSES[how]!(join(own, 'data.mdb'), own);
    const before = contentsOf(folder);
    const refusal = await refusalOf(folder);
    expect(refusal).toContain(own);
    expect(refusal).toContain('start this node with an empty folder, which is filled from the cluster');
    expect(refusal).not.toContain('\n');
    expect(await refusalOf(folder)).toBe(refusal);
    expect(contentsOf(folder)).toEqual(before);
    const problems = await problemsOf(folder);
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
    expect(await refusalOf(folder)).toMatch(/the cluster has begun .*: .* with an empty folder/);
    expect(contentsOf(folder)).toEqual(before);
    cpSync(join(whole, 'node', 'cluster'), join(folder, 'node', 'cluster'), { recursive: true });
    expect(await refusalOf(folder)).toBe('');
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
    expect(await refusalOf(folder)).toBe('');
    expect(existsSync(join(folder, 'node', 'cluster', 'data.mdb'))).toBe(true);
  });
});
