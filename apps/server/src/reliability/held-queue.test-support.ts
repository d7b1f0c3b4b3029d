import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestServer } from '../e2e/server-process.test-support.js';

/**
 * Blocks the queue of a server that may call 127.0.0.0/8: a change of settings waits for a provider of vectors that does not answer.
 * All later tasks wait until `release`, after which the provider refuses everything.
 */
export async function holdUpQueue(
  server: Pick<TestServer, 'call'>,
  headers: Record<string, string> = {},
): Promise<{ release(): void }> {
  const waiting: ServerResponse[] = [];
  let isReleased = false;
  const refuse = (response: ServerResponse): void => {
    response.writeHead(401).end();
  };
  const provider = createServer((request, response) => {
    request.resume();
    if (isReleased) refuse(response);
    else waiting.push(response);
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  provider.unref();
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  // without dimensions it is asked for a first vector
  const silent = { source: 'rest', url, request: '{{text}}', response: '{{embedding}}' };
  await server.call('PATCH', '/indexes/held/settings', { embedders: { silent } }, headers);
  while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  return {
    release() {
      isReleased = true;
      for (const response of waiting.splice(0)) refuse(response);
    },
  };
}
