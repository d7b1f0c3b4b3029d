import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InstanceClient } from '@fossick/instance/client';
import { BIN_FILE } from '@fossick/server/e2e/server-command.test-support';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moveInstance } from '../../moving/move-instance.js';
import { MoveReport } from '../../moving/move-report.js';

const SOURCE_KEY = 'a-master-key-of-the-source';
const TARGET_KEY = 'a-master-key-of-the-target';
const sourceHeaders = { authorization: `Bearer ${SOURCE_KEY}` };
const targetHeaders = { authorization: `Bearer ${TARGET_KEY}` };
const FILM_COUNT = 1_500;
const KEY_UID = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';
const HUGE = '1234567890123456789';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = newDatabaseFolder();
  folders.push(folder);
  return folder;
};
let source: ServerProcess;
let target: ServerProcess;
/** When the source had all that it has, on the clock of performance.now(). */
let filledMs = 0;

/** What a source has: every kind of thing that can be moved. */
async function fill(server: ServerProcess): Promise<void> {
  const call = async (method: string, path: string, body: unknown): Promise<void> => {
    const headers = { ...sourceHeaders, 'content-type': 'application/json' };
    const { status, body: answer } = await server.call(method, path, body, headers);
    expect([path, status < 300 ? 'done' : answer]).toEqual([path, 'done']);
  };
  await call('PATCH', '/experimental-features', { chatCompletions: true, network: true, dynamicSearchRules: true });
  await call('PATCH', '/indexes/films/settings', {
    filterableAttributes: ['year'],
    synonyms: { film: ['movie'] },
    stopWords: ['the'],
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
  });
  const films = Array.from({ length: FILM_COUNT }, (_, id) =>
    JSON.stringify({
      id,
      year: 1900 + (id % 100),
      plot: `the plot ${id} ${'x'.repeat(300)}`,
      _vectors: { own: [[id / 8, 1]] },
    }).replace('"year"', `"huge":${HUGE},"year"`),
  );
  await call('POST', '/indexes/films/documents', `[${films.join(',')}]`);
  await call('POST', '/indexes/books/documents?primaryKey=isbn', [{ isbn: 'a', id: 1, title: 'Far away' }]);
  await call('POST', '/indexes', { uid: 'empty' });
  await call('POST', '/keys', {
    uid: KEY_UID,
    name: 'films',
    actions: ['search'],
    indexes: ['films'],
    expiresAt: null,
  });
  await call('PATCH', '/network', { self: 'one', remotes: { one: { url: 'http://192.0.2.2' } } });
  await call('PATCH', '/dynamic-search-rules/pinned', {
    conditions: { query: { words: 'far' } },
    actions: [{ selector: { indexUid: 'books', id: 'a' }, action: { type: 'pin', position: 0 } }],
  });
  const open = async (): Promise<number> =>
    (await server.call<{ total: number }>('GET', '/tasks?statuses=enqueued,processing', undefined, sourceHeaders)).body
      .total;
  while ((await open()) > 0) await new Promise((resolve) => setTimeout(resolve, 30));
  const failed = await server.call('GET', '/tasks?statuses=failed', undefined, sourceHeaders);
  expect(failed.body).toMatchObject({ total: 0 });
}

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
function run(words: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const child = spawn(process.execPath, [BIN_FILE, 'move', ...words], { env: { ...process.env, ...env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

/** A server before another one, that has its own mind about some answers. */
async function proxyOf(
  url: string,
  meddle: (request: IncomingMessage, response: ServerResponse, number: number) => 'pass' | 'cut' | 'done',
): Promise<{ url: string; close: () => void }> {
  let number = 0;
  const server = createServer((incoming, response) => {
    number += 1;
    const verdict = meddle(incoming, response, number);
    if (verdict === 'done') return void incoming.resume();
    const onward = request(
      new URL(incoming.url!, url),
      { method: incoming.method!, headers: incoming.headers },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const body = Buffer.concat(chunks);
          const headers = { ...answer.headers, 'content-length': String(body.length) };
          delete (headers as Record<string, unknown>)['transfer-encoding'];
          response.writeHead(answer.statusCode!, headers);
          if (verdict === 'pass') return response.end(body);
          response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
        });
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
const clientOf = (role: string, url: string, key: string): InstanceClient =>
  new InstanceClient({ role, url, key, keyFlag: `--${role}-key`, firstDelayMs: 5 });

/** Everything that listings of a server tell of films, in their order. */
async function filmsOf(server: ServerProcess, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(`${server.url}/indexes/films/documents/fetch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ limit: FILM_COUNT, retrieveVectors: true }),
  });
  return answer.text();
}

beforeAll(async () => {
  [source, target] = await Promise.all([
    startServerProcess(newFolder(), ['--master-key', SOURCE_KEY]),
    startServerProcess(newFolder(), ['--master-key', TARGET_KEY]),
  ]);
  await fill(source);
  filledMs = performance.now();
}, 90_000);
afterAll(async () => {
  await Promise.all([source?.kill(), target?.kill()]);
  for (const folder of folders) removeFolder(folder);
});

describe('fossick move', () => {
  test('copies everything to a running server through cut answers and 429s, and a second run changes nothing', async () => {
    const cut = await proxyOf(source.url, (_request, response, number) => {
      if (number % 3 === 0) return 'cut';
      if (number % 5 !== 0) return 'pass';
      response.writeHead(429, { 'retry-after': '0' }).end('{"message":"slowly","code":"too_many_search_requests"}');
      return 'done';
    });
    const busy = await proxyOf(target.url, (_request, response, number) => {
      if (number % 4 !== 0) return 'pass';
      response.writeHead(503, { 'retry-after': '0' }).end();
      return 'done';
    });
    const move = async (): Promise<string> => {
      const report = new MoveReport({ write: () => undefined });
      const [from, to] = [clientOf('source', cut.url, SOURCE_KEY), clientOf('target', busy.url, TARGET_KEY)];
      await moveInstance({ source: from, target: to, report, indexes: null, isReplacing: false, ownKeys: null });
      await Promise.all([from.close(), to.close()]);
      return report.summary('moved');
    };
    const summary = await move();
    expect(summary).toMatch(/films +1,500 +1,500\n/);
    expect(summary).toMatch(/keys: 5 of 5/);
    expect(summary).toContain('master keys of the two are not the same');
    expect(await filmsOf(target, targetHeaders)).toBe(await filmsOf(source, sourceHeaders));
    expect(await filmsOf(target, targetHeaders)).toContain(`"huge":${HUGE},`);
    for (const path of [
      '/indexes/films/settings',
      '/indexes/books/documents',
      '/indexes/empty/settings',
      '/experimental-features',
      '/dynamic-search-rules/pinned',
    ]) {
      const [wanted, found] = await Promise.all([
        source.call<Record<string, unknown>>('GET', path, undefined, sourceHeaders),
        target.call<Record<string, unknown>>('GET', path, undefined, targetHeaders),
      ]);
      for (const { body } of [wanted, found]) delete body['lastUpdatedAt'];
      expect([path, found.body]).toEqual([path, wanted.body]);
    }
    expect((await target.call('GET', '/indexes/books', undefined, targetHeaders)).body).toMatchObject({
      primaryKey: 'isbn',
    });
    expect((await target.call('GET', '/network', undefined, targetHeaders)).body).toMatchObject({
      self: 'one',
      remotes: { one: { url: 'http://192.0.2.2' } },
    });
    expect((await target.call('GET', `/keys/${KEY_UID}`, undefined, targetHeaders)).body).toMatchObject({
      name: 'films',
      actions: ['search'],
      indexes: ['films'],
    });
    const documentTasks = async (): Promise<unknown> =>
      (await target.call<{ total: number }>('GET', '/tasks?types=documentAdditionOrUpdate', undefined, targetHeaders))
        .body.total;
    const before = await documentTasks();
    await move();
    expect(await filmsOf(target, targetHeaders)).toBe(await filmsOf(source, sourceHeaders));
    // documents of a source that is written to within the doubt of clocks are sent again, which replaces them; never twice as many
    expect(Number(await documentTasks())).toBeGreaterThanOrEqual(Number(before));
    cut.close();
    busy.close();
  }, 90_000);

  test('goes on in a folder after what a run that broke off has brought, with the keys of the source alone', async () => {
    let pageCount = 0;
    const breaking = await proxyOf(source.url, (incoming, response) => {
      if (!incoming.url!.startsWith('/indexes/films/documents/fetch')) return 'pass';
      pageCount += 1;
      if (pageCount <= 3) return 'pass';
      response.writeHead(500).end('broken');
      return 'done';
    });
    const dbPath = newFolder();
    const words = ['--from-key', SOURCE_KEY, '--db-path', dbPath, '--master-key', SOURCE_KEY];
    // so that what the source has is certainly older than the copy, by the seconds of their clocks
    await pause(Math.max(0, filledMs + 7_000 - performance.now()));
    const first = await run(['--from', breaking.url, ...words]);
    breaking.close();
    expect(first).toMatchObject({ code: 1, stdout: '' });
    expect(first.stderr).toContain('answered 500');
    const second = await run(['--from', source.url, ...words]);
    expect(second.stderr).toContain('documents are there already; it continues after them');
    expect(second.stdout).toMatch(/films +1,500 +1,500 +\(\d+ were there\)/);
    // keys of chat providers alone are what a source does not tell
    expect(second.code).toBe(0);
    const copy = await startServerProcess(dbPath, ['--master-key', SOURCE_KEY]);
    try {
      expect(await filmsOf(copy, sourceHeaders)).toBe(await filmsOf(source, sourceHeaders));
      const keysOf = async (server: ServerProcess): Promise<unknown[]> => {
        const { body } = await server.call<{ results: { uid: string; key: string }[] }>(
          'GET',
          '/keys',
          undefined,
          sourceHeaders,
        );
        return body.results.map(({ uid, key }) => [uid, key]).sort();
      };
      expect(await keysOf(copy)).toEqual(await keysOf(source));
    } finally {
      await copy.kill();
    }
  }, 90_000);

  test('copies chosen indexes alone, replaces when told to, and rehearses', async () => {
    const words = ['--from', source.url, '--to', target.url, '--indexes', 'boo*'];
    const env = { FOSSICK_FROM_KEY: SOURCE_KEY, FOSSICK_TO_KEY: TARGET_KEY };
    await target.call('POST', '/indexes/books/documents', [{ isbn: 'own', title: 'Of the target' }], targetHeaders);
    const mixed = await run(words, env);
    expect(mixed).toMatchObject({ code: 1 });
    expect(mixed.stdout).toContain('it had documents of its own: see --replace');
    const rehearsed = await run([...words, '--replace', '--dry-run'], env);
    expect(rehearsed).toMatchObject({ code: 0, stdout: '' });
    expect(rehearsed.stderr).toContain('books: 1 documents');
    const replaced = await run([...words, '--replace'], env);
    expect(replaced).toMatchObject({ code: 0 });
    expect(replaced.stdout).toMatch(/books +1 +1\n/);
    expect(replaced.stdout).not.toContain('films');
  }, 60_000);

  test('says in one line what keeps it from beginning', async () => {
    const old = createServer((_request, response) => void response.end('{"pkgVersion":"0.30.1"}'));
    const page = createServer((_request, response) => void response.end('<html>hello</html>'));
    for (const server of [old, page]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const urlOf = (server: typeof old): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = newFolder();
    const into = ['--db-path', `${folder}/never`];
    const cases: readonly (readonly [words: readonly string[], code: number, said: string])[] = [
      [into, 2, 'move needs --from'],
      [['--from', 'localhost:7700', ...into], 2, 'write http://localhost:7700'],
      [['--from', source.url, '--to', `${source.url}/`], 2, 'name another server'],
      [['--from', 'http://127.0.0.1:1', ...into], 1, 'nothing listens there'],
      [['--from', source.url.replace('http', 'https'), ...into], 1, 'it speaks no TLS: write http://'],
      [['--from', source.url, ...into], 1, 'needs a key'],
      [['--from', source.url, '--from-key', 'wrong', ...into], 1, 'give its master key with --from-key'],
      [['--from', source.url, '--from-key', SOURCE_KEY, '--to', target.url, '--to-key', 'wrong'], 1, '--to-key'],
      [['--from', urlOf(old), ...into], 1, 'is of version 0.30.1: it takes 1.2 or later'],
      [['--from', urlOf(page), ...into], 1, 'text that is not JSON'],
      [
        ['--from', source.url, '--from-key', SOURCE_KEY, '--to', target.url, '--to-key', TARGET_KEY, '--indexes', 'no'],
        1,
        'no index `no`',
      ],
    ];
    try {
      const ends = await Promise.all(cases.map(([words]) => run(words)));
      for (const [at, [words, code, said]] of cases.entries()) {
        const lines = ends[at]!.stderr.split('\n').filter((line) => line.startsWith('fossick:'));
        expect([words, ends[at]!.code, lines]).toEqual([words, code, [expect.stringContaining(said)]]);
        expect(ends[at]!.stderr).not.toContain('    at ');
      }
    } finally {
      old.close();
      page.close();
    }
  }, 60_000);

  test('an answer without end is not read to its end, and pages shrink before one', async () => {
    let sentBytes = 0;
    const endless = createServer((_request, response) => {
      const chunk = Buffer.alloc(1 << 20, 0x20);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
        response.once('drain', more);
      };
      more();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const client = clientOf('source', `http://127.0.0.1:${(endless.address() as AddressInfo).port}`, 'x');
    await expect(client.call('GET', '/version')).rejects.toThrow('more than 64 MiB');
    expect(sentBytes).toBeLessThan(200 * 2 ** 20);
    await client.close();
    endless.closeAllConnections();
    endless.close();
  }, 30_000);
});
