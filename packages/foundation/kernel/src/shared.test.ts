import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { describe, expect, test, vi } from 'vitest';
import { isKernelFault, KernelLostError } from './fault.js';
import type { Kernel } from './kernel.js';
import { HEAP_LOCK } from './layout.js';
import type { Block } from './ptr.js';
import { DirectoryWords } from './shared/directory-words.js';
import { createSharedKernel, newSharedKernelMemory, type SharedKernelMemory, threadHasEnded } from './shared.js';

const PACKAGE_FILE = new URL('../dist/shared.js', import.meta.url);
const MIB = 2 ** 20;
const KEYS = 200;
const STEPS = 400;
const KILLS = Number(process.env['FOSSICK_TEST_ROUNDS'] ?? (process.env['FOSSICK_TEST_FAULTS'] === 'long' ? 200 : 5));
const seed = TEST_SEED;

const flag = new Int32Array(new SharedArrayBuffer(4));

interface Running {
  readonly worker: Worker;
  /** The steps that it has done; rejected with what it found to be wrong. */
  readonly done: Promise<number>;
  readonly isReady: Promise<unknown>;
}

function start(memory: SharedKernelMemory, thread: number, ofSeed: number, stepsMax = Infinity): Running {
  const worker = new Worker(new URL('./sharing-thread.fixture.mjs', import.meta.url), {
    workerData: {
      packageFile: PACKAGE_FILE.href,
      shared: { ...memory, thread },
      seed: 1 + ofSeed,
      flag,
      keyCount: KEYS,
      stepsMax,
    },
  });
  const done = new Promise<number>((resolve, reject) => {
    worker.on('message', (message) => typeof message === 'number' && resolve(message));
    worker.once('error', reject);
    worker.once('exit', () => resolve(0));
  });
  return { worker, done, isReady: new Promise((resolve) => worker.once('message', resolve)) };
}

/** Bytes in use when all structures are evicted. */
function bytesLeft(memory: SharedKernelMemory, thread: number): number {
  const kernel = createSharedKernel({ ...memory, thread });
  while (kernel.directory!.evict() > 0);
  expect(kernel.directory!.count).toBe(0);
  return kernel.memory.totalBytes;
}

test('bytes are written whole, whatever the offsets of source and target are', () => {
  const { memory } = createSharedKernel({ ...newSharedKernelMemory(64 * MIB), thread: 1 });
  const source = Uint8Array.from({ length: 30_000 }, (_, at) => at * 31 + (at >> 8));
  const block = memory.allocate(source.length + 64);
  for (const length of [0, 1, 7, 511, 512, 8_191, 8_192, 8_193, 29_000])
    for (let from = 0; from < 9; from++)
      for (let at = 1; at < 10; at++) {
        memory.write(block, new Uint8Array(length + 2).fill(1), at - 1);
        memory.write(block, source.subarray(from, from + length), at);
        const read = memory.read(block, length + 2, at - 1);
        expect([read[0], read[length + 1]]).toEqual([1, 1]);
        expect(Buffer.compare(read.subarray(1, length + 1), source.subarray(from, from + length))).toBe(0);
      }
});

test('small blocks that an idle thread has for itself do not part the free memory', () => {
  const memory = newSharedKernelMemory(64 * MIB);
  const [idle, other] = [1, 2].map((thread) => createSharedKernel({ ...memory, thread })) as [Kernel, Kernel];
  other.memory.limit(64 * MIB);
  const lists = Array.from({ length: 56 }, () => {
    const list = other.memory.allocate(MIB);
    idle.memory.allocate(10_000);
    return list;
  });
  for (const list of lists) other.memory.free(list);
  const large = other.memory.allocate(50 * MIB);
  expect(other.memory.totalBytes).toBeGreaterThan(50 * MIB + lists.length * 10_000);
  other.memory.free(large);
  // where the part for small blocks is full, they are among the others
  const small = Array.from({ length: 900 }, () => idle.memory.allocate(60_000));
  for (const block of small) idle.memory.free(block);
  expect(other.memory.allocate(50 * MIB)).toBeGreaterThan(0);
});

