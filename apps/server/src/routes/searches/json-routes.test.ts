import { type AddressInfo, connect, type Socket } from 'node:net';
import { apiError } from '@fossick/base';
import { AnswerAccount } from '@fossick/search-service';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerAnswers } from '../../http/answers/answer-sending.js';
import { AnswerWatch } from '../../http/answers/answer-watch.js';
import { registerCompression } from '../../http/answers/compression.js';
import { takeOverBodies } from '../../http/bodies/body.js';
import { registerBodyIntake } from '../../http/bodies/body-intake.js';
import { BodyMemory } from '../../http/bodies/body-memory.js';
import { registerCors } from '../../http/cors.js';
import { registerErrors } from '../../http/errors.js';
import type { JsonQuestion } from '../../http/json-route.js';
import { Router } from '../../http/router.js';
import { onJson } from './json-routes.js';

/** Another process may hold the machine. */
const SOON = { timeout: 60_000, interval: 5 };
const HELD_BYTES = 50;
const HELD_ANSWER_BYTES = 1_000_000;
const [HEAD, JSON_HEAD] = ['host: a\r\n', 'host: a\r\ncontent-type: application/json\r\n'];

/** No search thread takes anything. */
const HERE = {
  takes: () => false,
  begin: <T>(_job: unknown, work: () => T): T => work(),
  offer: () => undefined,
  run: () => Promise.reject(new Error('not here')),
};
let app: FastifyInstance;
let bodies: BodyMemory;
let account: AnswerAccount;
let port = 0;
let answered: string[] = [];
/** What the route does with a question. */
let work: (question: JsonQuestion) => Promise<Buffer>;
const sockets: Socket[] = [];

beforeEach(async () => {
  answered = [];
  bodies = new BodyMemory(HELD_BYTES);
  account = new AnswerAccount(HELD_ANSWER_BYTES);
  work = ({ indexUid, received }) => Promise.resolve(Buffer.from(JSON.stringify({ indexUid, received })));
  app = fastify();
  takeOverBodies(app, { payloadLimitBytes: 1 << 20, readLimitBytes: 1 << 20 });
  registerBodyIntake(app, bodies);
  registerErrors(app);
  registerCors(app);
  registerAnswers(app, new AnswerWatch(account), () => registerCompression(app));
  app.addHook('onResponse', (request, reply, done) => {
    answered.push(`${request.method} ${request.routeOptions.url} ${reply.statusCode}`);
    done();
  });
  const router = new Router(app);
  for (const url of ['/indexes/:indexUid/search', '/multi'])
    onJson(
      router,
      { options: { readLimitBytes: 1_000_000 }, searchers: HERE, counts: { degraded: 0 } },
      {
        url,
        body: 'search',
        authorize: ({ authorization }) => {
          if (authorization === 'wrong') throw apiError('missing_authorization_header', 'none');
          return undefined as never;
        },
        answer: (question) => work(question),
      },
    );
  router.close();
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

function open(): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  return socket;
}
/** Everything the server sends until so many answers are whole, or the connection is closed. */
function heard(socket: Socket, count = 1): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = (): void => resolve(Buffer.concat(chunks).toString());
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (wholeAnswers(Buffer.concat(chunks).toString('latin1')) >= count) end();
    });
    socket.once('close', end);
  });
}
/** How many answers are complete, each of a length that it tells. */
function wholeAnswers(text: string): number {
  for (let count = 0, from = 0; ; count++) {
    const bodyAt = text.indexOf('\r\n\r\n', from) + 4;
    const length = /\r\ncontent-length: (\d+)\r\n/.exec(text.slice(from, bodyAt))?.[1];
    if (length === undefined || bodyAt + Number(length) > text.length) return count;
    from = bodyAt + Number(length);
  }
}
function ask(target: string, body = '{"q":"a"}', head = JSON_HEAD, method = 'POST'): Promise<string> {
  const socket = open();
  socket.write(`${method} ${target} HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`);
  return heard(socket);
}

/** Work that ends when the test says so. */
function heldWork(result: Buffer): { readonly begun: Promise<void>; readonly finish: () => void } {
  let finish = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    work = async () => {
      resolve();
      await ended;
      return result;
    };
  });
  return { begun, finish };
}
/** The next connection, as the server has it. */
function connection(): Promise<Socket> {
  return new Promise((resolve) => app.server.once('connection', resolve));
}

test('a short body that comes with its head is answered with the headers of every answer', async () => {
  const answer = await ask('/indexes/films/search');
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(answer).toContain('vary: origin, accept-encoding\r\n');
  expect(answer).toContain('content-type: application/json\r\n');
  expect(answer).toMatch(/\r\n\r\n\{"indexUid":"films","received":\{"q":"a"\}\}$/);
  expect(await ask('/multi')).toContain('{"indexUid":"","received":{"q":"a"}}');
  expect(answered).toEqual(['POST /indexes/:indexUid/search 200', 'POST /multi 200']);
  expect(bodies.heldBytes).toBe(0);
});

test('requests in one packet are answered in their order', async () => {
  work = async ({ received }) => {
    const { wait } = received as { wait: number };
    await new Promise((resolve) => setTimeout(resolve, wait));
    return Buffer.from(`"${wait}"`);
  };
  const socket = open();
  for (const body of ['{"wait":60}', '{"wait":0}', '{"wait":20}'])
    socket.write(`POST /multi HTTP/1.1\r\n${JSON_HEAD}content-length: ${body.length}\r\n\r\n${body}`);
  expect([...(await heard(socket, 3)).matchAll(/"(\d+)"/g)].map(([, wait]) => wait)).toEqual(['60', '0', '20']);
});

