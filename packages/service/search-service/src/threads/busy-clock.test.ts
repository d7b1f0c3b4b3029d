import { expect, it } from 'vitest';
import { busyClock } from './busy-clock.js';

/** A clock whose time and processor time the test sets. */
function clockOf(aheadMs: number) {
  const at = { nowMs: 1_000, usedMs: 70, looks: 0 };
  const used = (): number => {
    at.looks += 1;
    return at.usedMs;
  };
  const clock = busyClock(aheadMs, () => at.nowMs, used);
  const startedMs = clock();
  return { at, passedMs: () => clock() - startedMs };
}

it('is the usual clock until the time is up, and looks at nothing else', () => {
  const { at, passedMs } = clockOf(5);
  at.nowMs += 4.9;
  expect(passedMs()).toBeCloseTo(4.9);
  expect(at.looks).toBe(1);
});

it('leaves out the time in which others had the processor', () => {
  const { at, passedMs } = clockOf(5);
  at.nowMs += 40;
  at.usedMs += 2;
  expect(passedMs()).toBeCloseTo(2);
  at.nowMs += 5;
  at.usedMs += 5;
  expect(passedMs()).toBeCloseTo(7);
});

it('is no slower where all threads of the process use it', () => {
  const { at, passedMs } = clockOf(5);
  at.nowMs += 8;
  at.usedMs += 30;
  expect(passedMs()).toBeCloseTo(8);
});

it('counts what is waited for longer than others should wait', () => {
  const { at, passedMs } = clockOf(5);
  at.nowMs += 300;
  at.usedMs += 1;
  expect(passedMs()).toBeCloseTo(150);
});

it('looks once a millisecond', () => {
  const { at, passedMs } = clockOf(5);
  for (let step = 0; step < 100; step++) {
    at.nowMs += 0.1;
    at.usedMs += 0.1;
    passedMs();
  }
  expect(at.looks).toBeLessThan(10);
});
