import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Lane } from './search-lanes.js';

test('a lane runs as many searches as its width, in order, also after one that failed', async () => {
  const lane = new Lane(2);
  let [running, most] = [0, 0];
  const ended: number[] = [];
  const work = async (at: number): Promise<void> => {
    most = Math.max(most, ++running);
    await pause(2);
    running--;
    ended.push(at);
    if (at === 1) throw new Error('one that fails');
  };
  const all = await Promise.allSettled([0, 1, 2, 3, 4].map((at) => lane.run(() => work(at))));
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect({ most, ended: [...ended].sort() }).toEqual({ most: 2, ended: [0, 1, 2, 3, 4] });
});
