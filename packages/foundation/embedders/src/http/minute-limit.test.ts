import { afterEach, expect, it, vi } from 'vitest';
import { MinuteLimit, minuteLimitMemory } from './minute-limit.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets the clock stand at this many milliseconds. */
function at(ms: number): void {
  vi.spyOn(process.hrtime, 'bigint').mockReturnValue(BigInt(ms) * 1_000_000n);
}

it('no minute has more requests than allowed, of any caller, and the next allows more', () => {
  const memory = minuteLimitMemory(3);
  const [writer, reader] = [0, 1].map(() => new MinuteLimit(3, memory, 'http://127.0.0.1:1/embed'));
  at(1_000);
  expect([writer!.begin(), reader!.begin()]).toEqual([0, 0]);
  at(31_000);
  expect(writer!.begin()).toBe(0);
  expect(reader!.begin()).toBeGreaterThan(0);
  expect(writer!.begin()).toBeLessThanOrEqual(250);
  at(60_999);
  expect(writer!.begin()).toBe(1);
  at(61_000);
  expect([reader!.begin(), writer!.begin()]).toEqual([0, 0]);
  expect(reader!.begin()).toBeGreaterThan(0);
});

it('providers at other addresses have limits of their own', () => {
  const memory = minuteLimitMemory(1);
  const addresses = ['http://127.0.0.1:1/a', 'http://127.0.0.1:2/b'];
  at(5);
  expect(addresses.map((address) => new MinuteLimit(1, memory, address).begin())).toEqual([0, 0]);
});

it.each([
  1, 7, 1_024, 1_025, 5_000, 100_000,
])('of %i a minute, any minute holds as many, and less than a hundredth fewer', (perMinute) => {
  const limit = new MinuteLimit(perMinute, minuteLimitMemory(perMinute), 'http://127.0.0.1:1/embed');
  const begunMs: number[] = [];
  for (let ms = 0; ms < 150_000; ms += 500) {
    at(ms);
    // as many as may, in bursts and in silence
    if (ms % 7_000 < 3_500) while (limit.begin() === 0) begunMs.push(ms);
  }
  let from = 0;
  let most = 0;
  for (const [to, ms] of begunMs.entries()) {
    while (ms - begunMs[from]! >= 60_000) from += 1;
    most = Math.max(most, to - from + 1);
  }
  expect(most).toBeLessThanOrEqual(perMinute);
  expect(most).toBeGreaterThan(perMinute * 0.99 - 1);
});

it('takes the same memory for any limit, and no limit is too large', () => {
  for (const perMinute of [2_000, 1e9, Number.MAX_SAFE_INTEGER]) {
    const memory = minuteLimitMemory(perMinute);
    expect(memory.byteLength).toBeLessThanOrEqual(1 << 18);
    at(1);
    expect(new MinuteLimit(perMinute, memory, 'http://127.0.0.1:1/embed').begin()).toBe(0);
  }
});
