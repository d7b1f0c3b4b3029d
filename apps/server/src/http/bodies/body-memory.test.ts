import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BodyMemory } from './body-memory.js';

const MIB = 1 << 20;

it('large bodies that are released are collected, small ones are left to the runtime', async () => {
  let collections = 0;
  const memory = new BodyMemory(1_000 * MIB, () => {
    collections += 1;
  });
  const use = async (bytes: number): Promise<void> => {
    const reservation = memory.reserve();
    reservation.grow(bytes);
    reservation.release();
    await turn();
  };
  for (let i = 0; i < 63; i++) await use(MIB);
  expect(collections).toBe(0);
  await use(MIB);
  expect(collections).toBe(1);
  for (let i = 0; i < 4; i++) await use(95 * MIB);
  expect(collections).toBe(5);
  expect(memory.heldBytes).toBe(0);
});
