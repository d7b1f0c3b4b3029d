import { type AddressInfo, connect, type Socket } from 'node:net';
import { AnswerAccount } from '@fossick/answers';
import { apiError } from '@fossick/base';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AnswerWatch } from './answer-watch.js';
import { BodyMemory } from './body-memory.js';
import { answerDirectly } from './direct-answers.js';
import type { JsonQuestion, JsonRoute } from './json-route.js';

const HELD_BYTES = 50;
const HELD_ANSWER_BYTES = 1_000_000;
const [HEAD, JSON_HEAD] = ['host: a\r\n', 'host: a\r\ncontent-type: application/json\r\n'];

let app: FastifyInstance;
let bodies: BodyMemory;
let account: AnswerAccount;
let port = 0;
/** Targets of the requests that the framework was given. */
let framed: string[] = [];
let answered: string[] = [];
let faults: unknown[] = [];
/** What the route does with a question. */
let work: (question: JsonQuestion) => Promise<Buffer>;
const sockets: Socket[] = [];

beforeEach(async () => {
  [framed, answered, faults] = [[], [], []];
  bodies = new BodyMemory(HELD_BYTES);
  account = new AnswerAccount(HELD_ANSWER_BYTES);
  work = ({ indexUid, received }) => Promise.resolve(Buffer.from(JSON.stringify({ indexUid, received })));
  app = fastify({ bodyLimit: 1 << 24 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null));
  });
  app.all('*', (request, reply) => {
    framed.push(request.url);
    return reply.code(418).send('{}');
  });
  const route = (url: string): JsonRoute => ({
    url,
    authorize: ({ authorization }) => {
      if (authorization === 'wrong') throw apiError('missing_authorization_header');
      return undefined as never;
    },
    answer: (question) => work(question),
  });
  answerDirectly(app, [route('/indexes/:indexUid/search'), route('/multi')], {
    limitBytes: 1_000_000,
    bodies,
    answers: new AnswerWatch(account),
    onAnswered: ({ method }, path, status, milliseconds) => {
      expect(milliseconds).toBeGreaterThanOrEqual(0);
      answered.push(`${method} ${path} ${status}`);
    },
    onFault: (error) => faults.push(error),
  });
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
/** Everything the server sends until nothing came for a while. */
function heard(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const quiet = () => setTimeout(() => resolve(text), 300);
    let timer = quiet();
    socket.on('data', (chunk) => {
      text += chunk.toString();
      clearTimeout(timer);
      timer = quiet();
    });
    socket.once('close', () => resolve(text));
  });
}
function ask(target: string, body = '{"q":"a"}', head = JSON_HEAD, method = 'POST'): Promise<string> {
  const socket = open();
  socket.write(`${method} ${target} HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`);
  return heard(socket);
}

test('a short body that comes with its head is answered without the framework', async () => {
  const answer = await ask('/indexes/films/search');
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(answer).toContain('vary: origin, accept-encoding\r\n');
  expect(answer).toContain('content-type: application/json\r\n');
  expect(answer).toMatch(/\r\n\r\n\{"indexUid":"films","received":\{"q":"a"\}\}$/);
  expect(await ask('/multi')).toContain('{"indexUid":"","received":{"q":"a"}}');
  expect(framed).toEqual([]);
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
  expect([...(await heard(socket)).matchAll(/"(\d+)"/g)].map(([, wait]) => wait)).toEqual(['60', '0', '20']);
  expect(framed).toEqual([]);
});

test.each([
  ['a query string', '/indexes/films/search?a=1'],
  ['another path', '/indexes/films/others'],
  ['an escaped name', '/indexes/fil%6ds/search'],
  ['no index', '/indexes//search'],
  ['a slash behind', '/indexes/films/search/'],
  ['another method', '/indexes/films/search', '{}', JSON_HEAD, 'PUT'],
  ['an encoded body', '/indexes/films/search', '{}', `${JSON_HEAD}content-encoding: gzip\r\n`],
  ['a long body', '/indexes/films/search', ' '.repeat(20_000)],
  ['no body', '/indexes/films/search', ''],
])('%s is left to the framework', async (_name, target, body?: string, head?: string, method?: string) => {
  expect(await ask(target, body, head, method)).toMatch(/^HTTP\/1.1 418 /);
  expect(framed).toEqual([target]);
  expect(answered).toEqual([]);
});

