import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Extension } from '@fossick/runtime/extension';
import fastify from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newDatabaseFolder, removeFolder } from '../e2e/server-process.test-support.js';
import { startServerWith } from '../e2e/test-server.test-support.js';
import { OwnConnection } from './own-connection.js';

const SOON = { timeout: 120_000, interval: 20 };

it('a server that is idle asks itself, and neither metrics nor extensions count it', { timeout: 240_000 }, async () => {
  const folder = newDatabaseFolder();
  const noted: string[] = [];
  const listener: Extension = {
    name: 'listener',
    configure: () => ({
      open: async () => ({
        noteSearch: () => (search) => noted.push(search.q),
        noteRequest: ({ url }) => void noted.push(url),
      }),
    }),
  };
  const options = ['--master-key', 'a-key-of-sixteen-bytes', '--experimental-enable-metrics'];
  const server = await startServerWith([listener], folder, options);
  onTestFinished(async () => {
    await server.stop();
    removeFolder(folder);
  });
  const headers = { authorization: 'Bearer a-key-of-sixteen-bytes' };
  const answered: string[] = [];
  const onEnd = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: { statusCode: number } };
    answered.push(`${request.method} ${request.url} ${response.statusCode}`);
  };
  subscribe('http.server.response.finish', onEnd);
  onTestFinished(() => void unsubscribe('http.server.response.finish', onEnd));
  const birds = Array.from({ length: 2_500 }, (_, id) => ({ id, name: id % 20 === 0 ? 'grey heron' : '' }));
  await server.call('POST', '/indexes/birds/documents', birds, headers);
  await server.allTasksDone();
  const own = 'POST /indexes/birds/search 200';
  await vi.waitFor(() => expect(answered.filter((line) => line === own).length).toBeGreaterThan(20), SOON);
  expect(noted.filter((line) => line === '/indexes/birds/search' || line.includes('heron'))).toEqual([]);
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
  expect(text).toMatch(/path="[^"]+\/documents"/);
  expect(text).not.toMatch(/path="[^"]+\/search"/);
  // somebody else's is counted
  await server.call('POST', '/indexes/birds/search', { q: 'heron' }, headers);
  expect(noted).toContain('heron');
  await server.stop();
  expect(server.output()).toBe('');
});

/** An application whose search route answers with what it got. */
async function echo() {
  const own = new OwnConnection();
  const app = fastify({ logger: false });
  app.post('/indexes/:uid/search', (request, reply) => {
    const { headers, body, raw } = request;
    if (headers.authorization === 'Bearer wrong') return reply.code(403).send({ message: 'no' });
    return { body, key: headers.authorization ?? null, isOwn: own.has(raw.socket) };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return { own, app, port: (app.server.address() as AddressInfo).port };
}

it('asks with the key over one connection, which is told from those of others', async () => {
  const { own, app, port } = await echo();
  const connections = vi.fn();
  app.server.on('connection', connections);
  for (const q of ['heron', 'Möwe 🐦'])
    expect(JSON.parse(await own.ask(app, 'key', 'birds', { q }))).toEqual({
      body: { q },
      key: 'Bearer key',
      isOwn: true,
    });
  expect(JSON.parse(await own.ask(app, null, 'birds', {}))).toEqual({ body: {}, key: null, isOwn: true });
  expect(connections).toHaveBeenCalledTimes(1);
  const answer = await fetch(`http://127.0.0.1:${port}/indexes/birds/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await answer.json()).toEqual({ body: {}, key: null, isOwn: false });
});

it('rejects what is refused, and ends with the server', async () => {
  const { own, app } = await echo();
  await expect(own.ask(app, 'wrong', 'birds', {})).rejects.toThrow('403');
  await own.ask(app, null, 'birds', {});
  await app.close();
  await expect(own.ask(app, null, 'birds', {})).rejects.toThrow('closed');
});
