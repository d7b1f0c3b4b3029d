import { randomBytes } from 'node:crypto';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { AnswerAccount } from '@fossick/search-service';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { sendParts } from '../../context.js';
import { registerErrors } from '../errors.js';
import { passing, stopIntervals } from '../passing-time.test-support.js';
import { registerAnswers } from './answer-sending.js';
import { AnswerWatch } from './answer-watch.js';
import { constantAnswer, registerCompression } from './compression.js';
import { PartedBytes } from './parted-bytes.js';

const CAPACITY_BYTES = 100_000_000;
const SPANS = { spanMs: 1_000, lookMs: 100 };
/** Another process may hold the machine. */
const SOON = { timeout: 60_000, interval: 5 };
/** More than the sockets of a connection hold for a client that does not read. */
const LARGE_BYTES = 30_000_000;
const LARGE = Buffer.alloc(LARGE_BYTES, 'large answer ');
/** The same: random bytes stay as long when they are compressed. */
const NEVER_CHANGES = randomBytes(LARGE_BYTES);
/** What a slow client reads between two looks: the system reports progress in steps of more than one of these. */
const SLOW_BYTES = 1_200_000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  vi.useRealTimers();
});

async function start(
  isHttp2 = false,
  parts: readonly Buffer[] = [],
): Promise<{ port: number; account: AnswerAccount }> {
  stopIntervals();
  const app: FastifyInstance = fastify((isHttp2 ? { http2: true } : { forceCloseConnections: true }) as object);
  const account = new AnswerAccount(CAPACITY_BYTES);
  registerAnswers(app, new AnswerWatch(account, SPANS), () => registerCompression(app));
  registerErrors(app);
  app.get('/large', (_request, reply) => reply.header('content-type', 'application/json').send(LARGE));
  app.get('/constant', (_request, reply) => reply.send(constantAnswer(NEVER_CHANGES)));
  app.get('/parts', (_request, reply) => sendParts(reply, new PartedBytes(parts)));
  app.get('/text', (_request, reply) => reply.send('é'.repeat(500_000)));
  app.get('/small', (_request, reply) => reply.send({ status: 'available' }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => app.close());
  return { port: (app.server.address() as AddressInfo).port, account };
}
function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  cleanups.push(() => socket.destroy());
  return socket;
}
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
/** Lets time pass until answers hold nothing. */
const passingUntilFree = (account: AnswerAccount): Promise<void> =>
  passing(SPANS.lookMs, expect.poll(() => account.heldBytes, SOON).toBe(0));

test.each([
  ['short', 3, 100],
  ['long', 40, 300_000],
])('the parts of a %s answer are sent as one, compressed or not', async (_name, count, partBytes) => {
  const parts = Array.from({ length: count }, (_, at) => Buffer.alloc(at === 1 ? 0 : partBytes, `part ${at} `));
  const whole = Buffer.concat(parts);
  const { port, account } = await start(false, parts);
  for (const encoding of ['identity', 'gzip', 'br', 'deflate']) {
    const answer = await fetch(`http://127.0.0.1:${port}/parts`, { headers: { 'accept-encoding': encoding } });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    if (encoding === 'identity') expect(answer.headers.get('content-length')).toBe(String(whole.length));
    expect(Buffer.from(await answer.arrayBuffer()).equals(whole)).toBe(true);
  }
  await expect.poll(() => account.heldBytes, SOON).toBe(0);
});

test('answers are whole, with their length, compressed or not', async () => {
  const { port, account } = await start();
  const plain = await fetch(`http://127.0.0.1:${port}/large`, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.get('content-length')).toBe(String(LARGE_BYTES));
  expect(Buffer.from(await plain.arrayBuffer()).equals(LARGE)).toBe(true);
  const socket = open(port);
  let raw = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    raw = Buffer.concat([raw, chunk]);
  });
  socket.write('GET /large HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n');
  await new Promise((resolve) => socket.once('close', resolve));
  const bodyAt = raw.indexOf('\r\n\r\n') + 4;
  expect(raw.toString('latin1', 0, bodyAt)).toContain(`content-length: ${raw.length - bodyAt}\r\n`);
  expect(gunzipSync(raw.subarray(bodyAt)).equals(LARGE)).toBe(true);
  const text = await fetch(`http://127.0.0.1:${port}/text`);
  expect(await text.text()).toBe('é'.repeat(500_000));
  await expect.poll(() => account.heldBytes, SOON).toBe(0);
});

