import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { AnswerAccount } from '@fossick/search-service';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { registerAnswers } from './answers/answer-sending.js';
import { AnswerWatch } from './answers/answer-watch.js';
import { registerCompression } from './answers/compression.js';
import { PartedBytes } from './answers/parted-bytes.js';
import { registerErrors } from './errors.js';

/** Too long for one piece, also compressed. */
const LONG = randomBytes(1_500_000);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Running {
  readonly port: number;
  /** Messages of the lines of errors and faults. */
  readonly logged: string[];
  /** The request that waits for its answer. */
  readonly asked: Promise<ServerResponse>;
  /** Lets it be answered. */
  answer(): void;
  /** Resolves when the answer has failed. */
  readonly failed: Promise<void>;
}

async function start(payload: () => unknown): Promise<Running> {
  const logged: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      const { level, msg } = JSON.parse(line.toString()) as { level: number; msg: string };
      if (level >= 50) logged.push(msg);
      done();
    },
  });
  const app: FastifyInstance = fastify({ logger: { level: 'trace', stream }, forceCloseConnections: true });
  registerErrors(app);
  registerAnswers(app, new AnswerWatch(new AnswerAccount(100_000_000)), () => registerCompression(app));
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const failed = new Promise<void>((resolve) => {
    app.addHook('onError', (_request, _reply, _error, done) => {
      done();
      // after the handler of errors
      setImmediate(resolve);
    });
  });
  const asked = new Promise<ServerResponse>((resolve) => {
    app.post('/long', async (_request, reply) => {
      resolve(reply.raw);
      await answered;
      return reply.header('content-type', 'application/json').send(payload());
    });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { port, logged, asked, answer: () => answer(), failed };
}

/** Asks for the answer, and leaves before it has begun. */
async function askAndLeave({ port, asked }: Running, encoding: string): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  cleanups.push(() => socket.destroy());
  const heads = ['POST /long HTTP/1.1', 'host: a', `accept-encoding: ${encoding}`, 'content-type: application/json'];
  socket.write(`${heads.join('\r\n')}\r\ncontent-length: 2\r\n\r\n{}`);
  const response = await asked;
  const closed = new Promise((resolve) => response.once('close', resolve));
  socket.destroy();
  await closed;
}
const endless = (): Readable => new Readable({ read: () => undefined });

describe('a client that leaves before its answer has begun is no fault', () => {
  it.each<[name: string, encoding: string, payload: () => unknown]>([
    ['bytes', 'gzip', () => LONG],
    ['bytes', 'br', () => LONG],
    ['bytes', 'deflate', () => LONG],
    ['bytes', 'identity', () => LONG],
    ['a text', 'gzip', () => LONG.toString('hex')],
    ['parts', 'gzip', () => new PartedBytes([LONG, LONG])],
    ['parts', 'br', () => new PartedBytes([LONG, Buffer.of(1)])],
    ['a stream', 'gzip', endless],
    ['a stream', 'br', endless],
    ['a stream', 'identity', endless],
  ])('%s, %s', async (_name, encoding, payload) => {
    const running = await start(payload);
    await askAndLeave(running, encoding);
    running.answer();
    await running.failed;
    expect(running.logged).toEqual([]);
  });
});

describe('a fault is logged', () => {
  it('of a stream, when the client has left', async () => {
    const source = endless().on('error', () => undefined);
    source.destroy(new Error('the disk is broken'));
    const running = await start(() => source);
    await askAndLeave(running, 'identity');
    running.answer();
    await running.failed;
    expect(running.logged).toEqual(['the disk is broken']);
  });

  it('of a route, when the client has left', async () => {
    const running = await start(() => {
      throw new Error('the route is broken');
    });
    await askAndLeave(running, 'gzip');
    running.answer();
    await running.failed;
    expect(running.logged).toEqual(['the route is broken']);
  });

  it.each([
    'identity',
    'gzip',
    'br',
  ])('of a stream that ends before its end while the client waits: %s', async (encoding) => {
    const source = endless();
    const running = await start(() => source);
    const headers = { 'accept-encoding': encoding };
    const answer = fetch(`http://127.0.0.1:${running.port}/long`, { method: 'POST', headers });
    await running.asked;
    running.answer();
    setImmediate(() => source.destroy());
    expect((await answer).status).toBe(500);
    await running.failed;
    expect(running.logged).toEqual(['Premature close']);
  });
});
