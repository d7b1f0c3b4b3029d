import { afterEach, expect, it, vi } from 'vitest';
import { begunMemory, MinuteLimit } from './minute-limit.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets the clock stand at so many milliseconds. */
function at(ms: number): void {
  vi.spyOn(process.hrtime, 'bigint').mockReturnValue(BigInt(ms) * 1_000_000n);
}

it('no minute holds more than allowed, whoever asks, and the next has room again', () => {
  const memory = begunMemory(3);
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
  const memory = begunMemory(1);
  const addresses = ['http://127.0.0.1:1/a', 'http://127.0.0.1:2/b'];
  at(5);
  expect(addresses.map((address) => new MinuteLimit(1, memory, address).begin())).toEqual([0, 0]);
});
