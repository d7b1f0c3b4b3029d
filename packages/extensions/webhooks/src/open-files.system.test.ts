import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { newDatabaseFolder, removeFolder, startServerProcess } from '@fossick/server/e2e/server-process.test-support';
import { afterEach, describe, expect, test } from 'vitest';

const isBuilt = existsSync(fileURLToPath(new URL('../../../../apps/server/dist/main.js', import.meta.url)));
const HAS_LIMITS = existsSync('/proc/self/fd') && spawnSync('prlimit', ['--version']).status === 0;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}

describe.skipIf(!isBuilt || !HAS_LIMITS)('file descriptors', () => {
  test('are left for additions where the receivers of many webhooks do not answer', async () => {
    const connections = new Set<Socket>();
    const receiver = createServer((socket) => {
      connections.add(socket.resume().on('error', () => undefined));
      socket.once('close', () => connections.delete(socket));
    }).listen(0, '127.0.0.1');
    cleanups.push(() => {
      for (const socket of connections) socket.destroy();
      receiver.close();
    });
    await new Promise((resolve) => receiver.once('listening', resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const server = await startServerProcess(newFolder(), ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
    cleanups.push(() => server.kill());
    for (let at = 0; at < 20; at++) expect((await server.call('POST', '/webhooks', { url })).status).toBe(201);
    if (spawnSync('prlimit', ['--pid', String(server.pid), '--nofile=1024:']).status !== 0) throw new Error('prlimit');
    for (let id = 0; id < 60; id++) {
      const answer = await server.call('POST', '/indexes/docs/documents', [{ id }]);
      expect([id, answer]).toMatchObject([id, { status: 202 }]);
      // one batch for each, and so one delivery to each webhook
      expect((await server.allTasksDone())[0]).toMatchObject({ status: 'succeeded' });
    }
    expect(connections.size).toBeGreaterThan(0);
    expect(connections.size).toBeLessThanOrEqual(64);
    expect(readdirSync(`/proc/${server.pid}/fd`).length).toBeLessThan(300);
  });
});
