import { type AddressInfo, createServer, type Socket } from 'node:net';
import { newDatabaseFolder, removeFolder, startServerProcess } from '@fossick/server/e2e/server-process.test-support';
import { afterEach, expect, test } from 'vitest';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('a stop breaks off an export to an instance that never answers; it goes on with the next start', async () => {
  const folder = newDatabaseFolder();
  const options = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder, options);
  cleanups.push(() => server.kill());
  const silent = createServer((socket) => void socket.on('error', () => undefined).pause());
  const port = await new Promise<number>((resolve) =>
    silent.listen(0, '127.0.0.1', () => resolve((silent.address() as AddressInfo).port)),
  );
  cleanups.push(() => void silent.close());
  const reached = new Promise<Socket>((resolve) => silent.once('connection', resolve));
  await server.call('POST', '/indexes', { uid: 'goods', primaryKey: 'id' });
  await server.allTasksDone(); // an export goes before other tasks
  const { body } = await server.call<{ taskUid: number }>('POST', '/export', { url: `http://127.0.0.1:${port}` });
  const first = await reached;
  cleanups.push(() => void first.destroy());
  expect(await server.stop()).toBe(0);
  const again = new Promise<Socket>((resolve) => silent.once('connection', resolve));
  const next = await startServerProcess(folder, options);
  cleanups.push(() => next.kill());
  const socket = await again;
  expect((await next.call('GET', `/tasks/${body.taskUid}`)).body).toMatchObject({ status: 'processing' });
  socket.destroy();
});
