import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { AnswerTooLongError, readBeginning, readBytes } from './answer-bytes.js';
import { OutboundClient, SilenceError } from './client.js';
import { eventsOf } from './event-stream.js';
import { ClosedNetworkError, NetworkPolicy } from './network-policy.js';

const clients: OutboundClient[] = [];
const servers: Server[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) await client.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?a=1`);
}
function clientOf(policy: NetworkPolicy | null = null): OutboundClient {
  const client = new OutboundClient({ policy });
  clients.push(client);
  return client;
}
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

test('a request arrives as it was given, and its answer comes back', async () => {
  const url = await serve(async (request, response) => {
    const body = await bodyOf(request);
    const { method, url, headers } = request;
    response.setHeader('x-many', ['a', 'b']);
    response.end(
      JSON.stringify({
        method,
        url,
        type: headers['content-type'],
        length: headers['content-length'],
        body: body.length,
      }),
    );
  });
  for (const length of [0, 10, 65_536, 65_537, 1_000_000]) {
    const request = {
      method: 'POST',
      url,
      headers: { 'content-type': 'text/x' },
      body: Buffer.alloc(length, 'x'),
    } as const;
    const answer = await clientOf().request(request);
    expect([answer.status, answer.header('x-many'), answer.header('x-none')]).toEqual([200, 'a', null]);
    const seen = JSON.parse((await readBytes(answer.body, 1_000)).toString());
    expect(seen).toEqual({ method: 'POST', url: '/path?a=1', type: 'text/x', length: String(length), body: length });
  }
});

test('credentials in the address are sent as a header, and not where there is one', async () => {
  const url = await serve((request, response) => response.end(request.headers.authorization ?? 'none'));
  const seen = async (headers?: Record<string, string>): Promise<string> =>
    readBeginning((await clientOf().request({ method: 'GET', url, ...(headers && { headers }) })).body, 100);
  expect(await seen()).toBe('none');
  [url.username, url.password] = ['a', 'b%3A'];
  expect(await seen()).toBe(`Basic ${Buffer.from('a:b:').toString('base64')}`);
  expect(await seen({ authorization: 'Bearer k' })).toBe('Bearer k');
});

test('a redirect is an answer', async () => {
  let count = 0;
  const url = await serve((_request, response) => {
    count++;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const answer = await clientOf().request({ method: 'GET', url });
  await answer.discard();
  expect([answer.status, answer.header('location'), count]).toEqual([302, '/elsewhere', 1]);
});

test('an address that the policy forbids is not called, whether it is given or found by its name', async () => {
  const url = await serve(() => expect.unreachable());
  const client = clientOf(new NetworkPolicy(null));
  await expect(client.request({ method: 'GET', url })).rejects.toThrow(ClosedNetworkError);
  url.hostname = 'localhost';
  await expect(client.request({ method: 'GET', url })).rejects.toThrow(ClosedNetworkError);
});

test('a server that does not answer, and one that stops in the middle, are given up', async () => {
  const url = await serve((request, response) => {
    if (request.method === 'GET') response.write('beginning');
  });
  const client = clientOf();
  const late = client.request({ method: 'POST', url, body: '{}', answerMs: 50 });
  await expect(late).rejects.toMatchObject({ name: 'SilenceError', limitMs: 50 });
  await expect(client.request({ method: 'POST', url, silenceMs: 50 })).rejects.toThrow(SilenceError);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { body } = await client.request({ method: 'GET', url, silenceMs: 50 });
  const read = readBytes(body, 100);
  const refused = expect(read).rejects.toThrow(SilenceError);
  vi.advanceTimersByTime(50);
  await refused;
});

test('a server that does not read a long body is given up', async () => {
  const url = await serve((request) => request.pause());
  const request = clientOf().request({ method: 'POST', url, body: Buffer.alloc(64 << 20), silenceMs: 100 });
  await expect(request).rejects.toThrow(SilenceError);
});

test('bytes that keep coming are no silence', async () => {
  const answers: ServerResponse[] = [];
  const url = await serve((_request, response) => {
    answers.push(response);
    response.write('x');
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { body } = await clientOf().request({ method: 'GET', url, silenceMs: 150, answerMs: 150 });
  const bytes = body[Symbol.asyncIterator]();
  for (let count = 1; count < 10; count++) {
    expect((await bytes.next()).value).toHaveLength(1);
    // both the byte and its reader end a silence
    vi.advanceTimersByTime(100);
    const next = bytes.next();
    vi.advanceTimersByTime(100);
    answers[0]!.write('x');
    expect((await next).value).toHaveLength(1);
    answers[0]!.write('x');
  }
  vi.advanceTimersByTime(149);
  const last = bytes.next();
  vi.advanceTimersByTime(149);
  expect((await last).value).toHaveLength(1);
  const silent = bytes.next();
  vi.advanceTimersByTime(150);
  await expect(silent).rejects.toThrow(SilenceError);
});

test('an aborted request rejects with the reason of its signal, before and within its answer', async () => {
  const url = await serve((_request, response) => response.write('x'));
  const client = clientOf();
  await expect(client.request({ method: 'GET', url, signal: AbortSignal.abort('gone') })).rejects.toBe('gone');
  const leaving = new AbortController();
  const { body } = await client.request({ method: 'GET', url, signal: leaving.signal });
  const read = readBytes(body, 100);
  leaving.abort('left');
  await expect(read).rejects.toBe('left');
});

test('an answer that is too long is not read to its end', async () => {
  let closed = 0;
  const url = await serve((_request, response) => {
    response.on('close', () => closed++);
    const fill = (): void => {
      while (response.write(Buffer.alloc(10_000)));
    };
    response.on('drain', fill);
    fill();
  });
  const client = clientOf();
  const { body } = await client.request({ method: 'GET', url });
  await expect(readBytes(body, 50_000)).rejects.toThrow(AnswerTooLongError);
  const second = await client.request({ method: 'GET', url });
  expect(await readBeginning(second.body, 5)).toBe('\0'.repeat(5));
  const third = await client.request({ method: 'GET', url });
  await third.discard();
  await expect.poll(() => closed).toBe(3);
});

test('a short answer that is discarded leaves its connection for the next request', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('short');
  });
  const client = clientOf();
  for (let i = 0; i < 10; i++) await (await client.request({ method: 'GET', url })).discard();
  expect(ports.size).toBeLessThan(3);
});

test('events are read as they come, in pieces that end anywhere', async () => {
  const text = 'data: ä1\n\n: comment\ndata: 2\ndata: 3\n\nevent: x\ndata: 4\n\n';
  const pieces = (async function* () {
    for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
  })();
  const events: string[] = [];
  for await (const data of eventsOf(pieces)) events.push(data);
  expect(events).toEqual(['ä1', '2\n3', '4']);
});
