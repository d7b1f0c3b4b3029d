import { totalmem } from 'node:os';
import { describe, expect, test } from 'vitest';
import { defaultAnswersBytes, defaultIndexingBytes, defaultSearchBytes, usableBytes } from './default-memory.js';

const GIB = 2 ** 30;

describe('memory by default', () => {
  test('is a share of what the control group allows, or of the machine', () => {
    expect(usableBytes(2 * GIB, 16 * GIB)).toBe(2 * GIB);
    expect(usableBytes(0, 16 * GIB)).toBe(16 * GIB);
    expect(usableBytes(undefined, 16 * GIB)).toBe(16 * GIB);
    // what a group without a limit tells
    expect(usableBytes(2 ** 63, 16 * GIB)).toBe(16 * GIB);
    expect(usableBytes()).toBeLessThanOrEqual(totalmem());
  });

  test('for searches is an eighth within bounds', () => {
    const figures = [0.25, 1, 2, 4, 8, 64].map((gib) => defaultSearchBytes(gib * GIB) / 2 ** 20);
    expect(figures).toEqual([128, 128, 256, 512, 1_024, 1_536]);
  });

  test('for answers that are not read is an eighth within bounds', () => {
    const figures = [0.25, 1, 2, 4, 8, 64].map((gib) => defaultAnswersBytes(gib * GIB) / 2 ** 20);
    expect(figures).toEqual([128, 128, 256, 288, 288, 288]);
  });

  test('for indexing is a half, 2 GiB at most', () => {
    expect([1, 4, 64].map((gib) => defaultIndexingBytes(gib * GIB) / GIB)).toEqual([0.5, 2, 2]);
  });
});
