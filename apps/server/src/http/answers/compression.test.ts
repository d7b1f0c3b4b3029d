import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateSync,
} from 'node:zlib';
import { AnswerAccount } from '@fossick/search-service';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { registerCors } from '../cors.js';
import { registerAnswers } from './answer-sending.js';
import { AnswerWatch } from './answer-watch.js';
import { CompressionTurns, constantAnswer, preferredEncoding, registerCompression } from './compression.js';
import { PartedBytes } from './parted-bytes.js';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, deflate: inflateSync } as const;
const LARGE = JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, name: `document ${id}` })));
let app: FastifyInstance;
/** A stream that goes on; the last one that was asked for. */
let live = new PassThrough();
let port = 0;

beforeAll(async () => {
  app = fastify({ exposeHeadRoutes: false });
  registerCors(app);
  registerCompression(app);
  app.get('/small', (_request, reply) => reply.header('content-type', 'application/json').send('{"status":"é"}'));
  app.get('/bytes', (_request, reply) => reply.send(Buffer.from('{"a":1}')));
  app.get('/large', (_request, reply) => reply.send(LARGE));
  app.get('/empty', (_request, reply) => reply.code(204).send());
  app.get('/stream', (_request, reply) =>
    reply.send(Readable.from([Buffer.from('{"a":1}\n'), Buffer.from('{"a":2}\n')])),
  );
  app.get('/live', (_request, reply) => {
    live = new PassThrough();
    live.write('first line\n');
    return reply.send(live);
  });
  app.get('/done', (_request, reply) => reply.header('content-encoding', 'gzip').send(Buffer.from([1, 2, 3])));
  app.head('/small', (_request, reply) => reply.header('content-length', '14').send());
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as { port: number }).port;
});
afterAll(() => app.close());

function call(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) =>
    requestHttp({ port, path, headers, method }, resolve).once('error', reject).end(),
  );
}
async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe.each(['br', 'gzip', 'deflate'] as const)('%s', (encoding) => {
  test.each([
    ['/small', '{"status":"é"}'],
    ['/bytes', '{"a":1}'],
    ['/large', LARGE],
    ['/stream', '{"a":1}\n{"a":2}\n'],
  ])('%s is compressed', async (path, text) => {
    const response = await call(path, { 'accept-encoding': encoding });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(response.headers.vary).toBe('origin, accept-encoding');
    const body = await read(response);
    expect(decoders[encoding](body).toString()).toBe(text);
    if (response.headers['content-length'] !== undefined)
      expect(Number(response.headers['content-length'])).toBe(body.length);
  });

  it('gives out a live stream piece by piece', async () => {
    const response = await call('/live', { 'accept-encoding': encoding });
    const decoder = { br: createBrotliDecompress, gzip: createGunzip, deflate: createInflate }[encoding]();
    const next = (): Promise<string> => new Promise((resolve) => decoder.once('data', (text) => resolve(String(text))));
    response.pipe(decoder);
    expect(await next()).toBe('first line\n');
    live.write('second line\n');
    expect(await next()).toBe('second line\n');
    response.destroy();
    decoder.destroy();
    // who writes hears that nobody reads any more
    await new Promise((resolve) => live.once('close', resolve));
  });
});

test.each([
  ['/small', {}],
  ['/large', {}],
  ['/small', { 'accept-encoding': 'identity' }],
  ['/small', { 'accept-encoding': '' }],
  ['/stream', { 'accept-encoding': 'zstd' }],
])('%s with %j comes as it is, and says what it depends on', async (path, headers) => {
  const response = await call(path, headers);
  expect(response.headers).not.toHaveProperty('content-encoding');
  expect(response.headers.vary).toBe('origin, accept-encoding');
  await read(response);
});

