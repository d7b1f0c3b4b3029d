import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, test } from 'vitest';
import { type GateLimits, RequestGate, registerGate } from './request-gate.js';

const SOON = { timeout: 60_000, interval: 5 };
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** What the routes of a server have begun, and how much of that is under way. */
interface Work {
  readonly port: number;
  begun: number;
  underWay: number;
  most: number;
  /** Lets the requests to /held go on. */
  release(): void;
  /** Open connections. */
  connections(): Promise<number>;
}
async function start(isHttp2 = false, limits: Partial<GateLimits> = {}): Promise<Work> {
  const app: FastifyInstance = fastify((isHttp2 ? { http2: true } : { forceCloseConnections: true }) as object);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const connections = (): Promise<number> =>
    new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)));
  const work = { port: 0, begun: 0, underWay: 0, most: 0, release, connections };
  registerGate(app, new RequestGate(limits));
  app.addHook('onRequest', (_request, reply, done) => {
    work.begun += 1;
    work.underWay += 1;
    work.most = Math.max(work.most, work.underWay);
    // before the gate hears of it
    reply.raw.prependListener('close', () => {
      work.underWay -= 1;
    });
    done();
  });
  app.get('/held', async () => {
    await released;
    return 'held';
  });
  app.get('/now', () => 'now');
  app.post('/length', ({ body }) => `length ${JSON.stringify(body).length}`);
  await app.listen({ host: '127.0.0.1', port: 0 });
  work.port = (app.server.address() as AddressInfo).port;
  cleanups.push(() => app.close());
  return work;
}
function open(port: number): { socket: Socket; text: () => string } {
  let text = '';
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  cleanups.push(() => socket.destroy());
  return { socket, text: () => text };
}
function openHttp2(port: number): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => undefined);
  cleanups.push(() => session.destroy());
  return session;
}
const statusesOf = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((found) => Number(found[1]));
const request = (method: string, path: string, head = '', body = ''): string =>
  `${method} ${path} HTTP/1.1\r\nhost: a\r\n${head}\r\n${body}`;
const get = (path: string): string => request('GET', path);
const json = 'content-type: application/json\r\n';

