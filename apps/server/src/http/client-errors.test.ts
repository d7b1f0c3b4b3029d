import { connect } from 'node:net';
import { describeError, type ErrorCode } from '@fossick/base';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerClientError } from './client-errors.js';

const HEAD = 'Host: x\r\n';
const LONG_ANSWER = 'answer '.repeat(3_000_000);

describe('what is no request', () => {
  let app: FastifyInstance;
  let port: number;
  beforeAll(async () => {
    app = fastify({ clientErrorHandler: answerClientError });
    app.get('/short', (_request, reply) => reply.send('short'));
    app.get('/long', (_request, reply) => reply.send(LONG_ANSWER));
    app.post('/body', (_request, reply) => reply.send('body'));
    await app.listen({ port: 0, host: '127.0.0.1' });
    port = (app.server.address() as { port: number }).port;
  });
  afterAll(() => app.close());

  /** What comes back until the connection ends. */
  function exchange(text: string, more?: string): Promise<string> {
    return new Promise((resolve) => {
      let got = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (bytes) => {
        if (got === '' && more !== undefined) socket.write(more);
        got += bytes.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(got));
    });
  }

  it.each<[string, string, ErrorCode]>([
    ['headers of 20 KB', `GET /short HTTP/1.1\r\n${HEAD}A: ${'a'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
    ['a query string of 1 MB', `GET /short?${'a'.repeat(1_000_000)} HTTP/1.1\r\n${HEAD}\r\n`, 'headers_too_large'],
    ['5,000 headers', `GET /short HTTP/1.1\r\n${HEAD}${'a: bcd\r\n'.repeat(5_000)}\r\n`, 'headers_too_large'],
    ['no HTTP', 'hello\r\n\r\n', 'bad_request'],
    ['two lengths', `POST /body HTTP/1.1\r\n${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 'bad_request'],
    ['a NUL in a header', `GET /short HTTP/1.1\r\n${HEAD}A: b\u0000c\r\n\r\n`, 'bad_request'],
    ['a negative length', `POST /body HTTP/1.1\r\n${HEAD}Content-Length: -1\r\n\r\n`, 'bad_request'],
  ])('%s gets the error of the API', async (_name, text, code) => {
    const answer = await exchange(text);
    const { status, type } = describeError(code);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as object;
    expect(body).toEqual({ message: expect.any(String), code, type, link: expect.stringContaining(code) });
  });

  it('is not answered in the middle of an answer that has begun', async () => {
    const answer = await exchange(`GET /long HTTP/1.1\r\n${HEAD}\r\n`, 'hello\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    expect(body).toBe(LONG_ANSWER.slice(0, body.length));
  });
});