test('a connection whose client reads nothing is closed, and one that reads slowly is not', async () => {
  const { port, account } = await start();
  const [silent, slow] = [open(port), open(port)];
  silent.pause().write(get('/large'));
  slow.pause().write(get('/large'));
  await expect.poll(() => account.heldBytes, SOON).toBe(2 * LARGE_BYTES);
  let slowBytes = 0;
  for (let wanted = SLOW_BYTES; slowBytes < LARGE_BYTES && !slow.destroyed; wanted += SLOW_BYTES) {
    while (slowBytes < Math.min(wanted, LARGE_BYTES) && !slow.destroyed) {
      slowBytes += slow.read()?.length ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    vi.advanceTimersByTime(SPANS.lookMs);
  }
  expect(slowBytes).toBeGreaterThanOrEqual(LARGE_BYTES);
  expect(await (await fetch(`http://127.0.0.1:${port}/small`)).json()).toEqual({ status: 'available' });
  await passingUntilFree(account);
});

test('answers that wait for an earlier one on their connection are not closed, and hold nothing once it is gone', async () => {
  const { port, account } = await start();
  const socket = open(port);
  socket.pause().write(get('/large') + get('/large') + get('/small'));
  await expect.poll(() => account.heldBytes, SOON).toBeGreaterThan(LARGE_BYTES);
  socket.destroy();
  await passingUntilFree(account);
});

test('many connections that take much at once leave turns of the event loop for others', async () => {
  const { port } = await start();
  const progressed = vi.spyOn(AnswerWatch.prototype, 'progressed');
  cleanups.push(() => progressed.mockRestore());
  let [most, all] = [0, 0];
  const sockets = Array.from({ length: 40 }, () => open(port));
  for (const socket of sockets) {
    // one connection is accepted in a turn
    socket.write(get('/small'));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
  }
  for (const socket of sockets) socket.write(get('/constant'));
  while (all < 40 * 1_000_000) {
    await new Promise((resolve) => setImmediate(resolve));
    const turn = progressed.mock.calls.reduce((sum, [, bytes]) => sum + bytes, 0);
    progressed.mockClear();
    [most, all] = [Math.max(most, turn), all + turn];
  }
  expect(most).toBeLessThan(10_000_000);
});

test('a full memory refuses large answers only', async () => {
  const { port, account } = await start();
  const others = account.reserve();
  others.set(CAPACITY_BYTES - 1_000_000);
  const refused = await fetch(`http://127.0.0.1:${port}/large`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
  expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await refused.json()).toMatchObject({ code: 'too_many_answers' });
  expect((await fetch(`http://127.0.0.1:${port}/small`)).status).toBe(200);
  others.release();
  expect((await fetch(`http://127.0.0.1:${port}/large`)).status).toBe(200);
});

test.each([
  'identity',
  'br',
  'gzip',
])('answers that never change take no room (%s), and are closed if nobody reads them', async (encoding) => {
  const { port, account } = await start();
  const ask = `GET /constant HTTP/1.1\r\nhost: a\r\naccept-encoding: ${encoding}\r\n\r\n`;
  const sockets = Array.from({ length: 4 }, () => open(port).pause());
  const begun = sockets.map((socket) => new Promise((resolve) => socket.once('readable', resolve)));
  for (const socket of sockets) socket.write(ask.repeat(8));
  await Promise.all(begun);
  const large = await fetch(`http://127.0.0.1:${port}/large`);
  expect(large.status).toBe(200);
  await large.arrayBuffer();
  await expect.poll(() => account.heldBytes, SOON).toBe(0);
  const closed = sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
  if (encoding === 'identity') await passing(SPANS.lookMs, Promise.race(closed));
});

test('streams of HTTP/2 whose windows stay closed are counted and closed, their connection is not', async () => {
  const { port, account } = await start(true);
  const session = connectHttp2(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
  cleanups.push(() => session.destroy());
  const closed = ['/large', '/small', '/text'].map((path) => {
    const stream = session.request({ ':path': path }).on('error', () => undefined);
    return new Promise((resolve) => stream.once('close', resolve));
  });
  await expect.poll(() => account.heldBytes, SOON).toBeGreaterThan(LARGE_BYTES + 1_000_000);
  await passing(SPANS.lookMs, Promise.all(closed));
  await expect.poll(() => account.heldBytes, SOON).toBe(0);
  const stream = session.request({ ':path': '/small' });
  session.settings({ initialWindowSize: 65_535 });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  expect(JSON.parse(text)).toEqual({ status: 'available' });
});
