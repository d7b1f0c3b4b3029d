import { newSharedKernelMemory } from '@fossick/kernel/shared';
import { WatchedThread } from '@fossick/threads';
import { afterEach, expect, it, vi } from 'vitest';
import { SearchThread, type SearchThreadOptions } from './search-thread.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('keeps the process alive until it has ended, also when it gets ready after it was stopped', async () => {
  const held: boolean[] = [];
  vi.spyOn(WatchedThread.prototype, 'holdProcess').mockImplementation((isHeld) => void held.push(isHeld));
  // its script is compiled elsewhere, so the thread ends at once
  const options = {
    start: { sharedBudget: { owner: 1 } } as SearchThreadOptions['start'],
    jobMaxMs: 1_000,
    onReport: () => undefined,
    onFault: () => undefined,
    onReturned: () => undefined,
    onEnd: () => undefined,
  };
  const thread = new SearchThread(options, newSharedKernelMemory(1 << 20));
  thread.goOn();
  expect(held).toEqual([false]);
  const ended = thread.stop();
  thread.goOn();
  expect(held).toEqual([false, true]);
  await ended;
});