describe('requests ahead of their answers', () => {
  it.each([1, 2, 8])('%i at a time are under way, the others wait, and all are answered', async (pipelinedAtOnce) => {
    const work = await start(false, { pipelinedAtOnce });
    const { socket, text } = open(work.port);
    socket.write(get('/held').repeat(1_000));
    await expect.poll(() => work.underWay, SOON).toBe(pipelinedAtOnce);
    const other = await fetch(`http://127.0.0.1:${work.port}/now`);
    expect(await other.text()).toBe('now');
    expect(work.begun).toBe(pipelinedAtOnce + 1);
    work.release();
    await expect.poll(() => statusesOf(text()).length, SOON).toBe(1_000);
    expect(work.most).toBeLessThanOrEqual(pipelinedAtOnce + 1);
  });

  it('on many connections are bounded for each', async () => {
    const work = await start();
    const all = Array.from({ length: 8 }, () => open(work.port));
    for (const { socket } of all) socket.write(get('/held').repeat(300));
    await expect.poll(() => work.underWay, SOON).toBe(64);
    work.release();
    await expect.poll(() => all.map(({ text }) => statusesOf(text()).length), SOON).toEqual(all.map(() => 300));
    expect(work.most).toBe(64);
  });

  it('are forgotten with their connection', async () => {
    const work = await start();
    const { socket } = open(work.port);
    socket.write(get('/held').repeat(500));
    await expect.poll(() => work.underWay, SOON).toBe(8);
    socket.destroy();
    // what is not read is known to be closed when something is written to it
    work.release();
    await expect.poll(() => work.connections(), SOON).toBe(0);
    expect(await (await fetch(`http://127.0.0.1:${work.port}/now`)).text()).toBe('now');
    expect(work.begun).toBeLessThan(100);
  });

  it('beyond what may wait in all end their connection, and others are answered', async () => {
    const work = await start(false, { waitingMax: 100 });
    const { socket, text } = open(work.port);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(get('/held').repeat(200));
    await closed;
    expect(text()).toBe('');
    const next = open(work.port);
    next.socket.write(get('/now').repeat(90));
    await expect.poll(() => statusesOf(next.text()).length, SOON).toBe(90);
  });

  it('are not read while others wait', async () => {
    const work = await start(false, { pipelinedAtOnce: 2 });
    const { socket } = open(work.port);
    const many = Buffer.from(get('/held').repeat(20_000));
    let isTaken = false;
    for (let sent = 0; sent < 40; sent++) isTaken = socket.write(many);
    await expect.poll(() => work.underWay, SOON).toBe(2);
    // 25 MB: more than the sockets of a connection hold
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([isTaken, socket.writableLength > 0]).toEqual([false, true]);
    work.release();
  });

  test.each<[string, string, readonly number[]]>([
    ['GET', get('/now'), [200]],
    ['HEAD', request('HEAD', '/now'), [200]],
    ['an unknown path', get('/nowhere'), [404]],
    ['an unknown method of a path', request('DELETE', '/now'), [404]],
    ['a body', request('POST', '/length', `${json}content-length: 9\r\n`, '{"a":"b"}'), [200]],
    [
      'a body in chunks',
      request('POST', '/length', `${json}transfer-encoding: chunked\r\n`, '4\r\n[1,2\r\n1\r\n]\r\n0\r\n\r\n'),
      [200],
    ],
    ['a body of the wrong type', request('POST', '/length', 'content-type: a/b\r\ncontent-length: 1\r\n', 'x'), [415]],
    ['a query string', get(`/now?${'a=b&'.repeat(1_000)}`), [200]],
    [
      'a body of 300 KB',
      request('POST', '/length', `${json}content-length: 300002\r\n`, `"${'x'.repeat(300_000)}"`),
      [200],
    ],
    [
      'a body that nobody reads',
      request('POST', '/nowhere', `${json}content-length: 200002\r\n`, `"${'x'.repeat(200_000)}"`),
      [404],
    ],
    ['two in one', get('/now') + get('/nowhere'), [200, 404]],
    [
      'an expectation',
      request('POST', '/length', `${json}expect: 100-continue\r\ncontent-length: 2\r\n`, '{}'),
      [100, 200],
    ],
  ])('of the same kind are answered in their order: %s', async (_name, one, statuses) => {
    const work = await start(false, { pipelinedAtOnce: 2 });
    const { socket, text } = open(work.port);
    socket.write(one.repeat(30) + get('/now'));
    const expected = [...Array.from({ length: 30 }, () => statuses).flat(), 200];
    await expect
      .poll(() => statusesOf(text()).filter((status) => status !== 100), SOON)
      .toEqual(expected.filter((status) => status !== 100));
    expect(work.most).toBeLessThanOrEqual(2);
  });
});

describe('streams of HTTP/2', () => {
  it('that are reset at once are not begun, and their connection is closed', async () => {
    const work = await start(true);
    const session = openHttp2(work.port);
    await new Promise((resolve) => session.once('connect', resolve));
    const closed = new Promise((resolve) => session.once('close', resolve));
    for (let at = 0; at < 900; at++)
      session
        .request({ ':path': '/held' })
        .on('error', () => undefined)
        .close(constants.NGHTTP2_CANCEL);
    await closed;
    // what began in a turn before its reset was read
    expect(work.begun).toBeLessThan(200);
    const next = openHttp2(work.port).request({ ':path': '/now' });
    let text = '';
    for await (const chunk of next) text += String(chunk);
    expect(text).toBe('now');
    await expect.poll(() => work.underWay, SOON).toBe(0);
  });

  it('that are open are all answered, also a hundred that take long', async () => {
    const work = await start(true);
    const session = openHttp2(work.port);
    const texts = Array.from({ length: 100 }, async () => {
      let text = '';
      for await (const chunk of session.request({ ':path': '/held' })) text += String(chunk);
      return text;
    });
    await expect.poll(() => work.underWay, SOON).toBe(100);
    work.release();
    expect(new Set(await Promise.all(texts))).toEqual(new Set(['held']));
  });

  it('that a client gives up while they wait are dropped', async () => {
    const work = await start(true);
    const session = openHttp2(work.port);
    for (let round = 0; round < 20; round++) {
      const streams = Array.from({ length: 20 }, () =>
        session.request({ ':path': '/held' }).on('error', () => undefined),
      );
      const ended = streams.map((stream) => new Promise((resolve) => stream.once('close', resolve)));
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      await Promise.all(ended);
    }
    let text = '';
    for await (const chunk of session.request({ ':path': '/now' })) text += String(chunk);
    expect(text).toBe('now');
    expect(work.underWay).toBeLessThan(20);
    work.release();
  });
});
