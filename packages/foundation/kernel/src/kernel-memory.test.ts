import { checkTimeBudget, TimeBudgetSpent, withinTimeBudget } from '@fossick/base';
import { describe, expect, it } from 'vitest';
import { createKernel } from './kernel.js';

const MIB = 2 ** 20;

describe('a block that is filled', () => {
  const { memory } = createKernel({ build: 'checked' });

  it.each([100, 17 * MIB])('of %s bytes is freed when that fails', (byteCount) => {
    const block = memory.filled(byteCount, (target) => memory.write(target, Uint8Array.of(1, 2), 3));
    expect(memory.read(block, 2, 3)).toEqual(Uint8Array.of(1, 2));
    memory.free(block);
    const fail = (): void => {
      throw new Error('no such row');
    };
    expect(() => memory.filled(byteCount, fail)).toThrow('no such row');
    expect(memory.allocatedBytes).toBe(0);
  });

  it('is filled to its end by a search that is dropped, unless it is long', () => {
    const fillLate = (byteCount: number): boolean => {
      let passedMs = 0;
      let isFilled = false;
      const fill = (): void => {
        passedMs = 6;
        checkTimeBudget();
        isFilled = true;
      };
      const work = (): void => {
        memory.free(memory.filled(byteCount, fill));
        checkTimeBudget();
      };
      expect(() => withinTimeBudget(5, work, () => passedMs)).toThrow(TimeBudgetSpent);
      return isFilled;
    };
    expect([fillLate(100), fillLate(17 * MIB)]).toEqual([true, false]);
    expect(memory.allocatedBytes).toBe(0);
  });
});
