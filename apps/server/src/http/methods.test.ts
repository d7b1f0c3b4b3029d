import { METHODS } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { registerErrors } from './errors.js';
import { treatUnknownMethods } from './methods.js';
import { Router } from './router.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(isHttp2: boolean): Promise<{ port: number; faults: string[] }> {
  const faults: string[] = [];
  const stream = { write: (line: string) => void faults.push(line) };
  const options = { logger: { level: 'error', stream }, forceCloseConnections: true };
  const app: FastifyInstance = fastify({ ...options, ...(isHttp2 ? { http2: true } : {}) } as object);
  treatUnknownMethods(app);
  registerErrors(app);
  const router = new Router(app);
  router.on('GET', '/health', (_request, reply) => reply.send('{}'));
  router.on('POST', '/health', (_request, reply) => reply.send('{}'));
  router.close();
  await app.listen({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => app.close());
  return { port: (app.server.address() as AddressInfo).port, faults };
}
function over1(port: number, method: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.once('close', () => resolve(text));
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
  });
}

/** The parser of Node.js 20.19 does not know QUERY, that of 20.20 does. */
const WORDS = ['QUERY', 'PROPFIND', 'LOCK', 'M-SEARCH', 'TRACE', 'FOO'];
test.each(
  WORDS.filter((word) => METHODS.includes(word)),
)('%s over HTTP/1.1 is answered 405 where its path has a route, and 404 elsewhere', async (method) => {
  const { port, faults } = await start(false);
  expect(await over1(port, method, '/health')).toMatch(
    /^HTTP\/1.1 405 .*\r\nallow: GET, POST\r\n.*"method_not_allowed"/s,
  );
  expect(await over1(port, method, '/nowhere')).toMatch(/^HTTP\/1.1 404 .*"route_not_found"/s);
  expect(faults).toEqual([]);
});

test.each(
  WORDS.filter((word) => !METHODS.includes(word)),
)('%s over HTTP/1.1 is no method to the parser: 400', async (word) => {
  const { port, faults } = await start(false);
  expect(await over1(port, word, '/health')).toMatch(/^HTTP\/1.1 400 /);
  expect(faults).toEqual([]);
});

test('any word over HTTP/2 is answered like a method without a route', async () => {
  const { port, faults } = await start(true);
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  cleanups.push(() => session.destroy());
  for (const method of ['QUERY', 'FOO', 'get', 'constructor', 'A'.repeat(500)])
    for (const [path, status] of [
      ['/health', 405],
      ['/nowhere', 404],
    ] as const) {
      const stream = session.request({ ':method': method, ':path': path });
      stream.resume().end();
      const received = await new Promise<number>((resolve, reject) => {
        stream.once('response', (headers) => resolve(headers[':status']!));
        stream.once('error', reject);
      });
      expect([method, path, received]).toEqual([method, path, status]);
    }
  expect(faults).toEqual([]);
});
