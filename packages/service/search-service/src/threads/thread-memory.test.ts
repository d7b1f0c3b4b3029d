import { newSharedBudget } from '@fossick/kernel/memory';
import type { SharedKernelMemory } from '@fossick/kernel/shared';
import { expect, test } from 'vitest';
import { type SharingThread, ThreadMemory } from './thread-memory.js';

const MIB = 2 ** 20;
/** The word of the heap's lock (packages/foundation/kernel/src/layout.ts). */
const LOCK_WORD = 1024 / 4;

class Thread implements SharingThread {
  readonly owner: number;
  memories: readonly SharedKernelMemory[];

  constructor(owner: number, memory: SharedKernelMemory) {
    this.owner = owner;
    this.memories = [memory];
  }

  useMemory(memory: SharedKernelMemory): void {
    this.memories = [...this.memories, memory];
  }

  get memory(): SharedKernelMemory {
    return this.memories.at(-1)!;
  }
}

function bed() {
  const memory = new ThreadMemory(newSharedBudget(5), 64 * MIB, 4);
  const threads = [1, 2, 3].map((owner) => new Thread(owner, memory.current));
  return { memory, threads, first: memory.current };
}

test('all threads have the same memory, also those that start later', () => {
  const { memory, threads, first } = bed();
  expect(threads.every((thread) => thread.memory === first)).toBe(true);
  expect(first.memory.buffer.byteLength).toBeGreaterThan(64 * MIB);
  expect(memory.current).toBe(first);
});

test('a thread that ends in a search costs the others nothing', () => {
  const { memory, threads, first } = bed();
  const [ended, ...others] = threads;
  expect(memory.end(ended!, others)).toBe(true);
  expect(others.every((thread) => thread.memory === first)).toBe(true);
});

test('after a thread has ended while it changed the memory all others get another one, once', () => {
  const { memory, threads, first } = bed();
  const [ended, ...others] = threads;
  Atomics.store(new Int32Array(first.memory.buffer), LOCK_WORD, ended!.owner);
  expect(memory.end(ended!, others)).toBe(false);
  const second = memory.current;
  expect(second).not.toBe(first);
  expect(others.every((thread) => thread.memory === second)).toBe(true);
  // one of them has met the lost memory, and reports it late
  memory.replace(first.id, others);
  expect(memory.current).toBe(second);
});

test('a memory that several threads find to be worn is replaced once', () => {
  const { memory, threads, first } = bed();
  memory.replace(first.id, threads);
  const second = memory.current;
  expect([second === first, threads.every((thread) => thread.memory === second)]).toEqual([false, true]);
  memory.replace(first.id, threads);
  expect(memory.current).toBe(second);
  memory.replace(second.id, threads);
  expect(memory.current).not.toBe(second);
});

test('a thread that ends before it uses the memory it was given loses the one that it used', () => {
  const { memory, threads, first } = bed();
  memory.replace(first.id, threads);
  const second = memory.current;
  const [ended, ...others] = threads;
  Atomics.store(new Int32Array(first.memory.buffer), LOCK_WORD, ended!.owner);
  expect(memory.end(ended!, others)).toBe(false);
  // nobody waits for the lock of the first one
  expect(Atomics.load(new Int32Array(first.memory.buffer), LOCK_WORD)).toBe(-1);
  expect([memory.current, ...others.map((thread) => thread.memory)]).toEqual([second, second, second]);
});
