import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestServer } from '../e2e/server-process.test-support.js';

/**
 * Blocks the queue of a server that may call 127.0.0.0/8: an export waits for an instance that does not answer. All
 * later tasks wait until `release`, after which the instance refuses everything.
 */
export async function holdUpQueue(
  server: Pick<TestServer, 'call' | 'allTasksDone'>,
  headers: Record<string, string> = {},
): Promise<{ release(): void }> {
  const waiting: ServerResponse[] = [];
  let isReleased = false;
  const refuse = (response: ServerResponse): void => {
    response.writeHead(401).end();
  };
  const instance = createServer((request, response) => {
    request.resume();
    if (isReleased) refuse(response);
    else waiting.push(response);
  });
  await new Promise<void>((resolve) => instance.listen(0, '127.0.0.1', resolve));
  instance.unref();
  await server.call('POST', '/indexes', { uid: 'held' }, headers);
  await server.allTasksDone();
  const url = `http://127.0.0.1:${(instance.address() as AddressInfo).port}`;
  await server.call('POST', '/export', { url }, headers);
  while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  return {
    release() {
      isReleased = true;
      for (const response of waiting.splice(0)) refuse(response);
    },
  };
}
