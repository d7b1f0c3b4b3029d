import { describe, expect, it } from 'vitest';
import {
  beforeTimeBudget,
  beyondTimeBudget,
  checkTimeBudget,
  checkWhole,
  isPast,
  LONG_WHOLE_BYTES,
  stepInBudget,
  TimeBudgetSpent,
  withinTimeBudget,
} from './time-budget.js';

/** A clock that shows one millisecond more at each look. */
function counting(): () => number {
  let nowMs = 1_000;
  return () => nowMs++;
}
const looks = (count: number): void => {
  for (let at = 0; at < count; at++) checkTimeBudget();
};

describe('work with a budget', () => {
  it('ends when the time is up, at a place that looks', () => {
    expect(withinTimeBudget(9, () => looks(9), counting())).toBe(undefined);
    expect(() => withinTimeBudget(9, () => looks(10), counting())).toThrow(TimeBudgetSpent);
    expect(() => withinTimeBudget(9, () => isPast(1e12) || looks(9), counting())).toThrow(TimeBudgetSpent);
    expect(withinTimeBudget(Number.POSITIVE_INFINITY, () => looks(10_000), counting())).toBe(undefined);
  });

  it('is dropped whatever becomes of the error', () => {
    const swallowed = (): string => {
      try {
        looks(100);
      } catch {
        return 'a part of the answer';
      }
      return 'the answer';
    };
    expect(() => withinTimeBudget(9, swallowed, counting())).toThrow(TimeBudgetSpent);
    const changed = (): never => {
      swallowed();
      throw new Error('another error');
    };
    expect(() => withinTimeBudget(9, changed, counting())).toThrow(TimeBudgetSpent);
    expect(() => withinTimeBudget(1_000, changed, counting())).toThrow('another error');
  });

  it('leaves no limit behind', () => {
    expect(() => withinTimeBudget(9, () => looks(10), counting())).toThrow(TimeBudgetSpent);
    looks(100);
    expect(isPast(Number.POSITIVE_INFINITY)).toBe(false);
    expect(isPast(0)).toBe(true);
  });

  it('looks now and then between short steps', () => {
    const steps = (count: number) => () => {
      for (let at = 0; at < count; at++) stepInBudget();
    };
    expect(withinTimeBudget(3, steps(190), counting())).toBe(undefined);
    expect(() => withinTimeBudget(3, steps(200), counting())).toThrow(TimeBudgetSpent);
    // of long texts, nearly each time
    expect(() => withinTimeBudget(3, () => [1, 2, 3, 4].map(() => stepInBudget(5_000)), counting())).toThrow(
      TimeBudgetSpent,
    );
  });

  it('has the whole budget after what cannot be dropped', () => {
    const loaded = (after: number) => () => {
      looks(5);
      beforeTimeBudget(() => looks(100));
      looks(after);
    };
    expect(withinTimeBudget(9, loaded(9), counting())).toBe(undefined);
    expect(() => withinTimeBudget(9, loaded(10), counting())).toThrow(TimeBudgetSpent);
    beforeTimeBudget(() => looks(5));
    looks(100);
  });

  it('counts the time of work that is not dropped, but ends after it', () => {
    const loaded = (during: number, after: number) => () => {
      beyondTimeBudget(() => looks(during));
      looks(after);
    };
    let passed = 0;
    const withLook = (): number => passed;
    expect(withinTimeBudget(9, loaded(100, 0), withLook)).toBe(undefined);
    const late = (): void => {
      beyondTimeBudget(() => {
        looks(3);
        passed = 10;
        looks(3);
      });
      looks(1);
    };
    expect(() => withinTimeBudget(9, late, withLook)).toThrow(TimeBudgetSpent);
    beyondTimeBudget(() => looks(5));
  });

  it('ends before a value that is read as a whole and is long', () => {
    const whole = (byteCount: number) => () => checkWhole(byteCount);
    expect(withinTimeBudget(9, whole(LONG_WHOLE_BYTES), counting())).toBe(undefined);
    expect(() => withinTimeBudget(9, whole(LONG_WHOLE_BYTES + 1), counting())).toThrow(TimeBudgetSpent);
    expect(withinTimeBudget(Number.POSITIVE_INFINITY, whole(1e9), counting())).toBe(undefined);
    checkWhole(1e9);
  });
});
