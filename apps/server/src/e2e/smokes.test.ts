import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { HAS_COPIES } from './dumping-server.test-support.js';
import { BIN_FILE } from './server-command.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from './server-process.test-support.js';

/** The real server, each of its parts once: what a process has and a test within one does not show. */
const KEY = 'a-master-key-of-more-than-16-bytes';
const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;
if (!HAS_OPENSSL) console.log('TLS is not tried: there is no openssl to make a certificate');

interface Found {
  readonly hits: readonly { readonly title: string }[];
}

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
/** Runs a command to its end. */
async function run(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [BIN_FILE, ...args])) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}
const count = async (server: ServerProcess): Promise<unknown> =>
  (await server.call<{ total: number }>('GET', '/indexes/films/documents?limit=0')).body.total;

test('the server starts with the sample, finds a film in spite of a mistake, and SIGTERM ends it with code 0', async () => {
  const server = await started(newFolder(), ['--sample']);
  expect((await server.call('GET', '/health')).body).toEqual({ status: 'available' });
  await server.allTasksDone();
  const { body } = await server.call<Found>('GET', '/indexes/movies/search?q=star+wrs&limit=1');
  expect(body.hits[0]?.title).toBe('Star Wars');
  expect(await server.stop()).toBe(0);
});

test('documents that were acknowledged are there after a kill and a restart, also those of a waiting task', async () => {
  const folder = newFolder();
  const server = await started(folder);
  await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'Sea' }]);
  await server.allTasksDone();
  expect((await server.call('POST', '/indexes/films/documents', [{ id: 2, title: 'Land' }])).status).toBe(202);
  await server.kill();
  const again = await started(folder);
  await again.allTasksDone();
  expect(await count(again)).toBe(2);
});

test('uploads are indexed: JSON lines, compressed ones, CSV', async () => {
  const server = await started(newFolder());
  const lines = sampleLines().join('\n');
  const upload = (body: unknown, type: string, more: Record<string, string> = {}) =>
    server.call('POST', '/indexes/films/documents', body, { 'content-type': type, ...more });
  expect((await upload(lines, 'application/x-ndjson')).status).toBe(202);
  await server.allTasksDone();
  expect(await count(server)).toBe(2_000);
  const others = Array.from({ length: 500 }, (_, at) => JSON.stringify({ id: 1e6 + at, title: `Copy ${at}` }));
  await upload(gzipSync(others.join('\n')), 'application/x-ndjson', { 'content-encoding': 'gzip' });
  await upload('id,title\n2000000,"Red, green"\n2000001,Blue\n', 'text/csv');
  const tasks = await server.allTasksDone();
  expect(tasks.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(await count(server)).toBe(2_502);
  const { body } = await server.call<Found>('GET', '/indexes/films/search?q=red+green&limit=1');
  expect(body.hits[0]?.title).toBe('Red, green');
});

test('with a master key, requests without a key are refused', async () => {
  const server = await started(newFolder(), ['--master-key', KEY]);
  expect((await server.call('GET', '/indexes')).status).toBe(401);
  expect((await server.call('GET', '/indexes', undefined, { authorization: `Bearer ${KEY}` })).status).toBe(200);
});

test('a second server refuses the folder of the first, which goes on', async () => {
  const folder = newFolder();
  const server = await started(folder);
  await expect(startServerProcess(folder)).rejects.toThrow(/in use|another/i);
  expect((await server.call('GET', '/health')).status).toBe(200);
});

test.skipIf(!HAS_OPENSSL)('TLS: the certificate of the command line is served', async () => {
  const folder = newFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '2'];
  const files = ['-nodes', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...files, ...subject], { stdio: 'ignore' });
  const server = await started(join(folder, 'db'), ['--ssl-cert-path', cert, '--ssl-key-path', key]);
  expect(server.url).toMatch(/^https:/);
  const call = request(`${server.url}/health`, { ca: readFileSync(cert), servername: 'localhost' }).end();
  const [answer] = await once(call, 'response');
  expect(answer.statusCode).toBe(200);
  answer.resume();
});

test('the command says its version and its options, and refuses others in one line', async () => {
  expect(await run('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+\.\d+\.\d+/) });
  expect((await run('--help')).stdout).toContain('--db-path');
  const refused = await run('--db-paht', 'x');
  expect(refused.code).toBe(2);
  expect(refused.stderr.trim().split('\n')).toHaveLength(1);
});

test.runIf(HAS_COPIES)('a database is checked, dumped and imported by commands', async () => {
  const folder = newFolder();
  const server = await started(join(folder, 'data'));
  await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'Sea' }]);
  await server.allTasksDone();
  await server.stop();
  const data = ['--db-path', join(folder, 'data')];
  expect(await run('check', ...data)).toMatchObject({ code: 0, stdout: expect.stringContaining('no problems') });
  const dumped = await run('dump', ...data, '--dump-dir', join(folder, 'dumps'));
  expect(dumped.code).toBe(0);
  const restored = await started(join(folder, 'other'), ['--import-dump', dumped.stdout.trim()]);
  await restored.allTasksDone();
  expect(await count(restored)).toBe(1);
});
