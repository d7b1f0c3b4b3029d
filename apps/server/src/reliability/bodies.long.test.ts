import { readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';

const COUNT = 20;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(): Promise<ServerProcess> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder);
  cleanups.push(() => server.kill());
  return server;
}
function beginBody(server: ServerProcess, path: string, announcedBytes: number): ClientRequest {
  const headers = { 'content-type': 'application/json', 'content-length': announcedBytes };
  const client = request(`${server.url}${path}`, { method: 'POST', headers, agent: false });
  client.on('error', () => undefined);
  client.on('response', (response) => response.resume());
  cleanups.push(() => void client.destroy());
  return client;
}
/** Memory of a process that is no file's, in bytes; Linux only. */
function ownBytes(pid: number): number {
  const line = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1_024;
}

describe.skipIf(!isBuilt)('bodies of requests that are half sent', () => {
  test.skipIf(process.platform !== 'linux')('take no more memory than there is for them', async () => {
    const server = await start();
    const before = ownBytes(server.pid);
    const bytes = 90_000_000;
    const half = Buffer.alloc(bytes / 2, 0x78);
    half.write('{"a":"');
    for (let at = 0; at < COUNT; at++) {
      // one object is held until its end, as a payload of documents, too
      const path = at % 2 === 0 ? '/indexes/a/documents' : '/indexes/a/documents/delete-batch';
      beginBody(server, path, bytes).write(half);
      await pause(100);
    }
    await pause(1_500);
    // 200 MB for bodies, and the memory of sockets and of the young generation
    expect(ownBytes(server.pid) - before).toBeLessThan(500_000_000);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test('do not keep their connections', async () => {
    const server = await start();
    const clients = Array.from({ length: 2_000 }, () => beginBody(server, '/indexes/a/documents', 5_000));
    let closedCount = 0;
    for (const client of clients) {
      client.once('close', () => closedCount++);
      client.write('[{"id":1');
    }
    await expect.poll(() => closedCount, { timeout: 300_000, interval: 500 }).toBe(clients.length);
  });
});
