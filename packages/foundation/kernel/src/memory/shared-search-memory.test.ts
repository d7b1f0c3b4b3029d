import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Block } from '../ptr.js';
import type { Structure } from '../shared/structures.js';
import { createSharedKernel, newSharedKernelMemory } from '../shared.js';
import { HeldByKey } from './held-on-demand.js';
import { HeldStructure } from './held-structures.js';
import { MemoryBudget, newSharedBudget } from './memory-budget.js';
import { SearchMemory } from './search-memory.js';

const MIB = 2 ** 20;
/** Bytes of all structures are many times the limit. */
const LIMIT = 4 * MIB;
const KEYS = 120;
const SEED = TEST_SEED;

class HeldBlock extends HeldStructure {
  readonly block: Block;

  constructor(structure: Structure) {
    super('postings', structure);
    this.block = structure.blocks[0] as Block;
  }
}

/** A thread's holders over a memory that it shares. */
class Thread {
  readonly kernel;
  readonly memory;
  readonly held;
  made = 0;
  private readonly places = new Map<number, Structure>();
  private readonly open = new Map<number, Block>();

  constructor(
    shared: ReturnType<typeof newSharedKernelMemory>,
    buffer: SharedArrayBuffer,
    thread: number,
    limit = LIMIT,
  ) {
    this.kernel = createSharedKernel({ ...shared, thread });
    this.memory = new SearchMemory(new MemoryBudget(limit, { buffer, owner: thread, kernelOwner: 4 }), this.kernel, 0);
    this.held = new HeldByKey<number, HeldBlock>(this.memory);
  }

  load(key: number): void {
    const { kernel, memory } = this;
    const make = (): HeldBlock => {
      const structure = kernel.structures.load(`${key}`, () => {
        const byteCount = 1_000 + key * 500;
        const block = kernel.memory.allocate(byteCount);
        kernel.memory.write(block, new Uint8Array(byteCount).fill(key));
        this.made += 1;
        return { blocks: [block], numbers: [key], byteCount };
      });
      this.places.set(key, structure);
      return new HeldBlock(structure);
    };
    this.open.set(key, this.held.load(key, make).block);
    expect(memory.heldBytes).toBe(0);
  }

  /** Whether the structure of a key is there, for any reader. */
  isThere(key: number): boolean {
    return this.places.get(key)?.isThere() === true;
  }

  begin(): void {
    this.memory.begin();
  }

  /** Everything that the search has loaded is still what it was. */
  end(): void {
    for (const [key, block] of this.open) {
      const bytes = this.kernel.memory.read(block, 1_000 + key * 500);
      expect(bytes.every((byte) => byte === key)).toBe(true);
    }
    this.open.clear();
    this.memory.settle();
  }
}

test('two threads have what they have loaded until their searches end, within one limit', () => {
  const searches = fc.array(fc.tuple(fc.nat(1), fc.array(fc.nat(KEYS - 1), { maxLength: 25 })), { maxLength: 60 });
  fc.assert(
    fc.property(searches, (drawn) => {
      const shared = newSharedKernelMemory(16 * MIB);
      const buffer = newSharedBudget(5);
      const threads = [1, 2].map((thread) => new Thread(shared, buffer, thread));
      // each search of a thread lasts until its next one, so that those of both overlap
      for (const thread of threads) thread.begin();
      for (const [at, keys] of drawn) {
        const thread = threads[at]!;
        thread.end();
        thread.begin();
        for (const key of keys) thread.load(key);
        // two running searches have at most 25 structures of 60 KB each
        expect(thread.kernel.memory.totalBytes).toBeLessThan(LIMIT + 2 * MIB);
      }
      for (const thread of threads) thread.end();
    }),
    { numRuns: 60 },
  );
});

test(`what was used longest ago is evicted first, and nothing else (FOSSICK_TEST_SEED=${SEED})`, () => {
  const thread = new Thread(newSharedKernelMemory(16 * MIB), newSharedBudget(5), 1, LIMIT / 3);
  let loaded: number[] = [];
  for (const [at, key] of fc.sample(fc.nat(KEYS - 1), { seed: SEED, numRuns: 600 }).entries()) {
    thread.begin();
    thread.load(key);
    thread.end();
    loaded = [...loaded.filter((one) => one !== key), key];
    if (at % 20 > 0) continue;
    const there = loaded.map((one) => thread.isThere(one));
    expect(there.indexOf(true)).toBeGreaterThan(there.lastIndexOf(false));
  }
  expect(loaded.every((key) => thread.isThere(key))).toBe(false);
});

test('what one thread has made the other one does not make again', () => {
  const shared = newSharedKernelMemory(64 * MIB);
  const buffer = newSharedBudget(5);
  const [first, second] = [1, 2].map((thread) => new Thread(shared, buffer, thread));
  for (const thread of [first!, second!]) {
    thread.begin();
    for (let key = 0; key < 20; key++) thread.load(key);
    thread.end();
  }
  expect([first!.made, second!.made]).toEqual([20, 0]);
  // a segment is gone: the first thread that notices frees what it had
  const before = first!.kernel.memory.totalBytes;
  first!.begin();
  first!.held.drop();
  expect(before - first!.kernel.memory.totalBytes).toBeGreaterThan(20 * 1_000);
  first!.end();
  second!.begin();
  second!.load(3);
  expect(second!.made).toBe(1);
  second!.end();
});

test('a new memory has room for a search that only lacks what another thread has for itself, and not for one that is too large', () => {
  const shared = newSharedKernelMemory(LIMIT);
  const buffer = newSharedBudget(5);
  const [one, other] = [1, 2].map((thread) => new Thread(shared, buffer, thread)) as [Thread, Thread];
  one.begin();
  for (let key = 0; key < 30; key++) one.load(key);
  one.end();
  one.kernel.memory.allocate(2 * MIB);
  const usedBytes = other.kernel.memory.totalBytes;
  expect(other.memory.wouldFitInNew(usedBytes, 3 * MIB)).toBe(true);
  expect(one.isThere(29)).toBe(false);
  expect(other.memory.wouldFitInNew(other.kernel.memory.totalBytes, 4 * MIB)).toBe(false);
  expect(other.memory.wouldFitInNew(other.kernel.memory.totalBytes + 2 * MIB, 2 * MIB)).toBe(false);
});

test('a search looks for what other threads have evicted only when something was, and then finds all of it', () => {
  const shared = newSharedKernelMemory(16 * MIB);
  const buffer = newSharedBudget(5);
  const [one, other] = [1, 2].map((thread) => new Thread(shared, buffer, thread)) as [Thread, Thread];
  one.begin();
  for (let key = 0; key < 100; key++) one.load(key);
  one.end();
  // one eviction sets all of its entries aside
  one.begin();
  one.memory.evict(LIMIT / 2);
  one.end();
  const looks = vi.spyOn(HeldStructure.prototype, 'isThere');
  const lookedIn = (searchCount: number): number => {
    looks.mockClear();
    for (let search = 0; search < searchCount; search++) {
      one.begin();
      one.end();
    }
    return looks.mock.calls.length;
  };
  lookedIn(10);
  expect(lookedIn(10)).toBe(0);
  other.begin();
  other.memory.evict(LIMIT);
  other.end();
  expect(lookedIn(10)).toBeGreaterThan(0);
  expect(lookedIn(10)).toBe(0);
  for (let key = 0; key < 100; key++) expect(one.held.has(key)).toBe(one.isThere(key));
  looks.mockRestore();
});
