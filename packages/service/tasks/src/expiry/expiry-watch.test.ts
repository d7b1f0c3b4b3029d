import { openMemoryStore } from '@fossick/storage';
import { afterEach, expect, test } from 'vitest';
import { openLocalGateway } from '../log/local-gateway.js';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import { ExpiryWatch, type ExpiryWatchOptions } from './expiry-watch.js';

let watch: ExpiryWatch | undefined;
afterEach(() => watch?.stop());

function start(more: Partial<ExpiryWatchOptions>): { log: TaskLog; woken: () => number; faults: unknown[] } {
  const log = openTaskLog(openMemoryStore());
  const faults: unknown[] = [];
  let count = 0;
  watch = new ExpiryWatch({
    log,
    gateway: openLocalGateway(log, () => undefined),
    expiriesDue: () => [null][Symbol.iterator](),
    isBusy: () => false,
    onTask: () => {
      count += 1;
    },
    onFault: (error) => faults.push(error),
    lookMs: 5,
    ...more,
  });
  return { log, woken: () => count, faults };
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('registers one deletion for each index with expired documents, and no second one while it waits', async () => {
  const { log, woken, faults } = start({ expiriesDue: () => ['a', null, 'b'][Symbol.iterator]() });
  await expect.poll(woken).toBe(2);
  await pause(60);
  const tasks = [...log.tasks({})];
  expect(tasks.map(({ content }) => content)).toMatchObject([
    { type: 'documentDeletion', indexUid: 'a', target: { by: 'expiry', untilMs: expect.any(Number) } },
    { type: 'documentDeletion', indexUid: 'b', target: { by: 'expiry' } },
  ]);
  log.change([{ kind: 'changeTasks', uids: [0], change: { status: 'succeeded', finishedAt: 1 } }]);
  await expect.poll(woken).toBe(3);
  expect(faults).toEqual([]);
});

test('registers nothing where nothing has expired, and waits for a running batch', async () => {
  let isBusy = true;
  const { log, woken } = start({ isBusy: () => isBusy, expiriesDue: () => ['a'][Symbol.iterator]() });
  await pause(60);
  expect(log.count({})).toBe(0);
  isBusy = false;
  await expect.poll(woken).toBe(1);
});

test('a look that fails is reported, and the next one is made', async () => {
  let looks = 0;
  const { faults, woken } = start({
    expiriesDue: () => {
      looks += 1;
      if (looks === 1) throw new Error('no disk');
      return ['a'][Symbol.iterator]();
    },
  });
  await expect.poll(woken).toBe(1);
  expect(faults).toHaveLength(1);
});

test('nothing is registered after the end', async () => {
  const { log } = start({ expiriesDue: () => ['a'][Symbol.iterator]() });
  watch!.stop();
  await pause(40);
  expect(log.count({})).toBe(0);
});