describe('compressions', () => {
  const constant = constantAnswer(Buffer.from(LARGE));
  const turns = new CompressionTurns();
  let counted: FastifyInstance;
  let huge: ServerResponse | undefined;
  let made: unknown;
  let [countedPort, begun, most] = [0, 0, 0];
  beforeAll(async () => {
    const { run } = turns;
    turns.run = (work, isWanted) =>
      run.call(
        turns,
        async () => {
          begun += 1;
          most = Math.max(most, turns.runningCount);
          made = await work();
          return made as never;
        },
        isWanted,
      ) as Promise<never>;
    counted = fastify();
    registerAnswers(counted, new AnswerWatch(new AnswerAccount(1 << 30)), () => registerCompression(counted, turns));
    counted.get('/constant', (_request, reply) => reply.send(constant));
    counted.get('/made', (_request, reply) => reply.send(Buffer.from(LARGE)));
    counted.get('/huge', (_request, reply) => {
      huge = reply.raw;
      return reply.send(randomBytes(200_000_000));
    });
    counted.get('/parts', (_request, reply) =>
      reply
        .serializer((payload: unknown) => payload as string)
        .send(new PartedBytes([Buffer.from(LARGE), Buffer.alloc(300_000, 'a')])),
    );
    await counted.listen({ host: '127.0.0.1', port: 0 });
    countedPort = (counted.server.address() as { port: number }).port;
  });
  afterAll(() => counted.close());
  const get = async (path: string, encoding: string): Promise<Buffer> => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      requestHttp({ port: countedPort, path, headers: { 'accept-encoding': encoding }, agent: false }, resolve)
        .once('error', reject)
        .end(),
    );
    expect(answer.headers['content-encoding']).toBe(encoding);
    return read(answer);
  };

  it.each(['br', 'gzip', 'deflate'] as const)('of a constant answer are made once: %s', async (encoding) => {
    begun = 0;
    const answers = await Promise.all(Array.from({ length: 60 }, () => get('/constant', encoding)));
    answers.push(await get('/constant', encoding));
    for (const answer of answers) expect(decoders[encoding](answer).toString()).toBe(LARGE);
    expect(begun).toBe(1);
  });

  it.each(['/made', '/parts'])('of %s are two at a time', async (path) => {
    [begun, most] = [0, 0];
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => get(path, ['br', 'gzip'][at % 2]!)));
    expect(new Set(answers.map(({ length }) => length)).size).toBe(2);
    expect([begun, most]).toEqual([40, 2]);
  });

  it('of answers whose clients are gone do not begin', async () => {
    const gates: (() => void)[] = [];
    const held = [0, 1].map(() =>
      turns.run(
        () => new Promise<void>((resolve) => gates.push(resolve)),
        () => true,
      ),
    );
    begun = 0;
    const clients = Array.from({ length: 30 }, () => connect(countedPort, '127.0.0.1').on('error', () => undefined));
    for (const client of clients) client.write('GET /made HTTP/1.1\r\nhost: a\r\naccept-encoding: br\r\n\r\n');
    await expect.poll(() => turns.waitingCount, { timeout: 60_000 }).toBe(30);
    const closed = clients.map((client) => new Promise((resolve) => client.once('close', resolve)));
    for (const client of clients) client.destroy();
    await Promise.all(closed);
    // while the others still go on
    await expect.poll(() => turns.waitingCount).toBe(0);
    for (const open of gates) open();
    await Promise.all(held);
    expect(begun).toBe(0);
  });

  it('of large answers end when their clients go', async () => {
    begun = 0;
    const client = connect(countedPort, '127.0.0.1').on('error', () => undefined);
    client.write('GET /huge HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\n\r\n');
    await expect.poll(() => begun, { interval: 1 }).toBe(1);
    const gone = new Promise<void>((resolve) => huge!.once('close', resolve));
    client.destroy();
    await gone;
    await expect.poll(() => turns.runningCount).toBe(0);
    // not all of it was compressed
    expect(made).toBe(null);
  });

  it('go on after one that fails', async () => {
    const failing = Array.from({ length: 5 }, () =>
      turns.run(
        () => Promise.reject(new Error('broken')),
        () => true,
      ),
    );
    expect((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected')).toBe(true);
    expect((await get('/made', 'br')).length).toBeGreaterThan(0);
  });
});

it('leaves alone what has no body or is compressed already', async () => {
  const headers = { 'accept-encoding': 'gzip' };
  const empty = await call('/empty', headers);
  expect(empty.statusCode).toBe(204);
  expect(empty.headers).not.toHaveProperty('content-encoding');
  const head = await call('/small', headers, 'HEAD');
  expect(head.headers).toMatchObject({ 'content-length': '14', vary: 'origin, accept-encoding' });
  expect(head.headers).not.toHaveProperty('content-encoding');
  const done = await call('/done', headers);
  expect(await read(done)).toEqual(Buffer.from([1, 2, 3]));
});

it('keeps what depends on the origin, of preflights too', async () => {
  const origin = 'http://shop.example';
  const plain = await call('/small', { origin, 'accept-encoding': 'gzip' });
  expect(plain.headers.vary).toBe('origin, accept-encoding');
  await read(plain);
  const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a' };
  const preflight = await call('/small', asked, 'OPTIONS');
  expect(preflight.headers.vary).toBe(
    'origin, access-control-request-method, access-control-request-headers, accept-encoding',
  );
});

it('ends the connection where a stream breaks, so that nobody takes the part for the whole', async () => {
  const broken = await call('/live', { 'accept-encoding': 'gzip' });
  const reading = read(broken);
  // its head has come, and a part
  live.destroy(new Error('the disk is gone'));
  await expect(reading).rejects.toThrow();
  const response = await call('/small', { 'accept-encoding': 'gzip' });
  expect((await read(response)).length).toBeGreaterThan(0);
});

test.each([
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['deflate', 'deflate'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['deflate, gzip;q=1.0, *;q=0.5', 'gzip'],
  ['*', 'br'],
  ['*;q=0.1', 'br'],
  ['br;q=0, *', 'gzip'],
  ['identity;q=0, *', 'br'],
  ['identity;q=0, deflate;q=0.1', 'deflate'],
  ['identity, gzip;q=0.5', 'gzip'],
  ['br;q=0.2,gzip;q=0.8', 'gzip'],
  ['gzip ; q=0.5 , br ; q = 0.4', 'gzip'],
  ['gzip;q=0.001', 'gzip'],
  ['', undefined],
  ['identity', undefined],
  ['identity;q=0', undefined],
  ['*;q=0', undefined],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000', undefined],
  ['gzip;q=2', undefined],
  ['gzip;q=-1', undefined],
  ['gzip;q=much', undefined],
  ['zstd, compress', undefined],
  [',;,q=1', undefined],
])('Accept-Encoding %j chooses %s', (header, encoding) => {
  expect(preferredEncoding(header)).toBe(encoding);
});
