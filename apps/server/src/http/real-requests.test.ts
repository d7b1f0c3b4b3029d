/** Requests that no HTTP client of Node.js sends, to the whole server. */
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

describe('a request over a plain connection', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  /** What the server prints when it starts. */
  let greeting: string;
  beforeAll(async () => {
    server = await startTestServer(folder);
    greeting = server.output();
  });
  afterAll(async () => {
    await server?.stop();
    removeFolder(folder);
  });
  const send = (head: string, body = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
      });
      socket.once('error', reject);
      socket.once('close', () => resolve(text));
      socket.write(`${head}\r\nhost: a\r\nconnection: close\r\n\r\n${body}`);
    });

  it.each(
    ['QUERY', 'PROPFIND', 'LOCK', 'M-SEARCH'].filter((method) => METHODS.includes(method)),
  )('with the method %s is answered 405 or 404, and nothing is logged', async (method) => {
    for (const path of ['/indexes', '/health', '/indexes/films/search', '/tasks/1'])
      expect(await send(`${method} ${path} HTTP/1.1`)).toMatch(/^HTTP\/1.1 405 /);
    expect(await send(`${method} /nowhere HTTP/1.1`)).toMatch(/^HTTP\/1.1 404 /);
    expect(server.output()).toBe(greeting);
  });

  it('with a transfer encoding that nobody decodes is refused', async () => {
    const chunked = '2\r\n{}\r\n0\r\n\r\n';
    for (const path of ['/indexes', '/indexes/films/search', '/indexes/films/documents', '/multi-search', '/keys']) {
      const head = `POST ${path} HTTP/1.1\r\ncontent-type: application/json\r\ntransfer-encoding: gzip, chunked`;
      expect([path, await send(head, chunked)]).toEqual([path, expect.stringMatching(/^HTTP\/1.1 400 /)]);
    }
    expect(server.output()).toBe(greeting);
  });
});
