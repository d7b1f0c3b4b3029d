import { existsSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isLongRun, rounds } from './rounds.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Of the server whose remotes do not answer. */
const SHORT_TIMEOUT_MS = 1_000;
/** Of the other one: nothing that a busy machine does takes so long. */
const TIMEOUT_MS = 120_000;
/** Of one answer: less than by default. */
const LIMIT_BYTES = 8 * 2 ** 20;
const OPTIONS = [
  '--experimental-allowed-ip-networks',
  '127.0.0.0/8',
  '--remote-answer-size-limit',
  String(LIMIT_BYTES),
];
/** An answer is in memory about three times; the rest is V8 and the machine. */
const GROWTH_BYTES = 3 * LIMIT_BYTES + 256 * 2 ** 20;
const CHUNK = Buffer.alloc(64 * 1024, 'a');

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
interface Failed {
  readonly hits: readonly { readonly id: number }[];
  readonly remoteErrors: Readonly<
    Record<string, { readonly code: string; readonly type: string; readonly message: string }>
  >;
}
const cleanups: (() => unknown)[] = [];
let near: ServerProcess;
/** The server with a short time limit. */
let hasty: ServerProcess;
let answer: Handler = (_request, response) => response.end();
let calls = 0;
/** Bytes that left for the server under test since a test set it to 0. */
let sentBytes = 0;
let onSocket: (socket: Socket) => void = (socket) => socket.destroy();

function listening(server: Server, sockets = new Set<Socket>()): Promise<string> {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );
}

/** Writes chunks until the other side has enough. */
function pour(response: ServerResponse, chunk: Buffer): void {
  const write = (): void => {
    while (!response.destroyed) {
      sentBytes += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', write);
    }
  };
  write();
}
const text =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);
const search = async (remote: string, server = near): Promise<Failed> => {
  const queries = [
    { indexUid: 'goods', q: 'fox' },
    { indexUid: 'goods', q: 'fox', federationOptions: { remote } },
  ];
  const { status, body } = await server.call<Failed>('POST', '/multi-search', { queries, federation: {} });
  expect(status).toBe(200);
  return body;
};
const residentBytes = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${near.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

async function start(timeoutMs: number): Promise<ServerProcess> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder, OPTIONS, {
    MEILI_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS: String(timeoutMs / 1_000),
  });
  cleanups.push(() => server.kill());
  return server;
}

/** A federated answer of one hit; what is given takes the place of its parts. */
function hitWith(mark: object, rest: object = {}): string {
  const good = {
    indexUid: 'goods',
    queriesPosition: 1,
    weightedRankingScore: 1,
    weightedScoreValues: [{ weightedScore: 1 }],
  };
  return JSON.stringify({ hits: [{ id: 9, _federation: { ...good, ...mark } }], estimatedTotalHits: 1, ...rest });
}

