import { expect, test } from 'vitest';
import { createKernel } from '../kernel.js';
import { HeldByKey, HeldOnDemand } from './held-on-demand.js';
import { MemoryBudget } from './memory-budget.js';
import { type HeldMemory, SearchMemory } from './search-memory.js';

class Piece implements HeldMemory {
  readonly kind = 'terms';
  readonly byteCount = 1_000;
  freeCount = 0;

  free(): void {
    this.freeCount += 1;
  }
}

const newMemory = (): SearchMemory => new SearchMemory(new MemoryBudget(1 << 20), createKernel());

test('memory on demand is made by load alone, and once', () => {
  const memory = newMemory();
  const made: Piece[] = [];
  const held = new HeldOnDemand(memory, () => {
    made.push(new Piece());
    return made.at(-1)!;
  });
  expect([held.isLoaded, made.length, memory.heldBytes]).toEqual([false, 0, 0]);
  expect(held.load()).toBe(held.load());
  expect([held.isLoaded, made.length, memory.heldBytes]).toEqual([true, 1, 1_000]);
  held.drop();
  expect([held.isLoaded, made[0]!.freeCount, memory.heldBytes]).toEqual([false, 1, 0]);
  held.drop();
  expect(held.load()).toBe(made[1]);
});

test('what does not exist is not looked for again', () => {
  let looks = 0;
  const held = new HeldOnDemand<Piece | null>(newMemory(), () => {
    looks += 1;
    return null;
  });
  expect([held.load(), held.load(), looks, held.isLoaded]).toEqual([null, null, 1, true]);
  held.drop();
  expect([held.load(), looks]).toEqual([null, 2]);
});

test('a key is forgotten with its memory, and one whose making fails is not kept', () => {
  const memory = newMemory();
  const held = new HeldByKey<string, Piece>(memory);
  const piece = held.load('a', () => new Piece());
  expect(held.use('b')).toBe(undefined);
  expect(held.use('a')).toBe(piece);
  expect(held.load('a', () => new Piece())).toBe(piece);
  expect(() =>
    held.load('b', () => {
      throw new Error('no room');
    }),
  ).toThrow('no room');
  expect([held.has('a'), held.has('b')]).toEqual([true, false]);
  memory.begin();
  while (memory.heldBytes > 0) memory.evict(memory.maxBytes);
  expect([held.has('a'), piece.freeCount]).toEqual([false, 1]);
  held.load('a', () => new Piece());
  held.drop();
  expect([held.has('a'), memory.heldBytes]).toEqual([false, 0]);
});