describe.skipIf(!existsSync(PACKAGE_FILE))('a memory that two threads share', () => {
  test(`has what each thread wrote, whatever the other one does, and is empty in the end (FOSSICK_TEST_SEED=${seed})`, async () => {
    Atomics.store(flag, 0, 0);
    const memory = newSharedKernelMemory(64 * MIB);
    const threads = [1, 2].map((thread) => start(memory, thread, seed + thread, STEPS));
    for (const { done } of threads) expect(await done).toBe(STEPS);
    for (const [at, { worker }] of threads.entries()) {
      await worker.terminate();
      expect(threadHasEnded(memory, at + 1)).toBe(true);
    }
    expect(bytesLeft(memory, 3)).toBe(0);
  });

  test('lets one thread run alone: the running view of the other one ends before, and its next view begins after', async () => {
    const memory = newSharedKernelMemory(8 * MIB);
    const kernel = createSharedKernel({ ...memory, thread: 1 });
    /** Whether the other thread's first view has ended, and whether its second one has begun; two words that stay 0. */
    const steps = new Int32Array(new SharedArrayBuffer(16));
    const code = `
      const { workerData: { file, shared, steps }, parentPort } = require('node:worker_threads');
      import(file).then(({ createSharedKernel }) => {
        const { directory } = createSharedKernel(shared);
        directory.beginView();
        parentPort.postMessage('runs');
        Atomics.wait(steps, 3, 0, 100);
        Atomics.store(steps, 0, 1);
        directory.endView();
        directory.beginView();
        Atomics.store(steps, 1, 1);
        directory.endView();
      });`;
    const shared = { ...memory, thread: 2 };
    const worker = new Worker(code, { eval: true, workerData: { file: PACKAGE_FILE.href, shared, steps } });
    const hasEnded = new Promise((resolve) => worker.once('exit', resolve));
    await new Promise((resolve) => worker.once('message', resolve));
    const seen: number[][] = [];
    kernel.directory!.alone(() => {
      seen.push([...steps]);
      kernel.directory!.beginView();
      Atomics.wait(steps, 3, 0, 100);
      seen.push([...steps]);
      kernel.directory!.endView();
    });
    await hasEnded;
    expect(seen).toEqual([
      [1, 0, 0, 0],
      [1, 0, 0, 0],
    ]);
    expect([...steps]).toEqual([1, 1, 0, 0]);
  });

  test(
    `goes on when a thread is killed anywhere, or is known to be lost (FOSSICK_TEST_SEED=${seed})`,
    async () => {
      Atomics.store(flag, 0, 0);
      let memory = newSharedKernelMemory(64 * MIB);
      let other = start(memory, 1, seed);
      await other.isReady;
      let kept = 0;
      // when a thread is killed is chance: until one was killed without the lock
      for (let round = 0; round < KILLS || kept === 0; round++) {
        const killed = start(memory, 2, seed + round);
        await killed.isReady;
        await new Promise((resolve) => setTimeout(resolve, (seed + round * 7) % 23));
        await killed.worker.terminate();
        await killed.done;
        if (threadHasEnded(memory, 2)) kept += 1;
        else {
          // the other one finds the lock lost, or ends before it needs it
          Atomics.store(flag, 0, 1);
          await other.done.catch((error: Error) => expect(error.message).toMatch(/unreachable|a thread ended/));
          Atomics.store(flag, 0, 0);
          memory = newSharedKernelMemory(64 * MIB);
          other = start(memory, 1, seed);
          await other.isReady;
        }
      }
      Atomics.store(flag, 0, 1);
      await other.done;
      expect(threadHasEnded(memory, 1)).toBe(true);
      // the next thread of the number frees what the killed one had for itself
      createSharedKernel({ ...memory, thread: 2 });
      expect(bytesLeft(memory, 3)).toBe(0);
    },
    60_000 + KILLS * 5_000,
  );
});

