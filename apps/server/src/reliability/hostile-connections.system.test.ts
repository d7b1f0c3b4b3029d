/**
 * Connections that do what HTTP allows and clients seldom do: requests ahead of answers, answers after errors on the same connection, bodies
 * in odd chunks, ends of one side, silence by the hundred, and a process that is stopped and goes on.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { Random } from './random-writes.test-support.js';
import { isLongRun, rounds } from './rounds.test-support.js';

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  if (!isBuilt) return;
  folder = newDatabaseFolder();
  server = await startServerProcess(folder);
  await server.call('POST', '/indexes/a/documents', [{ id: 1, name: 'found' }]);
  await server.allTasksDone();
});
afterAll(async () => {
  await server?.kill();
  if (folder !== undefined) removeFolder(folder);
});

/** What has not come by then does not come. */
const PATIENCE_MS = 120_000;

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});
function open(): Socket {
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}
const closed = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await once(socket, 'close');
};
/** What comes until `count` answers have begun, or the connection ends. */
function answers(socket: Socket, count: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const patience = setTimeout(() => resolve(text), PATIENCE_MS);
    const done = (): void => {
      clearTimeout(patience);
      resolve(text);
    };
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (statusesOf(text).length >= count && isWhole(text.slice(text.lastIndexOf('HTTP/1.1 ')))) done();
    });
    socket.once('end', done);
    socket.once('close', done);
  });
}
/** How many answers have begun when there are `count`, or the connection ends; their bytes are not kept. */
function countedAnswers(socket: Socket, count: number): Promise<number> {
  return new Promise((resolve) => {
    let [begun, rest] = [0, ''];
    socket.on('data', (chunk: Buffer) => {
      const text = rest + chunk.toString('latin1');
      const heads = [...text.matchAll(STATUS)];
      begun += heads.length;
      // a head may come in two pieces, wherever it is cut
      const last = heads.at(-1);
      rest = text.slice(Math.max(text.length - STATUS_LENGTH + 1, last === undefined ? 0 : last.index + STATUS_LENGTH));
      if (begun >= count) resolve(begun);
    });
    socket.once('close', () => resolve(begun));
  });
}
/** Memory of a process that is no file's, in bytes; 0 where the system does not tell. */
function ownBytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}
/** Whether an answer has all of the body that its head announces. */
function isWhole(answer: string): boolean {
  const bodyAt = answer.indexOf('\r\n\r\n') + 4;
  if (bodyAt < 4) return false;
  const bodyBytes = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, bodyAt))?.[1] ?? 0;
  return answer.length - bodyAt >= Number(bodyBytes);
}
const STATUS = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LENGTH = 'HTTP/1.1 200 '.length;
const statusesOf = (text: string): number[] => [...text.matchAll(STATUS)].map(([, status]) => Number(status));
/** The state of a process by the system, T when it is stopped; Linux only. */
function stateOf(pid: number): string {
  return process.platform === 'linux' ? readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]![0]! : 'T';
}
const HOST = 'host: localhost\r\n';
const get = (path: string): string => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`;
const post = (path: string, body: string, type = 'application/json'): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (parts: readonly string[], trailers = '', head = 'content-type: application/json\r\n'): string =>
  `POST /indexes/a/search HTTP/1.1\r\n${HOST}${head}transfer-encoding: chunked\r\n\r\n` +
  `${parts.map((part) => `${part.length.toString(16)};of="a, b";x\r\n${part}\r\n`).join('')}0\r\n${trailers}\r\n`;

describe.skipIf(!isBuilt)('a connection', () => {
  it('with requests ahead of their answers gets all of them, in their order', async () => {
    const kinds: readonly (readonly [string, number])[] = [
      [get('/health'), 200],
      [post('/indexes/a/search', '{"q":"found"}'), 200],
      [post('/indexes/a/search', '{"q":'), 400],
      [get('/nowhere'), 404],
      [post('/indexes/a/search', '{}', 'text/html'), 415],
      [post('/indexes/none/search', '{}'), 404],
      [post('/indexes', '{"uid":"no uid!"}'), 400],
      [get('/tasks?limit=-1'), 400],
    ];
    const sent = Array.from({ length: rounds(96, 960) }, (_, at) => kinds[(at * 5) % kinds.length]!);
    const socket = open();
    socket.write(sent.map(([text]) => text).join(''));
    expect(statusesOf(await answers(socket, sent.length))).toEqual(sent.map(([, status]) => status));
  });

  it.each([
    [1, '/openapi.json'],
    [8, '/openapi.json'],
    [8, '/docs'],
    [8, '/dashboard/sample.json'],
    [4, '/indexes/a/documents?limit=1000'],
  ])('%i of them with a thousand requests for %s ahead take bounded memory, and others are served', async (count, path) => {
    const ask = `GET ${path} HTTP/1.1\r\n${HOST}accept-encoding: br\r\n\r\n`;
    const before = ownBytes(server.pid);
    let [peak, isOver] = [before, false];
    const all = Promise.all(
      Array.from({ length: count }, async () => {
        const socket = open();
        const begun = countedAnswers(socket, 1_000);
        socket.write(ask.repeat(1_000));
        expect(await begun).toBe(1_000);
        socket.destroy();
      }),
    ).finally(() => {
      isOver = true;
    });
    let waitedMs = 0;
    while (!isOver) {
      const fromMs = performance.now();
      expect((await server.call('GET', '/health')).status).toBe(200);
      waitedMs = Math.max(waitedMs, performance.now() - fromMs);
      peak = Math.max(peak, ownBytes(server.pid));
    }
    await all;
    expect((peak - before) / 2 ** 20).toBeLessThan(200);
    // ten times what a quiet machine needs
    expect(waitedMs).toBeLessThan(4_000);
  });

  it('goes on after a refused body, or ends', async () => {
    for (const path of ['/indexes/a/search', '/multi-search', '/keys']) {
      const socket = open();
      const text = answers(socket, 2);
      socket.write(post(path, ' '.repeat(12_000_000)));
      socket.write(get('/health'));
      const [first, second] = statusesOf(await text);
      expect([path, first]).toEqual([path, path === '/keys' ? first : 413]);
      expect([path, [200, undefined]]).toEqual([path, expect.arrayContaining([second])]);
    }
    expect((await server.call('GET', '/health')).status).toBe(200);
  });

  it('with chunks that say more than their length, or headers after the body, is read as HTTP says', async () => {
    const read = async (text: string): Promise<string> => {
      const socket = open();
      const answer = answers(socket, 1);
      socket.write(text);
      return answer;
    };
    expect(await read(chunked(['{"q":', '"found"}']))).toContain('"name":"found"');
    expect(await read(chunked([...'{"q":"found"}']))).toContain('"name":"found"');
    // what is after the body is no header of the request
    expect(statusesOf(await read(chunked(['{}'], 'content-type: application/json\r\n', '')))).toEqual([415]);
    const endless = `POST /indexes/a/search HTTP/1.1\r\n${HOST}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    for (const wrong of [
      'zz\r\n{}\r\n0\r\n\r\n',
      '-1\r\n{}\r\n',
      'ffffffffffffffffff\r\n{}\r\n',
      `2;${'x'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`,
    ]) {
      const [status] = statusesOf(await read(endless + wrong));
      expect([wrong.slice(0, 20), status === undefined || (status >= 400 && status < 500)]).toEqual([
        wrong.slice(0, 20),
        true,
      ]);
    }
  });

  it('that asks before it sends a body is told to go on, or not', async () => {
    const head = (expected: string): string =>
      `POST /indexes/a/search HTTP/1.1\r\n${HOST}content-type: application/json\r\ncontent-length: 13\r\nexpect: ${expected}\r\n\r\n`;
    const socket = open();
    const told = answers(socket, 1);
    socket.write(head('100-continue'));
    expect(statusesOf(await told)).toEqual([100]);
    const text = answers(socket, 1);
    socket.write('{"q":"found"}');
    expect(statusesOf(await text)).toEqual([200]);
    const other = open();
    const refused = answers(other, 1);
    other.write(`${head('something else')}{"q":"found"}`);
    const [status] = statusesOf(await refused);
    expect([200, 417]).toContain(status);
  });

  it('whose client has said its last word gets its answer', async () => {
    const socket = open();
    const text = answers(socket, 1);
    socket.end(post('/indexes/a/search', '{"q":"found"}'));
    expect(await text).toContain('"name":"found"');
  });

  it('whose client has said its last word gets all answers that are still made', async () => {
    const additions = Array.from({ length: 20 }, (_, id) => post('/indexes/last/documents', JSON.stringify({ id })));
    const socket = open();
    const text = answers(socket, additions.length);
    socket.end(additions.join(''));
    expect(statusesOf(await text)).toEqual(additions.map(() => 202));
    await closed(socket);
  });

  it.each(['/tasks/stream', '/batches/stream'])('whose client has said its last word ends %s', async (path) => {
    expect((await server.call('PATCH', '/experimental-features', { tasksStreamingRoute: true })).status).toBe(200);
    const socket = open();
    const head = once(socket, 'data');
    socket.write(get(path));
    expect(String(await head)).toContain('HTTP/1.1 200');
    socket.end();
    await closed(socket);
  });

  it('is served while hundreds of others say nothing, or half of something', async () => {
    const count = rounds(300, 3_000);
    const silent = Array.from({ length: count }, () => open());
    await Promise.all(
      silent.map(async (socket, at) => {
        await once(socket, 'connect');
        if (at % 3 === 1) socket.write('POST /indexes/a/docu');
        if (at % 3 !== 2) return;
        const whole = answers(socket, 1);
        socket.write(`${get('/health')}GET /hea`);
        expect(statusesOf(await whole)).toEqual([200]);
      }),
    );
    expect((await server.call('POST', '/indexes/a/search', { q: 'found' })).status).toBe(200);
    for (const socket of silent) socket.destroy();
  });

  it('outlives a process that was stopped and goes on, and so does what it had asked for', async () => {
    const random = new Random(TEST_SEED);
    const lines = Array.from({ length: 3_000 }, (_, id) => JSON.stringify({ id, name: `word ${id}` })).join('\n');
    for (let round = 0; round < rounds(3, 20); round++) {
      const headers = { 'content-type': 'application/x-ndjson' };
      const sent = [1, 2, 3].map(() =>
        server.call<{ taskUid: number }>('POST', '/indexes/stopped/documents', lines, headers),
      );
      // at once, after an answer, after all of them: while it indexes
      await Promise.all(sent.slice(0, [0, 1, 3][round % 3]));
      if (isLongRun) await pause(random.upTo(150));
      process.kill(server.pid, 'SIGSTOP');
      await expect.poll(() => stateOf(server.pid), { timeout: PATIENCE_MS, interval: 1 }).toBe('T');
      const socket = open();
      const text = answers(socket, 1);
      await new Promise((resolve) => socket.write(get('/health'), resolve));
      if (isLongRun) await pause(300 + random.upTo(700));
      process.kill(server.pid, 'SIGCONT');
      for (const { status } of await Promise.all(sent)) expect(status).toBe(202);
      expect(statusesOf(await text)).toEqual([200]);
    }
    const tasks = await server.allTasksDone();
    expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const held = await server.call<{ total: number }>('GET', '/indexes/stopped/documents?limit=0');
    expect(held.body.total).toBe(3_000);
  });
});
