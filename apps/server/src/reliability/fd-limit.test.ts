import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  startServerProcess,
  withDescriptors,
} from '../e2e/server-process.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
/** Enough to start, which reads many modules at once, not for the connections. */
const DESCRIPTOR_COUNT = 400;
const CONNECTION_COUNT = 600;

function connected(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => resolve(socket));
  });
}
/** Over a connection that is open already. */
function callOver(agent: Agent, url: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(
      `${url}${path}`,
      { agent, method, headers: { 'content-type': 'application/json' } },
      (answer) => {
        let text = '';
        answer.on('data', (piece) => {
          text += piece;
        });
        answer.on('end', () => resolve({ status: answer.statusCode!, body: JSON.parse(text) }));
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe.skipIf(!existsSync(BUILT_FILE) || process.platform === 'win32')('no file descriptor left', () => {
  test('fails what opens files, serves everything else, and is over when there are some', async () => {
    const server = await startServerProcess(newFolder(), [], {}, withDescriptors(DESCRIPTOR_COUNT));
    cleanups.push(() => server.kill());
    await server.call('POST', '/indexes/old/documents', [{ id: 1, title: 'lighthouse' }]);
    await server.allTasksDone();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanups.push(() => agent.destroy());
    const search = () => callOver(agent, server.url, '/indexes/old/search', { q: 'lighthouse' });
    expect(await search()).toMatchObject({ status: 200 });
    const port = Number(new URL(server.url).port);
    const sockets = await Promise.all(Array.from({ length: CONNECTION_COUNT }, () => connected(port)));
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    await pause(200);
    for (let i = 0; i < 5; i++) {
      const answer = await callOver(agent, server.url, '/indexes', { uid: `new${i}` });
      if (answer.status !== 202) expect(answer).toMatchObject({ status: 422, body: { code: 'too_many_open_files' } });
      expect(await search()).toMatchObject({ status: 200, body: { hits: [{ id: 1 }] } });
    }
    await pause(1_000);
    expect(await search()).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
    await pause(200);
    const tasks = await server.allTasksDone();
    const failed = tasks.filter(({ status }) => status !== 'succeeded');
    expect(failed.length, JSON.stringify(tasks)).toBeGreaterThan(0);
    expect(
      failed.every(({ error }) => error?.code === 'too_many_open_files'),
      JSON.stringify(failed),
    ).toBe(true);
    await server.call('POST', '/indexes', { uid: 'after' });
    expect((await server.allTasksDone())[0]).toMatchObject({ status: 'succeeded', indexUid: 'after' });
  }, 60_000);
});
