import { type ClientRequest, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { registerErrors } from '../errors.js';
import { passing, stopIntervals } from '../passing-time.test-support.js';
import { readJson } from './body.js';
import { registerBodyIntake } from './body-intake.js';
import { BodyMemory } from './body-memory.js';

const MEMORY_BYTES = 3_000_000;
const LIMIT_BYTES = 2_500_000;
const SPANS = { spanMs: 1_000, lookMs: 100 };
/** Another process may hold the machine. */
const SOON = { timeout: 60_000, interval: 5 };

let app: FastifyInstance;
let memory: BodyMemory;
/** Connections as the server has them. */
let connections: Socket[] = [];
const clients: ClientRequest[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await app.close();
  vi.useRealTimers();
});

async function start(): Promise<number> {
  stopIntervals();
  connections = [];
  memory = new BodyMemory(MEMORY_BYTES);
  app = fastify({ forceCloseConnections: true, bodyLimit: Number.MAX_SAFE_INTEGER });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.decorate('bodyLimits', { payloadLimitBytes: LIMIT_BYTES, readLimitBytes: LIMIT_BYTES });
  app.decorateRequest('receivedContentType', 'application/json');
  registerBodyIntake(app, memory, SPANS);
  registerErrors(app);
  app.post('/read', async (request) => ({
    length: JSON.stringify(await readJson(request, LIMIT_BYTES, Number.POSITIVE_INFINITY)).length,
  }));
  app.post('/ignore', async () => ({ done: true }));
  app.server.on('connection', (socket) => connections.push(socket));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly code?: string };
}
/** A request whose body is still to be sent; `answer` is undefined when the connection ends without one. */
function begin(port: number, path: string, headers: Record<string, string | number> = {}) {
  const client = request({ port, path, method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
  clients.push(client);
  client.flushHeaders();
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const answer = new Promise<Answer | undefined>((resolve) => {
    client.on('error', () => resolve(undefined));
    client.once('close', () => resolve(undefined));
    client.once('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.once('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) as Answer['body'] }),
      );
      response.once('error', () => resolve(undefined));
    });
  });
  return { client, answer, closed };
}

test('a body whose client stops sending is answered 408, and its connection ends', async () => {
  const port = await start();
  for (const headers of [{ 'content-length': 900 }, { 'content-length': 2_000_000 }, {}]) {
    const { client, answer, closed } = begin(port, '/read', headers);
    client.write('{"a":"');
    expect(await passing(SPANS.lookMs, answer)).toMatchObject({ status: 408, body: { code: 'payload_timeout' } });
    await closed;
  }
});

test('a connection whose rest of a body nobody wants ends, too', async () => {
  const port = await start();
  const { client, answer, closed } = begin(port, '/ignore', { 'content-length': 5_000 });
  client.write('{');
  expect(await answer).toMatchObject({ status: 200 });
  await passing(SPANS.lookMs, closed);
});

test('a transfer encoding that nobody decodes is refused', async () => {
  const port = await start();
  for (const coding of ['gzip, chunked', 'deflate,chunked', 'identity, chunked']) {
    const { client, answer } = begin(port, '/read', { 'transfer-encoding': coding });
    client.end('{"a":1}');
    expect(await answer, coding).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  }
  const { client, answer } = begin(port, '/read', { 'transfer-encoding': 'Chunked' });
  client.end('{"a":1}');
  expect(await answer).toMatchObject({ status: 200 });
});

test('a slow body that goes on is read to its end', async () => {
  const port = await start();
  const { client, answer } = begin(port, '/read');
  client.write('["');
  for (let part = 0; part < 10; part++) {
    vi.advanceTimersByTime(300);
    client.write('x'.repeat(1_200));
    await expect.poll(() => connections[0]?.bytesRead ?? 0, SOON).toBeGreaterThan((part + 1) * 1_200);
  }
  client.end('"]');
  expect(await answer).toMatchObject({ status: 200, body: { length: 12_004 } });
});

test('a body of more lists, objects and members than may be is refused before it is read', async () => {
  const port = await start();
  const ask = (text: string) => {
    const { client, answer } = begin(port, '/read', { 'content-length': text.length });
    client.end(text);
    return answer;
  };
  for (const item of ['{}', '[]', '{"":[]}']) {
    const text = `{"filter":[${`${item},`.repeat(2_400_000 / (item.length + 1))}${item}]}`;
    expect(await ask(text), item).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  }
  const numbers = `[${'1,'.repeat(1_000_000)}1]`;
  expect(await ask(numbers)).toMatchObject({ status: 200, body: { length: numbers.length } });
});

test('bodies take no more memory together than there is for them, and give it back', async () => {
  const port = await start();
  const half = () => {
    const sent = begin(port, '/read', { 'content-length': 2_000_000 });
    sent.client.write(`["${'x'.repeat(1_400_000)}`);
    return sent;
  };
  const first = half();
  // until all of it has come
  await expect.poll(() => memory.heldBytes, SOON).toBeGreaterThanOrEqual(1_400_000);
  const others = [half(), half(), half()];
  const refused: Answer[] = [];
  for (const { answer } of others)
    void answer.then((each) => {
      if (each?.status === 503) refused.push(each);
    });
  await expect.poll(() => refused.length, SOON).toBeGreaterThanOrEqual(2);
  expect(refused[0]).toMatchObject({ body: { code: 'too_many_payloads' }, headers: { 'retry-after': '10' } });
  for (const { client } of [first, ...others]) client.destroy();
  await expect.poll(() => memory.heldBytes, SOON).toBe(0);
  const { client, answer } = begin(port, '/read', { 'content-length': 2_000_000 });
  client.end(`["${'x'.repeat(1_999_996)}"]`);
  expect(await answer).toMatchObject({ status: 200 });
});

test('what decodes to more than the limit is decoded up to the limit', async () => {
  const port = await start();
  const bomb = gzipSync(Buffer.alloc(200_000_000, 0x20));
  const { client, answer } = begin(port, '/read', { 'content-encoding': 'gzip', 'content-length': bomb.length });
  const before = process.memoryUsage().rss;
  client.end(bomb);
  expect(await answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  expect(process.memoryUsage().rss - before).toBeLessThan(120_000_000);
});
