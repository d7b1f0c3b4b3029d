import { describe, expect, it } from 'vitest';
import { createDocumentGenerator, createRandom } from './document-generator.mjs';

const make = (seed: number, count: number) => {
  const next = createDocumentGenerator({ seed, vocabularyCount: 5000 });
  return Array.from({ length: count }, next) as { id: number; overview: string }[];
};

describe('document generator', () => {
  it('gives the same documents for the same seed, others for another', () => {
    expect(make(1, 20)).toEqual(make(1, 20));
    expect(make(1, 20)).not.toEqual(make(2, 20));
  });

  it('numbers documents from 1', () => expect(make(3, 3).map((one) => one.id)).toEqual([1, 2, 3]));

  it('draws words by Zipf: few are most of the text, many are seen once', () => {
    const counts = new Map<string, number>();
    for (const { overview } of make(4, 400)) {
      for (const word of overview.toLowerCase().match(/[a-z]+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const sorted = [...counts.values()].sort((left, right) => right - left);
    const total = sorted.reduce((sum, count) => sum + count, 0);
    const topShare = sorted.slice(0, 50).reduce((sum, count) => sum + count, 0) / total;
    expect(topShare).toBeGreaterThan(0.35);
    expect(sorted.filter((count) => count === 1).length).toBeGreaterThan(sorted.length * 0.1);
  });

  it('random numbers stay in [0, 1)', () => {
    const random = createRandom(5);
    for (let i = 0; i < 1000; i++) {
      const value = random();
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(1);
    }
  });
});
