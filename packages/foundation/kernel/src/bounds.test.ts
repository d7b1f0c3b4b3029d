import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { LocalOrdinal } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isKernelFault, KernelMemoryError } from './fault.js';
import { createKernel, type Kernel } from './kernel.js';
import {
  type Bitmap,
  type PostingList,
  type PostingLists,
  type Ptr,
  postingListOf,
  postingListsIn,
  postingListsOf,
  type TermId,
} from './ptr.js';

const MIB = 2 ** 20;
const PAGE_BYTES = 65_536;

describe.each(['fast', 'checked'] as const)('a kernel with a bound (%s)', (build) => {
  test('does not grow beyond it, and reports the missing bytes', () => {
    const kernel = createKernel({ build });
    kernel.memory.limit(8 * MIB);
    const before = kernel.memory.allocate(3 * MIB);
    expect(() => kernel.memory.allocate(6 * MIB)).toThrow(KernelMemoryError);
    expect(() => kernel.memory.scratch(6 * MIB)).toThrow(KernelMemoryError);
    expect(() => kernel.memory.allocate(0xffff_fff0)).toThrow(KernelMemoryError);
    expect(kernel.memory.byteCount).toBeLessThanOrEqual(8 * MIB);
    kernel.memory.free(before);
    kernel.memory.free(kernel.memory.allocate(6 * MIB));
    expect(kernel.memory.allocatedBytes).toBe(0);
  });

  test('fills memory to the last page before it calls the host', () => {
    const kernel = createKernel({ build });
    kernel.memory.limit(16 * MIB);
    for (let taken = 0; taken < 15 * MIB; taken += PAGE_BYTES) kernel.memory.allocate(PAGE_BYTES - 64);
    expect(kernel.memory.byteCount).toBeLessThanOrEqual(16 * MIB);
  });

  test('has its host collect garbage a few times while the heap grows, not at each of its steps', async () => {
    let majorCount = 0;
    const observer = new PerformanceObserver((list) => {
      // `detail` is set by Node and missing in the DOM's type.
      for (const entry of list.getEntries() as readonly (PerformanceEntry & { readonly detail?: { kind: number } })[])
        if (entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR) majorCount += 1;
    });
    observer.observe({ entryTypes: ['gc'] });
    const kernel = createKernel({ build });
    kernel.memory.limit(512 * MIB);
    // The heap grows that far in some 50 steps. Untouched memory takes no space.
    for (let taken = 0; taken < 500; taken += 4) {
      kernel.memory.allocate(4 * MIB - 64);
      await delay(1);
    }
    expect(kernel.memory.byteCount).toBeGreaterThan(495 * MIB);
    await delay(50);
    observer.disconnect();
    expect(majorCount).toBeLessThan(16);
  });

  test('asks the host for memory during a call, and continues once there is some', () => {
    const kernel = createKernel({ build });
    kernel.memory.limit(8 * MIB);
    const held = Array.from({ length: 24 }, () => kernel.memory.allocate(MIB / 4));
    const asked: number[] = [];
    kernel.onShortage = (byteCount) => {
      asked.push(byteCount);
      const last = held.pop();
      if (last !== undefined) kernel.memory.free(last);
      return last !== undefined;
    };
    const block = kernel.memory.allocate(4 * MIB);
    expect(asked[0]).toBe(4 * MIB);
    expect(held.length).toBeLessThan(16);
    kernel.memory.free(block);
    for (const one of held) kernel.memory.free(one);
    expect(kernel.memory.allocatedBytes).toBe(0);
  });

  test('is empty after a reset, during a call that lacked memory', () => {
    const kernel = createKernel({ build });
    kernel.memory.limit(8 * MIB);
    for (let round = 0; round < 5; round++) {
      expect(() => {
        for (let at = 0; ; at++)
          at % 2 === 0 ? kernel.memory.allocate(100 + at * 7) : kernel.memory.scratch(300 + at * 5);
      }).toThrow(KernelMemoryError);
      kernel.memory.reset();
      expect(kernel.memory.allocatedBytes).toBe(0);
      const mark = kernel.memory.mark();
      kernel.memory.scratch(4 * MIB);
      kernel.memory.free(kernel.memory.allocate(MIB));
      kernel.memory.release(mark);
    }
    expect(kernel.memory.byteCount).toBeLessThanOrEqual(8 * MIB);
  });

  test('a trap is a fault, an error of the host is none', () => {
    expect(isKernelFault(new KernelMemoryError(1))).toBe(true);
    expect(isKernelFault(new RangeError('x'))).toBe(false);
    const kernel = createKernel({ build });
    let caught: unknown;
    try {
      kernel.lists.orDocs(0xffff_fff0 as Bitmap, { ptr: 0xffff_ff00 as PostingList, deleted: 0 });
    } catch (error) {
      caught = error;
    }
    expect(isKernelFault(caught)).toBe(true);
  });
});