test('a body that is not there yet is left to the framework, whole', async () => {
  const socket = open();
  const answer = heard(socket);
  socket.write(`POST /multi HTTP/1.1\r\n${JSON_HEAD}content-length: 2\r\n\r\n{`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.write('}');
  expect(await answer).toMatch(/^HTTP\/1.1 418 /);
  socket.destroy();
  await ask('/multi', '2\r\n{}\r\n0\r\n\r\n', `${JSON_HEAD}transfer-encoding: chunked\r\nx-`);
  expect(framed).toEqual(['/multi', '/multi']);
});

test('what is wrong is answered as everywhere, rights before the rest', async () => {
  expect(await ask('/multi', '{', `${HEAD}authorization: wrong\r\n`)).toMatch(/ 401 .*missing_authorization_header/s);
  expect(await ask('/multi', '{}', HEAD)).toMatch(/ 415 .*missing_content_type/s);
  expect(await ask('/multi', '{}', `${HEAD}content-type: text/plain\r\n`)).toMatch(/ 415 .*invalid_content_type/s);
  expect(await ask('/multi', '{')).toMatch(/ 400 .*malformed_payload/s);
  work = () => Promise.reject(apiError('too_many_search_requests', 'searches', 'One'));
  expect(await ask('/multi')).toMatch(/ 503 .*retry-after: 10\r\n/s);
  expect(faults).toEqual([]);
  work = () => Promise.reject(new Error('a fault of ours'));
  expect(await ask('/multi')).toMatch(/ 500 .*a fault of ours/s);
  expect(faults.length).toBe(1);
  expect(framed).toEqual([]);
});

test('bodies are counted for as long as their answers are worked on, also where nobody waits for them', async () => {
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
  await expect.poll(() => bodies.heldBytes).toBe(body.length);
  const endFirst = end;
  expect(await ask('/multi', body)).toMatch(/ 503 .*too_many_payloads/s);
  socket.destroy();
  await expect.poll(() => bodies.heldBytes).toBe(0);
  endFirst();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(answered).toEqual(['POST /multi 503']);
});

test('who comes while the server stops is told so by the framework', async () => {
  work = async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return Buffer.from('"done"');
  };
  const socket = open();
  const answer = heard(socket);
  const request = `POST /multi HTTP/1.1\r\n${JSON_HEAD}content-length: 2\r\n\r\n{}`;
  socket.write(request);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = app.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.write(request);
  expect(await answer).toMatch(/"done".*HTTP\/1.1 503 /s);
  await closed;
});

test('large answers are sent whole, counted until they are read, and refused where others have the memory', async () => {
  const text = 'x'.repeat(700_000);
  work = () => Promise.resolve(Buffer.from(JSON.stringify({ text })));
  expect(await ask('/multi')).toContain(`\r\n\r\n${JSON.stringify({ text })}`);
  expect(account.heldBytes).toBe(0);
  const others = account.hold();
  others.set(600_000);
  expect(await ask('/multi')).toMatch(/ 503 .*retry-after: 10\r\n.*too_many_answers/s);
  work = () => Promise.resolve(Buffer.from('"short"'));
  expect(await ask('/multi')).toMatch(/ 200 .*"short"/s);
  others.release();
  expect(account.heldBytes).toBe(0);
  expect(faults).toEqual([]);
});

test('an answer that is ready after its client has left holds nothing', async () => {
  work = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return Buffer.alloc(900_000, 'x');
  };
  const socket = open();
  socket.write(`POST /multi HTTP/1.1\r\n${JSON_HEAD}content-length: 2\r\n\r\n{}`);
  await new Promise((resolve) => setTimeout(resolve, 30));
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(account.heldBytes).toBe(0);
});
