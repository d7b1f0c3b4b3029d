import { ApiError } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { Bitmap, PostingList } from '@fossick/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const MIB = 2 ** 20;
let index: ScratchIndex;
beforeAll(async () => {
  index = await openScratchIndex([
    { id: 1, title: 'blue train' },
    { id: 2, title: 'blue sky' },
  ]);
});
afterAll(() => index.close());

const found = (): unknown[] => index.idsOf({ q: 'blue' });

function errorOf(work: (view: IndexView) => unknown): ApiError {
  try {
    index.inView(work);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('a search whose kernel traps ends in an error, and the next one works in another kernel', () => {
  expect(found()).toEqual([1, 2]);
  const kernel = index.inView((view) => view.kernel);
  const error = errorOf((view) =>
    view.kernel.lists.orDocs(0xffff_fff0 as Bitmap, { ptr: 0xffff_ff00 as PostingList, deleted: 0 }),
  );
  expect(error.code).toBe('internal');
  expect(found()).toEqual([1, 2]);
  expect(index.inView((view) => view.kernel)).not.toBe(kernel);
});

test('a search that takes more memory than there is gets a 503, and the next one works', () => {
  let tries = 0;
  const error = errorOf((view) => {
    tries += 1;
    for (;;) view.kernel.memory.scratch(MIB);
  });
  expect(error.code).toBe('too_many_search_requests');
  expect(tries).toBe(2); // the second in a kernel that holds nothing else
  expect(found()).toEqual([1, 2]);
});

test('a search that fits an empty kernel is answered though this one is full', () => {
  const held: number[] = [];
  let tries = 0;
  const answer = index.inView((view) => {
    tries += 1;
    // what a leak would look like: nobody frees it
    if (tries === 1) for (;;) held.push(view.kernel.memory.allocate(MIB));
    return view.kernel.memory.allocatedBytes;
  });
  expect(tries).toBe(2);
  expect(held.length).toBeGreaterThan(16);
  expect(answer).toBeLessThan(16 * MIB);
  expect(found()).toEqual([1, 2]);
});

test('memory that a search lacks is taken from what others have left', () => {
  const pieces = index.inView((view) => {
    const freed: number[] = [];
    for (let at = 0; at < 20; at++) {
      const ptr = view.kernel.memory.allocate(2 * MIB);
      view.memory.hold({ kind: 'postings', byteCount: 2 * MIB, free: () => view.kernel.memory.free(ptr) }, () =>
        freed.push(at),
      );
    }
    return freed;
  });
  const kernel = index.inView((view) => view.kernel);
  const room = index.inView((view) => view.kernel.memory.scratch(kernel.memory.byteCount - 8 * MIB));
  expect(room).toBeGreaterThan(0);
  expect(pieces.length).toBeGreaterThan(0);
  expect(index.inView((view) => view.kernel)).toBe(kernel);
  expect(found()).toEqual([1, 2]);
});
