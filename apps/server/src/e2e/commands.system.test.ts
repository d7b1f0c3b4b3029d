import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbStore } from '@fossick/storage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allBut, HAS_COPIES } from './dumping-server.test-support.js';
import { BIN_FILE } from './server-command.test-support.js';
import {
  freePort,
  newDatabaseFolder,
  removeFolder,
  sampleLines,
  startServerProcess,
} from './server-process.test-support.js';

/** Makes a process say when it is ended by `process.exit`, which may not return (end-process.ts). */
const EXIT_SPY = new URL('exit-spy.fixture.mjs', import.meta.url).href;
const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let folder = '';
let dbPath = '';
beforeAll(() => {
  folder = newDatabaseFolder();
  dbPath = join(folder, 'db');
});
afterAll(() => removeFolder(folder));

interface End {
  readonly code: number | null;
  readonly stdout: string;
  /** Lines, warnings of the master key left out. */
  readonly stderr: readonly string[];
}
function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): End {
  const options = { cwd: folder, encoding: 'utf8', timeout: 300_000, env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', EXIT_SPY, BIN_FILE, ...words], options);
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: no master key'));
  return { code: status, stdout, stderr: lines };
}

/** A database with updates, deletions, columns, a waiting task's payload that was served, and keys. */
async function fill(): Promise<void> {
  const server = await startServerProcess(dbPath, ['--master-key', 'a-master-key-of-some-length']);
  const key = { authorization: 'Bearer a-master-key-of-some-length' };
  const call = (method: string, path: string, body: unknown): Promise<unknown> => server.call(method, path, body, key);
  try {
    await call('PATCH', '/indexes/movies/settings', {
      filterableAttributes: ['genres', 'year'],
      sortableAttributes: ['year'],
    });
    const documents = sampleLines().map((line) => JSON.parse(line) as { id: number });
    for (let at = 0; at < 600; at += 200)
      await call('POST', '/indexes/movies/documents', documents.slice(at, at + 200));
    await call(
      'PUT',
      '/indexes/movies/documents',
      documents.slice(0, 50).map(({ id }) => ({ id, extra: 'one more' })),
    );
    await call(
      'POST',
      '/indexes/movies/documents/delete-batch',
      documents.slice(50, 80).map(({ id }) => id),
    );
    await call('POST', '/indexes', { uid: 'empty' });
    const tasks = await fetch(`${server.url}/tasks?statuses=failed`, { headers: key });
    expect(await tasks.json()).toMatchObject({ total: 0 });
    for (let open = 1; open > 0; ) {
      const answer = await fetch(`${server.url}/tasks?statuses=enqueued,processing`, { headers: key });
      open = ((await answer.json()) as { total: number }).total;
    }
    // a database in use is nobody else's
    expect(run(['check', '--db-path', dbPath])).toMatchObject({ code: 1, stderr: [expect.stringContaining('in use')] });
  } finally {
    await server.stop();
  }
}

describe.skipIf(!existsSync(BUILT_FILE))('commands on a database that no server has open', () => {
  test('check', async () => {
    await fill();
    const whole = run(['check', '--db-path', dbPath]);
    expect(whole).toMatchObject({ code: 0, stderr: [] });
    expect(whole.stdout).toContain('index `movies`: 570 documents');
    expect(whole.stdout.trimEnd().split('\n').at(-1)).toBe('no problems');
  });

  test.runIf(HAS_COPIES)('dump, snapshot and import, unless their extension is left out', async () => {
    for (const words of [
      ['dump'],
      ['snapshot'],
      ['import', 'a.dump'],
      ['move', '--from', 'http://127.0.0.1:9'],
      ['restore', '--from', 'a.dump'],
    ])
      expect(run([...words, '--db-path', dbPath], { FOSSICK_EXTENSIONS: allBut('transfer') })).toEqual({
        code: 2,
        stdout: '',
        stderr: [
          `fossick: the command ${words[0]} belongs to the extension transfer, which FOSSICK_EXTENSIONS leaves out`,
        ],
      });
    const dump = run(['dump', '--db-path', dbPath, '--dump-dir', 'dumps']);
    expect(dump).toMatchObject({ code: 0, stderr: [] });
    const snapshot = run(['snapshot', '--db-path', dbPath], { FOSSICK_SNAPSHOT_DIR: join(folder, 'snaps') });
    expect(snapshot).toMatchObject({ code: 0, stderr: [], stdout: `${join(folder, 'snaps', 'db.snapshot')}\n` });

    for (const file of [dump.stdout.trim(), snapshot.stdout.trim()]) {
      const copy = join(folder, `copy-${file.endsWith('.dump') ? 'dump' : 'snapshot'}`);
      expect(run(['import', file, '--db-path', copy])).toEqual({ code: 0, stderr: [], stdout: `${copy}\n` });
      const again = run(['import', file, '--db-path', copy]);
      expect(again).toMatchObject({ code: 1, stdout: '', stderr: [expect.stringContaining('there is a database')] });
      const checked = run(['check', '--db-path', copy]);
      expect(checked).toMatchObject({ code: 0, stderr: [] });
      expect(checked.stdout).toContain('index `movies`: 570 documents');
      const server = await startServerProcess(copy);
      const search = await server.call<{ estimatedTotalHits: number }>('POST', '/indexes/movies/search', {
        q: 'one more',
      });
      expect(search.body.estimatedTotalHits).toBeGreaterThanOrEqual(50);
      expect((await server.call('GET', '/tasks?types=dumpCreation,snapshotCreation')).body).toMatchObject({ total: 0 });
      await server.stop();
    }
  });

  test('check tells what its parts contradict each other in', async () => {
    const [name] = readdirSync(join(dbPath, 'indexes')).filter((each) => {
      const store = openLmdbStore({ folder: join(dbPath, 'indexes', each) });
      const isFilled = store.table('documents').count() > 0;
      void store.close();
      return isFilled;
    });
    const store = openLmdbStore({ folder: join(dbPath, 'indexes', name!) });
    const [id] = [...store.table('ids').range({ limit: 1 })];
    const [row] = [...store.table('documents').range({ limit: 1 })];
    store.transaction((txn) => {
      txn.delete('ids', id!.key);
      txn.delete('documents', row!.key);
    });
    await store.close();
    const { code, stdout } = run(['check', '--db-path', dbPath]);
    expect(code).toBe(1);
    expect(stdout).toContain('PROBLEM index `movies`: ids: 1 live documents have none');
    expect(stdout).toContain('PROBLEM index `movies`: documents: 1 live documents have no row');
    expect(stdout).toContain('2 problems');

    rmSync(join(dbPath, 'indexes', name!, 'data.mdb'));
    writeFileSync(join(dbPath, 'indexes', name!, 'data.mdb'), Buffer.alloc(8192, 7));
    const damaged = run(['check', '--db-path', dbPath]);
    expect(damaged.code).toBe(1);
    expect(damaged.stdout).toMatch(/PROBLEM index `movies`: .*data\.mdb is damaged/);
  });
});

describe.skipIf(!existsSync(BUILT_FILE))('a start', () => {
  test('that cannot be says so in one line, with a code', () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, 'not a certificate');
    mkdirSync(join(folder, 'as-file.toml'));
    const always = ['--db-path', join(folder, 'never'), '--http-addr', '127.0.0.1:0'];
    type Case = readonly [words: readonly string[], code: number, said: string];
    const OF_COPIES: readonly Case[] = [
      [['restore'], 2, 'restore needs --from'],
      [[...always, '--import-dump', file], 1, 'cannot be imported'],
      [['import', join(folder, 'none.dump'), '--db-path', join(folder, 'never')], 1, 'there is no file'],
    ];
    const cases: readonly Case[] = [
      [['--db-pathh', 'x'], 2, 'Did you mean --db-path?'],
      [['--http-addr', 'nowhere'], 2, 'write localhost:7700'],
      [['--config-file-path', join(folder, 'as-file.toml')], 2, 'cannot be read'],
      [['--db-path', file], 1, 'cannot be used'],
      [[...always, '--ssl-cert-path', 'a', '--ssl-key-path', 'b'], 1, 'the TLS file a cannot be read'],
      [[...always, '--ssl-cert-path', file, '--ssl-key-path', file], 1, 'TLS'],
      [['--db-path', join(folder, 'never'), '--http-addr', '192.0.2.1:7700'], 1, 'no such address'],
      [['check', '--db-path', join(folder, 'never')], 1, 'there is no database'],
      ...(HAS_COPIES ? OF_COPIES : []),
    ];
    for (const [words, code, said] of cases) {
      const end = run(words);
      expect([words, end]).toEqual([words, { code, stdout: '', stderr: [expect.stringContaining(said)] }]);
    }
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  test('prints its version and what it takes', () => {
    expect(run(['--version'])).toMatchObject({
      code: 0,
      stderr: [],
      stdout: expect.stringMatching(/^fossick \d+\.\d+\.\d+ \(API 1/),
    });
    const help = run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: [] });
    for (const heading of ['The server:', 'TLS:', 'Commands:']) expect(help.stdout).toContain(heading);
  });

  test('tells people where its data is, and programs nothing but lines of JSON', async () => {
    const started = async (
      words: readonly string[],
    ): Promise<{ stdout: string; stderr: string; code: number | null }> => {
      const address = `127.0.0.1:${await freePort()}`;
      const child = spawn(process.execPath, [
        '--import',
        EXIT_SPY,
        BIN_FILE,
        '--db-path',
        join(folder, 'told'),
        '--http-addr',
        address,
        ...words,
      ]);
      let [stdout, stderr] = ['', ''];
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (/listens/.test(stdout + stderr)) resolve();
        };
        child.stdout.on('data', (chunk: Buffer) => {
          stdout += chunk.toString();
          look();
        });
        child.stderr.on('data', (chunk: Buffer) => {
          stderr += chunk.toString();
          look();
        });
        child.once('close', () => resolve());
      });
      child.kill('SIGTERM');
      return { code: await ended, stdout, stderr };
    };
    const told = await started(['--experimental-contains-filter']);
    expect(told.code).toBe(0);
    for (const part of ['listens on', join(folder, 'told'), '0 indexes', 'containsFilter', 'every route is open'])
      expect(told.stdout).toContain(part);
    expect(told.stderr).toMatch(/^warning: no master key/);
    expect(told.stderr).not.toContain('process.exit');
    const { code, stdout, stderr } = await started(['--experimental-logs-mode', 'JSON']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines.at(-1)!.msg).toBe('Fossick listens');
    expect(lines.some(({ msg }) => msg.startsWith('no master key'))).toBe(true);
  });
});
