/** Clients that ask for large answers and do not read them: the memory stays within its limit, and others are served. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt, type Launched, launch } from './launch.test-support.js';
import { isLongRun } from './rounds.test-support.js';

const MIB = 2 ** 20;
const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;
/** For answers that are not read, in the servers of this file. */
const ACCOUNT_BYTES = 64 * MIB;
/** In addition to the account: answers being made by each search thread and what they leave for the collector, sockets, requests. */
const BESIDE_BYTES = 350 * MIB;
const LIMIT = ['--http-answers-memory', `${ACCOUNT_BYTES / MIB}MiB`];
const DOCUMENT_BYTES = 64_000;
const DOCUMENTS = 200;
const LARGE_PAGE = `/indexes/docs/documents?limit=${DOCUMENTS}`;
const SMALL_SEARCH = { q: 'word', limit: 1, attributesToRetrieve: ['id'] };
const CONNECTIONS = 200;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startWithDocuments(count = DOCUMENTS): Promise<{ folder: string; server: ServerProcess }> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder, LIMIT);
  cleanups.push(() => server.kill());
  await server.call('PATCH', '/indexes/docs/settings', { searchableAttributes: ['name'] });
  const documents = Array.from({ length: count }, (_, id) => ({ id, name: 'word', text: 'x'.repeat(DOCUMENT_BYTES) }));
  await server.call('POST', '/indexes/docs/documents', documents);
  await server.allTasksDone();
  return { folder, server };
}
/** Memory of a process that is no file's, in bytes; Linux only. */
function ownBytes(pid: number): number {
  return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}
/** The highest that it reaches within some seconds. */
async function peakBytes(pid: number): Promise<number> {
  let peak = 0;
  for (let look = 0; look < 60; look++) {
    peak = Math.max(peak, ownBytes(pid));
    await pause(100);
  }
  return peak;
}
/** Sends a request and reads nothing of the answer. */
function askWithoutReading(url: string, path: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined).pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  cleanups.push(() => socket.destroy());
  return socket;
}

