import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NetworkPolicy } from '@fossick/outbound';
import { PausedClock } from '@fossick/outbound/retry-clock.test-support';
import { afterEach, expect, test, vi } from 'vitest';
import { RemoteInstance, type RemoteOptions } from './remote-instance.js';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
function remoteAt(url: string, more: Partial<RemoteOptions> = {}): RemoteInstance {
  return new RemoteInstance({
    url,
    apiKey: null,
    policy: new NetworkPolicy('any'),
    watchCanceled: () => () => undefined,
    ...more,
  });
}
const get = { method: 'GET', path: '/indexes/a' } as const;
const failed = expect.objectContaining({ code: 'internal' });

test('a name that does not exist is final at once', async () => {
  const policy = new NetworkPolicy('any');
  const lookup = vi.spyOn(policy, 'lookup').mockImplementation((_name, _options, done) => {
    done(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), '', 0);
  });
  await expect(remoteAt('http://no-such-host.invalid', { policy }).call(get)).rejects.toEqual(failed);
  expect(lookup).toHaveBeenCalledTimes(1);
}, 30_000);

test('an instance that fails is tried a few times, and then the export fails', async () => {
  let callCount = 0;
  const url = await serve((_request, response) => {
    callCount += 1;
    response.writeHead(503).end('busy');
  });
  const clock = new PausedClock();
  await expect(remoteAt(url, { retryMs: 3_000, clock }).call(get)).rejects.toEqual(failed);
  expect([callCount, clock.pauses]).toEqual([3, [500, 1_000]]);
  await expect(remoteAt(url, { clock }).call(get)).rejects.toEqual(failed);
  expect(callCount).toBe(3 + 6);
}, 30_000);

test('an answer without end is not read to its end', async () => {
  let sentBytes = 0;
  const url = await serve((_request, response) => {
    const chunk = Buffer.alloc(1 << 16, 0x20);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
      response.once('drain', more);
    };
    more();
  });
  await expect(remoteAt(url).call(get)).rejects.toThrow('answers without end');
  expect(sentBytes).toBeLessThan(50_000_000);
}, 30_000);

test('a silent instance keeps no canceled export', async () => {
  let cancel = (): void => undefined;
  const url = await serve(() => cancel());
  const watchCanceled = (listener: () => void): (() => void) => {
    cancel = listener;
    return () => undefined;
  };
  // the instance never answers: were it waited for, this test would not end
  await expect(remoteAt(url, { watchCanceled }).call(get)).rejects.toThrow('canceled');
}, 30_000);
