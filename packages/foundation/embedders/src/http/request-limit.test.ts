import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MinuteLimit, minuteLimitMemory } from './minute-limit.js';
import { RequestLimit, type RequestScope } from './request-limit.js';
import { type RequestOrigin, RequestSlots, requestMemory } from './request-slots.js';

const ADDRESS = 'http://127.0.0.1:1/embed';
const memory = (): ((side: RequestOrigin) => RequestScope) => {
  const shared = requestMemory();
  return (side) => ({ address: ADDRESS, atOnce: 2, slots: new RequestSlots(shared, side) });
};
const nothing = async (): Promise<void> => undefined;

it('a request that waits for the minute holds no slot: others without such a limit continue', async () => {
  const scope = memory();
  const minute = new MinuteLimit(1, minuteLimitMemory(1), ADDRESS);
  const limited = new RequestLimit(scope('indexing'), minute);
  const free = new RequestLimit(scope('search'), null);
  const stop = new AbortController();
  const { signal } = stop;
  await limited.run(signal, nothing);
  let startedCount = 0;
  const late = Array.from({ length: 5 }, () =>
    limited.run(signal, async () => {
      startedCount += 1;
    }),
  );
  const ends = Promise.allSettled(late);
  await pause(20);
  await Promise.all(Array.from({ length: 4 }, () => free.run(AbortSignal.timeout(5_000), nothing)));
  expect(startedCount).toBe(0);
  stop.abort(new Error('the test is over'));
  await ends;
});

it('a request that is stopped while it waits for the minute leaves slots and the order of others unchanged', async () => {
  const scope = memory();
  let waitMs = 0;
  const minute = { begin: () => waitMs };
  const limit = new RequestLimit(scope('indexing'), minute);
  const { signal } = new AbortController();
  waitMs = 5;
  const order: number[] = [];
  const stopped = new AbortController();
  const all = [0, 1, 2, 3].map((at) =>
    limit.run(at === 1 ? stopped.signal : signal, async () => {
      order.push(at);
      await pause(1);
    }),
  );
  await pause(20);
  stopped.abort(new Error('not wanted any more'));
  await expect(all[1]).rejects.toThrow('not wanted any more');
  expect(order).toEqual([]);
  waitMs = 0;
  await Promise.all([all[0], all[2], all[3]]);
  expect(order).toEqual([0, 2, 3]);
  const slots = scope('search').slots;
  expect([slots.take(ADDRESS, 2), slots.take(ADDRESS, 2), slots.take(ADDRESS, 2)]).toEqual([true, true, false]);
});
