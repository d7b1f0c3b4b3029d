import v8 from 'node:v8';
import { afterEach, expect, it, vi } from 'vitest';
import { keepCodeWhileIdle } from './optimise-early.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('V8 does not mark in steps while the process is idle, and does so again when it works or the end comes', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const set = vi.spyOn(v8, 'setFlagsFromString').mockReturnValue(undefined);
  let usedMs = 0;
  vi.spyOn(process, 'cpuUsage').mockImplementation((before) => ({
    user: usedMs * 1_000 - (before?.user ?? 0),
    system: 0,
  }));
  const stop = keepCodeWhileIdle();
  // processor time of each second, and what V8 is told at its end
  for (const [ms, flags] of [
    [500, []],
    [5, ['--no-incremental-marking']],
    [0, []],
    [19, []],
    [21, ['--incremental-marking']],
    [900, []],
    [0, ['--no-incremental-marking']],
  ] as const) {
    set.mockClear();
    usedMs += ms;
    vi.advanceTimersByTime(1_000);
    expect([ms, set.mock.calls.map(([flag]) => flag)]).toEqual([ms, flags]);
  }
  set.mockClear();
  stop();
  stop();
  expect(set.mock.calls).toEqual([['--incremental-marking']]);
  expect(vi.getTimerCount()).toBe(0);
});
