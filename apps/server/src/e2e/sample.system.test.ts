import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { BIN_FILE } from './server-command.test-support.js';
import {
  freePort,
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  waitUntilHealthy,
} from './server-process.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
async function started(...args: Parameters<typeof startServerProcess>): Promise<ServerProcess> {
  const server = await startServerProcess(...args);
  cleanups.push(() => server.kill());
  return server;
}

describe.skipIf(!existsSync(BUILT_FILE))('the option --sample', () => {
  test('loads the films once: into a database without indexes, by three tasks that are registered together', async () => {
    const folder = newFolder();
    const server = await started(folder, ['--sample']);
    const tasks = await server.allTasksDone();
    expect(tasks.map(({ type, status }) => `${type} ${status}`).reverse()).toEqual([
      'indexCreation succeeded',
      'settingsUpdate succeeded',
      'documentAdditionOrUpdate succeeded',
    ]);
    const { body } = await server.call<{ hits: { title: string }[] }>('POST', '/indexes/movies/search', {
      q: 'star wrs',
      filter: 'year < 1980',
      sort: ['year:asc'],
      limit: 1,
    });
    expect(body.hits.map(({ title }) => title)).toEqual(['Star Wars']);
    expect((await server.call('GET', '/indexes/movies/stats')).body).toMatchObject({ numberOfDocuments: 2_000 });
    await server.stop();

    const again = await started(folder, ['--sample']);
    expect(await again.allTasksDone()).toHaveLength(3);
  });

  test('tells a search only when its films are found, at a later start at once', async () => {
    const folder = newFolder();
    for (const start of ['the first', 'a later']) {
      const server = await started(folder, ['--sample']);
      await expect.poll(() => server.output()).toContain('Try: curl');
      const address = /^Try: curl '([^']+)'$/m.exec(server.output())?.[1];
      const found = (await (await fetch(address!)).json()) as { hits: { title: string }[] };
      expect(found.hits[0]?.title, start).toBe('Jurassic Park');
      await server.stop();
    }
  });

  test('leaves a database with an index of its own as it is', async () => {
    const folder = newFolder();
    const first = await started(folder);
    await first.call('POST', '/indexes', { uid: 'mine' });
    await first.allTasksDone();
    await first.stop();
    const second = await started(folder, ['--sample']);
    expect(await second.allTasksDone()).toHaveLength(1);
    await expect
      .poll(() => second.output())
      .toContain('The sample films were not loaded: the database has other indexes');
  });

  test('a server that is killed before it has indexed them goes on with the same tasks', async () => {
    const folder = newFolder();
    const first = await started(folder, ['--sample']);
    await first.kill();
    const second = await started(folder, ['--sample']);
    expect(await second.allTasksDone()).toHaveLength(3);
    expect((await second.call('GET', '/indexes/movies/stats')).body).toMatchObject({ numberOfDocuments: 2_000 });
  });
});

describe.skipIf(!existsSync(BUILT_FILE))('a start without --db-path', () => {
  test('uses ./data.fossick', async () => {
    const folder = newFolder();
    const { stop, output } = await startIn(folder);
    await stop();
    expect(readdirSync(folder)).toContain('data.fossick');
    expect(output()).not.toContain('data.ms');
  });

  test('finds a database in ./data.ms, the default of earlier releases, and says how to rename it', async () => {
    const folder = newFolder();
    const [former, present] = [join(folder, 'data.ms'), join(folder, 'data.fossick')];
    const early = await started(former);
    await early.call('POST', '/indexes', { uid: 'kept' });
    await early.allTasksDone();
    await early.stop();
    const late = await startIn(folder);
    expect(await indexesOf(late.url)).toEqual(['kept']);
    await late.stop();
    expect(late.output()).toMatch(/warning: the database in \.\/data\.ms is used.*rename it to \.\/data\.fossick/);
    renameSync(former, present);
    const renamed = await startIn(folder);
    expect(await indexesOf(renamed.url)).toEqual(['kept']);
    await renamed.stop();
    expect(renamed.output()).not.toContain('data.ms');
  });
});

async function indexesOf(url: string): Promise<string[]> {
  const { results } = (await (await fetch(`${url}/indexes`)).json()) as { results: { uid: string }[] };
  return results.map(({ uid }) => uid);
}

interface DefaultStart {
  readonly url: string;
  output(): string;
  stop(): Promise<void>;
}

/** A server with the default folder, in this working directory. */
async function startIn(cwd: string): Promise<DefaultStart> {
  const address = `127.0.0.1:${await freePort()}`;
  const child: ChildProcess = spawn(process.execPath, [BIN_FILE, '--http-addr', address, '--no-analytics'], { cwd });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  cleanups.push(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  await waitUntilHealthy(`http://${address}`, child, () => output);
  return {
    url: `http://${address}`,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