describe.skipIf(!existsSync(BUILT_FILE))('answers of remotes', () => {
  beforeAll(async () => {
    [near, hasty] = await Promise.all([start(TIMEOUT_MS), start(SHORT_TIMEOUT_MS)]);
    const http = await listening(
      createHttpServer((request, response) => {
        calls += 1;
        request.resume().once('end', () => answer(request, response));
      }),
    );
    const raw = await listening(createServer((socket) => onSocket(socket)));
    for (const server of [near, hasty]) {
      await server.call('PATCH', '/experimental-features', { network: true });
      await server.call('PATCH', '/indexes/goods/settings', {
        filterableAttributes: ['owner'],
        sortableAttributes: ['id'],
      });
      await server.call('POST', '/indexes/goods/documents', [{ id: 1, name: 'fox', owner: 'me' }]);
      await server.call('PATCH', '/network', { self: 'near', remotes: { http: { url: http }, raw: { url: raw } } });
      await server.allTasksDone();
    }
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** The remote's part fails with the code, everything else goes on; the memory of it is gone or small. */
  async function expectFailure(remote: string, code: string, server = near): Promise<void> {
    const body = await search(remote, server);
    expect(body.hits.map(({ id }) => id)).toEqual([1]);
    const type = code === 'remote_bad_request' ? 'invalid_request' : code.endsWith('api_key') ? 'auth' : 'system';
    expect(body.remoteErrors[remote]).toMatchObject({ code, type });
    expect(body.remoteErrors[remote]!.message.length).toBeLessThan(3_000);
  }

  test.each([
    ['announces 3 GiB', { 'content-length': String(3 * 2 ** 30) }, 200],
    ['never ends', {}, 200],
    ['never ends, within a string', { 'content-type': 'application/json' }, 200],
    ['never ends, compressed', { 'content-encoding': 'gzip' }, 200],
  ])('one that %s is read to the limit and no further', async (_, headers, status) => {
    for (let round = 0; round < rounds(1, 10); round++) {
      [calls, sentBytes] = [0, 0];
      const before = residentBytes();
      answer = (_request, response) => pour(response.writeHead(status, headers), CHUNK);
      await expectFailure('http', 'remote_bad_response');
      expect(calls).toBe(1);
      // what is in sockets between comes on top
      expect(sentBytes).toBeLessThan(LIMIT_BYTES + 32 * 2 ** 20);
      if (isLongRun) expect(residentBytes() - before).toBeLessThan(GROWTH_BYTES);
    }
  });

  test('of an endless refusal only the quoted part is read', async () => {
    for (const [status, code] of [
      [400, 'remote_bad_request'],
      [500, 'remote_remote_error'],
    ] as const) {
      sentBytes = 0;
      answer = (_request, response) => pour(response.writeHead(status), CHUNK);
      await expectFailure('http', code);
      expect(sentBytes).toBeLessThan(32 * 2 ** 20);
    }
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => undefined],
    ['sends no more than headers', (response) => response.writeHead(200).flushHeaders()],
    [
      'sends a byte now and then',
      (response) => {
        const timer = setInterval(() => response.write(' '), 50);
        response.once('close', () => clearInterval(timer));
      },
    ],
  ])('a remote that %s meets the time limit', async (_, behave) => {
    calls = 0;
    answer = (_request, response) => behave(response);
    const startedMs = performance.now();
    await expectFailure('http', 'remote_timeout', hasty);
    if (isLongRun) expect(performance.now() - startedMs).toBeLessThan(SHORT_TIMEOUT_MS * 10);
    expect(calls).toBe(1);
  });

  test.each<[string, string, (socket: Socket) => void]>([
    ['closes at once', 'proxy_could_not_send_request', (socket) => socket.destroy()],
    ['speaks another protocol', 'proxy_could_not_send_request', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'sends headers without end',
      'proxy_could_not_send_request',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x-a: aaaaaaaaaaaaaaaa\r\n'.repeat(100_000)}`),
    ],
    [
      'breaks off in the middle',
      'remote_bad_response',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"hits":[')),
    ],
    [
      'breaks off between chunks',
      'remote_bad_response',
      (socket) =>
        socket.once('data', () =>
          socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"hits":[\r\n'),
        ),
    ],
  ])('a remote that %s fails with %s', async (_, code, behave) => {
    onSocket = behave;
    await expectFailure('raw', code);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', '<html>'],
    ['half of JSON', '{"hits":['],
    ['another type', '[]'],
    ['a number', '1'],
    ['null', 'null'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a gzip of JSON', gzipSync(hitWith({}))],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['a hit of 100,000 levels', hitWith({}).replace('"id":9', `"id":9,"deep":${'['.repeat(1e5)}${']'.repeat(1e5)}`)],
    ['no hits', '{"results":[]}'],
    ['hits that are no list', '{"hits":{},"estimatedTotalHits":1}'],
    ['hits that are no objects', '{"hits":[1,null],"estimatedTotalHits":1}'],
    ['hits without marks', '{"hits":[{"id":9}],"estimatedTotalHits":1}'],
    ['no count', hitWith({}, { estimatedTotalHits: undefined })],
    ['a count below 0', hitWith({}, { estimatedTotalHits: -1 })],
    ['a count that is no integer', hitWith({}, { estimatedTotalHits: 1.5 })],
    ['an infinite count', hitWith({}).replace('Hits":1', 'Hits":1e999')],
    ['an index that was not asked', hitWith({ indexUid: 'secrets' })],
    ['an index that is no text', hitWith({ indexUid: 1 })],
    ['a query that was not sent', hitWith({ queriesPosition: 0 })],
    ['a place that is no integer', hitWith({ queriesPosition: 0.5 })],
    ['a score that is text', hitWith({ weightedRankingScore: '1' })],
    ['an infinite score', hitWith({ weightedRankingScore: 77 }).replace(':77', ':1e999')],
    ['no score items', hitWith({ weightedScoreValues: undefined })],
    ['score items of no kind', hitWith({ weightedScoreValues: [{}] })],
    ['an infinite score item', hitWith({ weightedScoreValues: [{ weightedScore: 77 }] }).replace(':77', ':1e999')],
    ['a pin at no position', hitWith({ pinnedPosition: -1 })],
    ['facets that are no object', hitWith({}, { facetsByIndex: [] })],
    ['facets without counts', hitWith({}, { facetsByIndex: { goods: {} } })],
    [
      'counts that are text',
      hitWith({}, { facetsByIndex: { goods: { distribution: { owner: { me: 'x' } }, stats: {} } } }),
    ],
    ['counts below 0', hitWith({}, { facetsByIndex: { goods: { distribution: { owner: { me: -1 } }, stats: {} } } })],
    ['counts of no field', hitWith({}, { facetsByIndex: { goods: { distribution: { owner: 1 }, stats: {} } } })],
    ['broken statistics', hitWith({}, { facetsByIndex: { goods: { distribution: {}, stats: { id: { min: 1 } } } } })],
  ])('%s for an answer is a bad response', async (_, body) => {
    answer = text(body);
    await expectFailure('http', 'remote_bad_response');
  });

  test('what goes beyond the answer that was asked for is left out', async () => {
    const many = JSON.parse(hitWith({})) as { hits: object[] };
    const mark = { indexUid: 'goods', queriesPosition: 1, weightedRankingScore: 1, weightedScoreValues: [] };
    many.hits = Array.from({ length: 500 }, (_, id) => ({ id: 1000 + id, ['__proto__']: { x: 1 }, _federation: mark }));
    const facetsByIndex = { elsewhere: { distribution: { owner: 1 }, stats: {} } };
    const more = { ...many, facetsByIndex, queryVectors: { 1: ['x'], 7: [1] }, processingTimeMs: -5, metadata: [1] };
    answer = text(JSON.stringify(more));
    const body = await search('http');
    expect(body).toMatchObject({ remoteErrors: {}, hits: expect.any(Array) });
    expect(body.hits).toHaveLength(20);
    expect(body).not.toHaveProperty('facetsByIndex');
  });

  test('redirects are not followed, however they lead', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      calls = 0;
      answer = (request, response) =>
        response.writeHead(status, { location: `http://${String(request.headers.host)}/multi-search` }).end();
      await expectFailure('http', 'remote_bad_response');
      expect(calls).toBe(1);
    }
    const { remoteErrors } = await search('http');
    expect(remoteErrors.http?.message).toContain('redirects to `http://127.0.0.1:');
  });

  test('facet searches over the network keep the same limits', async () => {
    const facetSearch = async (): Promise<Failed & { facetHits: unknown }> =>
      (
        await near.call<Failed & { facetHits: unknown }>('POST', '/indexes/goods/facet-search', {
          facetName: 'owner',
          useNetwork: true,
        })
      ).body;
    onSocket = (socket) => socket.destroy();
    for (const handler of [
      ((_request, response) => pour(response.writeHead(200), CHUNK)) satisfies Handler,
      text('{"facetHits":{}}'),
      text('{"facetHits":[{"value":1,"count":1}]}'),
      text('{"facetHits":[{"value":"me","count":-1}]}'),
      text('{"facetHits":[{"value":"me","count":1e999}]}'),
    ]) {
      answer = handler;
      const { facetHits, remoteErrors } = await facetSearch();
      expect(facetHits).toEqual([{ value: 'me', count: 1 }]);
      expect(remoteErrors.http?.code).toBe('remote_bad_response');
      expect(remoteErrors.raw?.code).toBe('proxy_could_not_send_request');
    }
    answer = text('{"facetHits":[{"value":"me","count":2}]}');
    expect((await facetSearch()).facetHits).toEqual([{ value: 'me', count: 3 }]);
  });

  test('a remote that fails shows as unavailable, one that answers again as available', async () => {
    const statusOf = async (name: string): Promise<string | undefined> =>
      (await near.call<{ remotes: Record<string, { status: string }> }>('GET', '/network')).body.remotes[name]?.status;
    answer = text(hitWith({}));
    expect((await search('http')).remoteErrors).toEqual({});
    expect(await statusOf('http')).toBe('available');
    answer = text('gone', 503);
    await expectFailure('http', 'remote_remote_error');
    expect(await statusOf('http')).toBe('unavailable');
    // it refuses, so it is there
    answer = text('{}', 400);
    await expectFailure('http', 'remote_bad_request');
    expect(await statusOf('http')).toBe('available');
    onSocket = (socket) => socket.destroy();
    await expectFailure('raw', 'proxy_could_not_send_request');
    expect(await statusOf('raw')).toBe('unavailable');
    expect(await statusOf('http')).toBe('available');
  });
});
