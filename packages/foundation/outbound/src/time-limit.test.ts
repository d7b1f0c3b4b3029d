import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { OutboundClient } from './client.js';
import { withTimeLimit } from './time-limit.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const silent = createServer(() => undefined);
const client = new OutboundClient({ policy: null });
let url: URL;
beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  url = new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await client.close();
  silent.close();
});

/** Settles as the work does; garbage is collected all the while. */
async function amongGarbage<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(collectGarbage, 10);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

it.each([
  ['alone', []],
  ['beside a signal', [new AbortController().signal]],
  ['beside a signal of several', [AbortSignal.any([new AbortController().signal, new AbortController().signal])]],
])('a request that is never answered ends, whatever is collected: %s', async (_, others) => {
  const request = withTimeLimit(100, others, (signal) => client.request({ method: 'POST', url, body: '{}', signal }));
  await expect(amongGarbage(request)).rejects.toMatchObject({ name: 'TimeoutError' });
});

it('another signal ends the work before, with its own reason', async () => {
  const caller = new AbortController();
  const request = withTimeLimit(60_000, [caller.signal], (signal) => client.request({ method: 'GET', url, signal }));
  silent.once('request', () => caller.abort(new Error('not wanted any more')));
  await expect(amongGarbage(request)).rejects.toThrow('not wanted any more');
});

it('work that ends in time leaves no timer', async () => {
  vi.useFakeTimers();
  try {
    expect(await withTimeLimit(60_000, [], async () => vi.getTimerCount())).toBe(1);
    await expect(withTimeLimit(60_000, [], () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
