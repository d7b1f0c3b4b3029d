import { expect, it } from 'vitest';
import { knowsEnds } from './health.js';

it('statistics ask the log for the ends of tasks only while some run, and do without it while it is away', async () => {
  let [running, asked] = [1, 0];
  const tasks = { count: () => running };
  const caughtUp = (): Promise<void> => {
    asked += 1;
    running = 0;
    return Promise.resolve();
  };
  await knowsEnds({ gateway: { caughtUp }, tasks });
  await knowsEnds({ gateway: { caughtUp }, tasks });
  expect([running, asked]).toEqual([0, 1]);
  running = 1;
  await knowsEnds({ gateway: { caughtUp: () => Promise.reject(new Error('away')) }, tasks });
  expect(running).toBe(1);
});
