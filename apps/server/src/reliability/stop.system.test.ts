import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { holdUpQueue } from './held-queue.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { Random } from './random-writes.test-support.js';

/** A stop waits for clients for five seconds at most; one that waits for a stream would never end. */
const STOP_MS = 120_000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
async function start(folder = newDatabaseFolder(), options: readonly string[] = []): Promise<ServerProcess> {
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder, options);
  cleanups.push(() => server.kill());
  await server.call('PATCH', '/experimental-features', { logsRoute: true });
  return server;
}

/** The answer of an open log stream. Nobody reads it until the caller does. */
function listen(server: ServerProcess): Promise<IncomingMessage> {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(`${server.url}/logs/stream`, { method: 'POST' }, (answer) => {
      answer.on('error', () => undefined);
      cleanups.push(() => void answer.destroy());
      resolve(answer);
    });
    call.once('error', reject);
    call.setHeader('content-type', 'application/json');
    call.end(JSON.stringify({ target: 'info', mode: 'json' }));
  });
}
/**
 * A client that sends the beginning of a connection, and reads no more of what comes back than the first bytes. Resolves when those are
 * there, where there is an answer.
 */
async function stubborn(server: ServerProcess, text: string, isAnswered: boolean): Promise<void> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  cleanups.push(() => void socket.destroy());
  await once(socket, 'connect');
  if (text !== '') await new Promise((resolve) => socket.write(text, resolve));
  if (isAnswered) await once(socket, 'readable');
}
const asking = (method: string, path: string, body: object | null = null, headers = ''): string => {
  const text = body === null ? '' : JSON.stringify(body);
  const length = body === null ? '' : `content-type: application/json\r\ncontent-length: ${text.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: a\r\n${length}${headers}\r\n${text}`;
};
/** The exit code of a stop, or `still running`. */
function stopped(server: ServerProcess): Promise<unknown> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => resolve('still running'), STOP_MS);
    void server.stop().then((code) => {
      clearTimeout(patience);
      resolve(code);
    });
  });
}
/** 20,000 characters that cannot be compressed by much. */
function noiseOf(random: Random): string {
  return Buffer.from(Array.from({ length: 15_000 }, () => random.upTo(256))).toString('base64');
}
/** Fills the stream, and the connection after it, with lines. */
async function answerRequests(server: ServerProcess, count: number): Promise<void> {
  const path = `${server.url}/health?${'x'.repeat(8_000)}`;
  for (let done = 0; done < count; done += 20)
    await Promise.all(
      Array.from(
        { length: 20 },
        () => new Promise<void>((resolve) => get(path, (answer) => answer.resume().once('close', resolve))),
      ),
    );
}

/** Answers of some 20 MB, more than is in sockets, and requests that never become whole (`false`: there is no answer). */
const KINDS: readonly (readonly [what: string, text: string, isAnswered?: false])[] = [
  ['documents', asking('GET', '/indexes/long/documents?limit=1000')],
  ['documents, compressed', asking('GET', '/indexes/noise/documents?limit=1000', null, 'accept-encoding: gzip\r\n')],
  ['fetched documents', asking('POST', '/indexes/long/documents/fetch', { limit: 1000 })],
  ['a search', asking('POST', '/indexes/long/search', { limit: 1000 })],
  ['a multi-search', asking('POST', '/multi-search', { queries: [{ indexUid: 'long', limit: 1000 }] })],
  [
    'a federated search',
    asking('POST', '/multi-search', { queries: [{ indexUid: 'long' }], federation: { limit: 1000 } }),
  ],
  ['a payload that waits', asking('GET', '/tasks/WAITING/documents')],
  ['half of a head', 'GET /indexes HTTP/1.1\r\nhost', false],
  [
    'half of a body',
    `${asking('POST', '/indexes/other/documents', {}, 'x: y\r\n').replace('length: 2', 'length: 2000')}`,
    false,
  ],
  ['nothing', '', false],
  ['a hundred requests one after another', asking('GET', '/indexes/long/documents?limit=50').repeat(100)],
];

describe.skipIf(!isBuilt)('a stop', () => {
  test('tells a listener at once that it is one', async () => {
    const server = await start();
    const answer = await listen(server);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  });

  test('waits seconds at most for clients that never read or never finish, of each kind', async () => {
    const server = await start(newDatabaseFolder(), ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
    await server.call('PATCH', '/experimental-features', { getTaskDocumentsRoute: true });
    await server.call('PATCH', '/indexes/long/settings', { searchableAttributes: ['id'] });
    await server.call('PATCH', '/indexes/noise/settings', { searchableAttributes: ['id'] });
    const random = new Random(TEST_SEED);
    const documents = Array.from({ length: 1000 }, (_, id) => ({ id, text: 'long '.repeat(4_000) }));
    const noise = documents.map(({ id }) => ({ id, text: noiseOf(random) }));
    await server.call('POST', '/indexes/long/documents', documents);
    await server.call('POST', '/indexes/noise/documents', noise);
    await server.allTasksDone();
    const queue = await holdUpQueue(server);
    cleanups.push(() => queue.release());
    const { body } = await server.call<{ taskUid: number }>('POST', '/indexes/late/documents', documents);
    for (const [, text, isAnswered] of KINDS)
      await stubborn(server, text.replace('WAITING', String(body.taskUid)), isAnswered ?? true);
    // a later connection is served: what the others have sent was read before
    expect((await server.call('GET', '/health')).status).toBe(200);
    expect(await stopped(server)).toBe(0);
  });

  test('ends a log stream that is read, and the process', async () => {
    const server = await start();
    const answer = await listen(server);
    let text = '';
    answer.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const ended = new Promise<void>((resolve) => answer.once('end', resolve));
    await server.call('GET', '/health');
    expect(await stopped(server)).toBe(0);
    await ended;
    expect(text).toContain('/health');
  });

  test('does not wait for who reads no line of a log stream', async () => {
    const server = await start();
    await listen(server);
    await answerRequests(server, 100);
    expect(await stopped(server)).toBe(0);
  });

  test('does not wait for a writer that cannot close what it has open', async () => {
    const folder = newDatabaseFolder();
    cleanups.push(() => removeFolder(folder));
    const server = await startServerProcess(folder, [], { FOSSICK_FAULTS: 'writer.stop=fail:EIO' });
    cleanups.push(() => server.kill());
    await server.call('POST', '/indexes', { uid: 'made' });
    await server.allTasksDone();
    expect(await stopped(server)).toBe(0);
    expect(server.output()).toContain('EIO: fault point writer.stop');
  });

  test('does not wait for streams that were closed before', async () => {
    const server = await start();
    await listen(server);
    await answerRequests(server, 100);
    expect((await server.call('DELETE', '/logs/stream')).status).toBe(204);
    await listen(server);
    expect(await stopped(server)).toBe(0);
  });
});