/** Lists of `wordCount` words over the documents, by address. */
function wordLists(kernel: Kernel, wordCount: number, docCount: number): PostingLists {
  const inverter = kernel.lists.createInverter();
  for (let doc = 0; doc < docCount; doc++)
    for (let term = 0; term < wordCount; term++)
      if ((doc + term) % 3 > 0) inverter.add(term as TermId, doc as LocalOrdinal, term * 7 + (doc % 5));
  const { postings, offsets } = inverter.encode(Uint32Array.from({ length: wordCount }, (_, term) => term));
  const base = kernel.memory.allocate(postings.length);
  kernel.memory.write(base, postings);
  const addresses = postingListsIn(base, offsets.slice(0, wordCount), 0);
  inverter.reset();
  return addresses;
}

const DOCS = 20_000;
const WORDS = 12;

/** Calls that are long and allocate. */
const LONG_CALLS: Record<string, (kernel: Kernel, lists: PostingLists, docs: Bitmap) => Ptr> = {
  'merging words': (kernel, lists) => kernel.wordLists.merge(lists, DOCS)!.ptr,
  'merging few words': (kernel, lists) =>
    kernel.wordLists.merge(postingListsOf(...[0, 1, 2, 3, 4, 5].map((at) => postingListOf(lists, at))), DOCS * 500)!
      .ptr,
  'placing words': (kernel, lists, docs) => kernel.rankIndexedLists.ofWords(lists, docs, 0, 0).ptr,
  'placing a list': (kernel, lists) => {
    const docs = kernel.bitmaps.create(DOCS);
    kernel.lists.orDocs(docs, { ptr: postingListOf(lists, 0), deleted: 0 });
    return kernel.rankIndexedLists.ofList(postingListOf(lists, 0), docs, 0, 0).ptr;
  },
  gathering: (kernel, lists, docs) => {
    kernel.tables.gather(
      Array.from(lists, (_, at) => ({ ptr: postingListOf(lists, at), deleted: 0 })),
      docs,
    );
    return 0;
  },
};

describe.each(['fast', 'checked'] as const)('a long call (%s)', (build) => {
  const kernel = createKernel({ build });
  const lists = wordLists(kernel, WORDS, DOCS);
  const docs = kernel.bitmaps.createResident(DOCS);
  kernel.wordLists.orDocs(docs, lists);

  test.each(Object.keys(LONG_CALLS))('%s pauses, and leaves no allocations when it is ended at any pause', (name) => {
    const call = LONG_CALLS[name]!;
    const heldBytes = kernel.memory.allocatedBytes;
    const mark = kernel.memory.mark();
    let pauses = 0;
    kernel.onPause = () => {
      pauses += 1;
    };
    const whole = call(kernel, lists, docs);
    kernel.memory.free(whole);
    kernel.memory.release(mark);
    expect(pauses).toBeGreaterThan(0);
    expect(kernel.memory.allocatedBytes).toBe(heldBytes);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Math.max(1, pauses - 1) }), (endsAt) => {
        let seen = 0;
        kernel.onPause = () => {
          seen += 1;
          if (seen === endsAt) throw new RangeError('over');
        };
        expect(() => call(kernel, lists, docs)).toThrow(RangeError);
        kernel.onPause = null;
        kernel.memory.release(mark);
        expect(kernel.memory.allocatedBytes).toBe(heldBytes);
        kernel.memory.free(call(kernel, lists, docs));
        kernel.memory.release(mark);
        expect(kernel.memory.allocatedBytes).toBe(heldBytes);
      }),
      { numRuns: 12, seed: 20_261_122 },
    );
  });
});
