import { randomBytes } from 'node:crypto';
import { connect as connectHttp2, constants } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { AnswerAccount } from '@fossick/search-service';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
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
  readonly asked: Promise<FastifyReply>;
  /** Lets it be answered. */
  answer(): void;
  /** The error that a hook of the answer saw. */
  readonly failed: Promise<Error>;
}

async function start(payload: () => unknown, isHttp2 = false): Promise<Running> {
  const logged: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      const { level, msg } = JSON.parse(line.toString()) as { level: number; msg: string };
      if (level >= 50) logged.push(msg);
      done();
    },
  });
  const given = {
    logger: { level: 'trace', stream },
    forceCloseConnections: true,
    ...(isHttp2 ? { http2: true } : {}),
  };
  const app: FastifyInstance = fastify(given as object);
  registerErrors(app);
  registerAnswers(app, new AnswerWatch(new AnswerAccount(100_000_000)), () => registerCompression(app));
  const [asked, answered, failed] = [
    Promise.withResolvers<FastifyReply>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<Error>(),
  ];
  app.addHook('onError', (_request, _reply, error, done) => {
    done();
    // after the handler of errors
    setImmediate(() => failed.resolve(error));
  });
  app.get('/long', async (_request, reply) => {
    asked.resolve(reply);
    await answered.promise;
    return reply.header('content-type', 'application/json').send(payload());
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { port, logged, asked: asked.promise, answer: answered.resolve, failed: failed.promise };
}

/** Asks for the answer, and leaves before it has begun. */
async function askAndLeave({ port, asked }: Running, encoding: string, isHttp2: boolean): Promise<void> {
  const left = async (leave: () => void): Promise<void> => {
    const { raw } = await asked;
    const closed = new Promise((resolve) => raw.once('close', resolve));
    leave();
    await closed;
  };
  if (isHttp2) {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    cleanups.push(() => session.destroy());
    const request = session.request({ ':path': '/long', 'accept-encoding': encoding }).on('error', () => undefined);
    return left(() => request.close(constants.NGHTTP2_CANCEL));
  }
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  cleanups.push(() => socket.destroy());
  socket.write(`GET /long HTTP/1.1\r\nhost: a\r\naccept-encoding: ${encoding}\r\n\r\n`);
  return left(() => socket.destroy());
}
const endless = (): Readable => new Readable({ read: () => undefined });

describe('a client that leaves before its answer has begun is no fault', () => {
  it.each<[name: string, encoding: string, payload: () => unknown, isHttp2: boolean]>([
    ['bytes', 'gzip', () => LONG, false],
    ['bytes', 'br', () => LONG, false],
    ['bytes', 'deflate', () => LONG, false],
    ['bytes', 'identity', () => LONG, false],
    ['a text', 'gzip', () => LONG.toString('hex'), false],
    ['parts', 'gzip', () => new PartedBytes([LONG, LONG]), false],
    ['parts', 'br', () => new PartedBytes([LONG, Buffer.of(1)]), false],
    ['a stream', 'gzip', endless, false],
    ['a stream', 'br', endless, false],
    ['a stream', 'identity', endless, false],
    ['bytes by HTTP/2', 'gzip', () => LONG, true],
    ['bytes by HTTP/2', 'identity', () => LONG, true],
    ['a stream by HTTP/2', 'br', endless, true],
  ])('%s, %s', async (_name, encoding, payload, isHttp2) => {
    const running = await start(payload, isHttp2);
    await askAndLeave(running, encoding, isHttp2);
    running.answer();
    expect(await running.failed).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(running.logged).toEqual([]);
  });
});

describe('a fault is logged', () => {
  it('of a stream, when the client has left', async () => {
    const running = await start(
      () =>
        new Readable({
          read: () => {
            throw new Error('the disk is broken');
          },
        }),
    );
    await askAndLeave(running, 'identity', false);
    running.answer();
    await running.failed;
    expect(running.logged).toEqual(['the disk is broken']);
  });

  it('of a route, when the client has left', async () => {
    const running = await start(() => {
      throw new Error('the route is broken');
    });
    await askAndLeave(running, 'gzip', false);
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
    const answer = fetch(`http://127.0.0.1:${running.port}/long`, { headers: { 'accept-encoding': encoding } });
    await running.asked;
    running.answer();
    setImmediate(() => source.destroy());
    expect((await answer).status).toBe(500);
    await running.failed;
    expect(running.logged).toEqual(['Premature close']);
  });
});