describe('a memory that kernels share', () => {
  const kernelsOf = (memory: SharedKernelMemory, count: number) =>
    Array.from({ length: count }, (_, at) => createSharedKernel({ ...memory, thread: at + 1 }));
  const written = (kernel: Kernel, text: string) => {
    const bytes = new TextEncoder().encode(text);
    const block = kernel.memory.allocate(bytes.length);
    kernel.memory.write(block, bytes);
    return { blocks: [block], byteCount: bytes.length };
  };

  test('one finds what the other has made, and each has scratch and blocks of its own', () => {
    const memory = newSharedKernelMemory(8 * MIB);
    const [first, second] = kernelsOf(memory, 2);
    first!.directory!.beginView();
    second!.directory!.beginView();
    const made = first!.structures.scope('index/').load('words', () => written(first!, 'words'));
    const found = second!.structures.load('index/words', () => expect.unreachable());
    expect(found.blocks).toEqual(made.blocks);
    expect(Buffer.from(second!.memory.read(found.blocks[0] as Block, 5)).toString()).toBe('words');
    expect([made.ownBytes, found.ownBytes]).toEqual([0, 0]);
    expect(first!.memory.scratch(64)).not.toBe(second!.memory.scratch(64));
    const block = first!.memory.allocate(1_000);
    second!.memory.reset();
    first!.memory.write(block, new Uint8Array(1_000).fill(7));
    expect(second!.memory.read(block, 1_000).every((byte) => byte === 7)).toBe(true);
  });

  test('a structure that a running view has used is not evicted, and one that was evicted says so', () => {
    const [first, second] = kernelsOf(newSharedKernelMemory(8 * MIB), 2);
    first!.directory!.beginView();
    const used = first!.structures.load('used', () => written(first!, 'used'));
    second!.directory!.beginView();
    expect(second!.directory!.evict()).toBe(0);
    first!.directory!.endView();
    expect(second!.directory!.evict()).toBe(4);
    expect(used.isThere()).toBe(false);
    first!.directory!.beginView();
    expect(used.use()).toBe(false);
    const again = second!.structures.load('used', () => written(second!, 'used'));
    // the entry is used again, for another structure
    expect(used.use()).toBe(false);
    expect(first!.structures.load('used', () => expect.unreachable()).blocks).toEqual(again.blocks);
  });

  test('the structure that was used longest ago is evicted first', () => {
    const [kernel] = kernelsOf(newSharedKernelMemory(8 * MIB), 1);
    const structures = ['a', 'b', 'c'].map((key) => {
      kernel!.directory!.beginView();
      return kernel!.structures.load(key, () => written(kernel!, key));
    });
    kernel!.directory!.beginView();
    structures[0]!.use();
    kernel!.directory!.beginView();
    kernel!.directory!.evict();
    expect(structures.map((one) => one.isThere())).toEqual([true, false, true]);
    kernel!.directory!.evict();
    expect(structures.map((one) => one.isThere())).toEqual([true, false, false]);
  });

  test('nobody uses it after a thread has ended while it changed the heap', () => {
    const memory = newSharedKernelMemory(8 * MIB);
    const [kernel] = kernelsOf(memory, 1);
    expect(threadHasEnded(memory, 2)).toBe(true);
    Atomics.store(new Int32Array(memory.memory.buffer), HEAP_LOCK >> 2, 2);
    expect(threadHasEnded(memory, 2)).toBe(false);
    expect([kernel!.directory!.isLost, kernel!.directory!.isWorn]).toEqual([true, true]);
    let fault: unknown;
    try {
      kernel!.memory.allocate(16);
    } catch (error) {
      fault = error;
    }
    expect(isKernelFault(fault)).toBe(true);
    expect(threadHasEnded(memory, 1)).toBe(true);
  });

  test('what a view begins to use while another thread evicts it stays there', () => {
    const [first, second] = kernelsOf(newSharedKernelMemory(8 * MIB), 2);
    first!.directory!.beginView();
    second!.directory!.beginView();
    const used = second!.structures.load('used', () => written(second!, 'used'));
    second!.directory!.endView();
    first!.directory!.beginView();
    first!.structures.load('used', () => expect.unreachable());
    second!.directory!.beginView();
    expect(used.use()).toBe(true);
    second!.directory!.endView();
    const known = first!.structures.load('used', () => expect.unreachable());
    first!.directory!.endView();
    // a view with an earlier number than the last use, which it therefore does not change
    const views = [first!, second!].map((kernel) => kernel.directory!.beginView());
    expect(views[0]).toBeLessThan(views[1]!);
    expect(used.use()).toBe(true);
    second!.directory!.endView();
    const exchange = Atomics.compareExchange;
    const between = vi.spyOn(Atomics, 'compareExchange').mockImplementation((...given) => {
      if (Number(given[3]) === 0 && given[1] > 0) {
        between.mockRestore();
        expect(known.use()).toBe(true);
      }
      return exchange(...given);
    });
    expect(second!.directory!.evict()).toBe(0);
    between.mockRestore();
    expect(known.isThere()).toBe(true);
    first!.structures.load('used', () => expect.unreachable());
    first!.directory!.endView();
    expect(second!.directory!.evict()).toBe(4);
    expect(known.use()).toBe(false);
  });

  test('what a long view does not use is evicted while it runs', () => {
    const [first, second] = kernelsOf(newSharedKernelMemory(8 * MIB), 2);
    first!.directory!.beginView();
    const kept = first!.structures.load('kept', () => written(first!, 'kept'));
    for (const key of ['a', 'b']) {
      second!.directory!.beginView();
      second!.structures.load(key, () => written(second!, key));
    }
    second!.directory!.endView();
    expect([1, 2, 3].map(() => second!.directory!.evict())).toEqual([1, 1, 0]);
    expect(kept.isThere()).toBe(true);
    // a thread that has ended uses nothing
    second!.directory!.beginView();
    second!.directory!.endView();
    expect(second!.directory!.evict()).toBe(0);
  });

  test('a second release of a block traps, also after it was merged with the block before it', () => {
    for (const build of ['shared', 'sharedChecked'] as const) {
      const { memory } = createSharedKernel({ ...newSharedKernelMemory(8 * MIB), thread: 1 }, build);
      const [before, block] = [memory.allocate(100), memory.allocate(100), memory.allocate(100)];
      memory.free(before!);
      memory.free(block!);
      expect(() => memory.free(block!)).toThrow(WebAssembly.RuntimeError);
    }
  });

  test('a lock stays lost when the thread that held it gives it back, and when a call has trapped that held it', () => {
    const shared = newSharedKernelMemory(8 * MIB);
    const words = new DirectoryWords(shared.directory, 1);
    words.locked(() => words.lose());
    expect(words.isLost).toBe(true);
    const trapped = newSharedKernelMemory(8 * MIB);
    Atomics.store(new Int32Array(trapped.memory.buffer), HEAP_LOCK >> 2, 1);
    expect(() => createSharedKernel({ ...trapped, thread: 1 })).toThrow(KernelLostError);
    expect(new DirectoryWords(trapped.directory).isLost).toBe(true);
  });

  test('memory ends where the host says, and structures are evicted for what a view needs', () => {
    const [kernel] = kernelsOf(newSharedKernelMemory(4 * MIB), 1);
    kernel!.onShortage = () => kernel!.directory!.evict() > 0;
    kernel!.directory!.beginView();
    const big = (key: string) =>
      kernel!.structures.load(key, () => ({ blocks: [kernel!.memory.allocate(MIB)], byteCount: MIB }));
    const all = Array.from({ length: 20 }, (_, at) => {
      kernel!.directory!.beginView();
      return big(`${at}`);
    });
    expect(all.at(-1)!.isThere()).toBe(true);
    expect(all.filter((one) => one.isThere()).length).toBeLessThan(5);
    // all of them in one view
    expect(() => Array.from({ length: 20 }, (_, at) => big(`more ${at}`))).toThrow(/no room/);
  });
});