describe.skipIf(!isBuilt || process.platform !== 'linux')('answers that nobody reads', () => {
  test('over HTTP/1.1 stay within their memory, small requests are served, and room is free again', async () => {
    const { server } = await startWithDocuments();
    const before = ownBytes(server.pid);
    const sockets = Array.from({ length: CONNECTIONS }, () => askWithoutReading(server.url, LARGE_PAGE));
    const peak = await peakBytes(server.pid);
    expect((peak - before) / MIB).toBeLessThan((ACCOUNT_BYTES + BESIDE_BYTES) / MIB);
    expect((await server.call('GET', '/health')).status).toBe(200);
    expect((await server.call('POST', '/indexes/docs/search', SMALL_SEARCH)).status).toBe(200);
    const refused = await fetch(`${server.url}${LARGE_PAGE}`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await refused.json()).toMatchObject({ code: 'too_many_answers', type: 'system' });
    const search = await server.call('POST', '/indexes/docs/search', { limit: DOCUMENTS });
    expect(search).toMatchObject({ status: 503, body: { code: 'too_many_answers' } });
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await fetch(`${server.url}${LARGE_PAGE}`)).status).toBe(200);
  }, 120_000);

  test('of searches are refused before they are made: what is held and refused adds up to their bytes', async () => {
    const { server } = await startWithDocuments();
    const body = JSON.stringify({ limit: DOCUMENTS });
    const statuses = await Promise.all(
      Array.from({ length: 24 }, () => {
        const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
        cleanups.push(() => socket.destroy());
        const head = `POST /indexes/docs/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
        socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
        return new Promise<string>((resolve, reject) => {
          socket.once('error', reject);
          socket.once('readable', () => resolve((socket.read(12) as Buffer).toString().slice(-3)));
        });
      }),
    );
    const answerBytes = DOCUMENTS * (DOCUMENT_BYTES + 40);
    const heldMax = Math.floor(ACCOUNT_BYTES / answerBytes);
    const held = statuses.filter((status) => status === '200').length;
    // the last that is made may be refused for another that is being made
    expect(held).toBeLessThanOrEqual(heldMax);
    expect(held).toBeGreaterThanOrEqual(heldMax - 1);
    expect(statuses.filter((status) => status === '503')).toHaveLength(24 - held);
    expect((await server.call('POST', '/indexes/docs/search', SMALL_SEARCH)).status).toBe(200);
  }, 120_000);

  test('of many searches in one request are counted while they are collected', async () => {
    const { server } = await startWithDocuments();
    const before = ownBytes(server.pid);
    const queries = Array.from({ length: 15 }, () => ({ indexUid: 'docs', limit: DOCUMENTS }));
    const ends = Array.from({ length: 30 }, async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ queries });
      const { status, body: rest } = await fetch(`${server.url}/multi-search`, { method: 'POST', headers, body });
      await rest?.cancel();
      return status;
    });
    const [peak, ...statuses] = await Promise.all([peakBytes(server.pid), ...ends]);
    // one of them may go beyond the account while nobody else holds any of it
    const aloneBytes = queries.length * DOCUMENTS * DOCUMENT_BYTES;
    expect((peak - before) / MIB).toBeLessThan((ACCOUNT_BYTES + aloneBytes + BESIDE_BYTES) / MIB);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses).toContain(503);
  }, 120_000);

  test.skipIf(!HAS_OPENSSL)(
    'over HTTP/2, in windows that do not open, stay within their memory',
    async () => {
      const { folder, server } = await startWithDocuments();
      await server.stop();
      const { child, port } = await launchTls(folder);
      const before = ownBytes(child.pid!);
      for (let at = 0; at < 5; at++) {
        const session = http2Session(port);
        for (let stream = 0; stream < CONNECTIONS / 5; stream++)
          session.request({ ':path': LARGE_PAGE }).on('error', () => undefined);
      }
      const peak = await peakBytes(child.pid!);
      expect((peak - before) / MIB).toBeLessThan((ACCOUNT_BYTES + BESIDE_BYTES) / MIB);
      expect(await statusOverTls(port, '/health')).toBe(200);
      expect(await statusOverTls(port, LARGE_PAGE)).toBe(503);
    },
    120_000,
  );

  test.skipIf(!isLongRun)(
    'end with their connections after a minute, and slow clients get all of theirs',
    async () => {
      const { server } = await startWithDocuments(800);
      const path = '/indexes/docs/documents?limit=800';
      const [slowBytes, silentMs] = await Promise.all([
        readSlowly(`${server.url}${path}`, 100_000),
        timeToClose(askWithoutReading(server.url, LARGE_PAGE)),
      ]);
      expect(slowBytes).toBeGreaterThan(51_000_000);
      expect(silentMs).toBeGreaterThan(55_000);
      expect(silentMs).toBeLessThan(100_000);
    },
    900_000,
  );
});

async function launchTls(folder: string): Promise<Launched> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const files = ['-nodes', '-keyout', key, '-out', cert];
  const subject = ['-subj', '/CN=localhost', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...files, ...subject], { stdio: 'ignore' });
  const launched = await launch(folder, [...LIMIT, '--ssl-cert-path', cert, '--ssl-key-path', key]);
  cleanups.push(() => void launched.child.kill('SIGKILL'));
  await expect.poll(() => statusOverTls(launched.port, '/health').catch(() => 0), { timeout: 60_000 }).toBe(200);
  return launched;
}
function http2Session(port: number): ClientHttp2Session {
  const settings = { initialWindowSize: 0 };
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, settings });
  session.on('error', () => undefined);
  cleanups.push(() => session.destroy());
  return session;
}
function statusOverTls(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.once('error', reject);
    socket.once('data', (chunk: Buffer) => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1]));
      socket.destroy();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  });
}
/** Reads an answer at this many bytes a second, and resolves with their number. */
function readSlowly(url: string, bytesPerSecond: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false }, async (response) => {
      const startedMs = performance.now();
      let byteCount = 0;
      try {
        for await (const chunk of response) {
          byteCount += (chunk as Buffer).length;
          await pause(Math.max(0, (byteCount / bytesPerSecond) * 1_000 - (performance.now() - startedMs)));
        }
        resolve(byteCount);
      } catch (error) {
        reject(error);
      }
    });
    sent.once('error', reject);
    sent.end();
  });
}
/** Milliseconds until the server closes a connection. The client does not read, so it asks what the system knows of the other side. */
async function timeToClose(socket: Socket): Promise<number> {
  const startedMs = performance.now();
  const port =
    socket.localPort ??
    (await new Promise<number>((resolve) => socket.once('connect', () => resolve(socket.localPort!))));
  const isOpen = (): boolean => {
    const peer = `:${port.toString(16).toUpperCase().padStart(4, '0')} 01 `;
    return readFileSync('/proc/net/tcp', 'utf8').includes(peer);
  };
  while (isOpen()) await pause(500);
  return performance.now() - startedMs;
}