test.each([
  ['an escaped name', '/indexes/fil%6ds/search', '{}', JSON_HEAD, /200 .*"films"/s],
  ['a query string', '/indexes/films/search?a=1', '{}', JSON_HEAD, / 200 /],
  ['another path', '/indexes/films/others', '{}', JSON_HEAD, / 404 /],
  ['another method', '/indexes/films/search', '{}', JSON_HEAD, / 405 .*allow: POST/s, 'PUT'],
  ['a long body', '/indexes/films/search', `"${' '.repeat(20_000)}"`, JSON_HEAD, / 200 .* {20000}/s],
  ['no body', '/indexes/films/search', '', JSON_HEAD, / 400 .*missing_payload/s],
])('%s is answered', async (_name, target, body, head, expected, method?: string) => {
  expect(await ask(target, body, head, method)).toMatch(expected);
});

test('a body that comes in pieces is read whole', async () => {
  const socket = open();
  const answer = heard(socket);
  socket.write(`POST /multi HTTP/1.1\r\n${JSON_HEAD}content-length: 7\r\n\r\n{`);
  for (const piece of ['"q"', ':1', '}']) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.write(piece);
  }
  expect(await answer).toContain('"received":{"q":1}');
  socket.destroy();
  const chunked = await ask('/multi', '2\r\n{}\r\n0\r\n\r\n', `${JSON_HEAD}transfer-encoding: chunked\r\nx-`);
  expect(chunked).toContain('"received":{}');
});

test('rights are checked before the media type, and that before the body', async () => {
  expect(await ask('/multi', '{', `${HEAD}authorization: wrong\r\n`)).toMatch(/ 401 .*missing_authorization_header/s);
  expect(await ask('/multi', '{}', HEAD)).toMatch(/ 415 .*missing_content_type/s);
  expect(await ask('/multi', '{}', `${HEAD}content-type: text/plain\r\n`)).toMatch(/ 415 .*invalid_content_type/s);
  expect(await ask('/multi', '{')).toMatch(/ 400 .*malformed_payload/s);
  work = () => Promise.reject(apiError('too_many_search_requests', 'searches', 'One'));
  expect(await ask('/multi')).toMatch(/ 503 .*retry-after: 10\r\n/s);
  work = () => Promise.reject(new Error('a fault of ours'));
  expect(await ask('/multi')).toMatch(/ 500 .*a fault of ours/s);
});

test('bodies are counted until their answers are sent or their clients have left', async () => {
  let end = (): void => undefined;
  work = async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    return Buffer.from('{}');
  };
  const socket = open();
  const body = `{"q":"${'a'.repeat(30)}"}`;
  socket.write(`POST /multi HTTP/1.1\r\n${JSON_HEAD}content-length: ${body.length}\r\n\r\n${body}`);
  await expect.poll(() => bodies.heldBytes, SOON).toBe(body.length);
  const endFirst = end;
  expect(await ask('/multi', body)).toMatch(/ 503 .*too_many_payloads/s);
  socket.destroy();
  await expect.poll(() => bodies.heldBytes, SOON).toBe(0);
  endFirst();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(answered).toEqual(['POST /multi 503']);
});

test('a request that comes while the server stops gets 503', async () => {
  const { begun, finish } = heldWork(Buffer.from('"done"'));
  const connected = connection();
  const socket = open();
  const answer = heard(socket, 2);
  const request = `POST /multi HTTP/1.1\r\n${JSON_HEAD}content-length: 2\r\n\r\n{}`;
  socket.write(request);
  await begun;
  const closed = app.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.write(request);
  await expect.poll(async () => (await connected).bytesRead, SOON).toBe(2 * request.length);
  finish();
  expect(await answer).toMatch(/"done".*HTTP\/1.1 503 /s);
  await closed;
});

test('large answers are sent whole, counted until they are read, and refused where others have the memory', async () => {
  const text = 'x'.repeat(700_000);
  work = () => Promise.resolve(Buffer.from(JSON.stringify({ text })));
  expect(await ask('/multi')).toContain(`\r\n\r\n${JSON.stringify({ text })}`);
  expect(account.heldBytes).toBe(0);
  const others = account.reserve();
  others.set(600_000);
  expect(await ask('/multi')).toMatch(/ 503 .*retry-after: 10\r\n.*too_many_answers/s);
  work = () => Promise.resolve(Buffer.from('"short"'));
  expect(await ask('/multi')).toMatch(/ 200 .*"short"/s);
  others.release();
  expect(account.heldBytes).toBe(0);
});

test('an answer that is ready after its client has left holds nothing', async () => {
  const { begun, finish } = heldWork(Buffer.alloc(900_000, 'x'));
  const connected = connection();
  const socket = open();
  socket.write(`POST /multi HTTP/1.1\r\n${JSON_HEAD}content-length: 2\r\n\r\n{}`);
  await begun;
  socket.destroy();
  await expect.poll(async () => (await connected).destroyed, SOON).toBe(true);
  finish();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(account.heldBytes).toBe(0);
});
