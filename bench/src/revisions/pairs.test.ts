import { describe, expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { answerAlike, comparePairs, tableOf } from './pairs.mjs';

interface Row {
  readonly name: string;
  readonly base: number;
  readonly head: number;
  readonly cost: number;
  readonly isWorse: boolean;
}
const figures = (change: object = {}) => ({
  indexingSeconds: 10,
  searchMs: { p50: 2, p95: 9 },
  queriesPerSecond: 1_000,
  smallUpdateMs: { p50: 30 },
  cpuSeconds: 40,
  peakMiB: 300,
  answersHash: 'a',
  ...change,
});
const round = (head: object, base: object = {}) => ({ base: figures(base), head: figures(head) });
const worse = (rounds: readonly object[], ratio = 1.2): string[] =>
  (comparePairs(rounds, ratio) as Row[]).filter(({ isWorse }) => isWorse).map(({ name }) => name);
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('two revisions', () => {
  it('that are alike cost the same', () => {
    const rows = comparePairs(times(3, round({})), 1.001) as Row[];
    expect(rows).toHaveLength(6);
    expect(rows.every(({ cost, isWorse }) => cost === 1 && !isWorse)).toBe(true);
  });

  it.each([
    [{ indexingSeconds: 12.1 }, ['indexing, s']],
    [{ searchMs: { p50: 2.5 } }, ['one search after the other, p50 in ms']],
    [{ queriesPerSecond: 800 }, ['eight clients, searches a second']],
    [{ smallUpdateMs: { p50: 300 }, peakMiB: 400 }, ['small update, p50 in ms', 'most memory, MiB']],
    [{ cpuSeconds: 47 }, []],
    [{ queriesPerSecond: 5_000, indexingSeconds: 1 }, []],
  ])('of which the newer one has %j', (head, names) => {
    expect(worse(times(5, round(head)))).toEqual(names);
  });

  it('are compared round by round, so that a machine that slows down blames neither', () => {
    const slowing = [1, 2, 4, 8].map((factor) =>
      round({ indexingSeconds: 10 * factor }, { indexingSeconds: 10 * factor }),
    );
    expect(worse(slowing)).toEqual([]);
  });

  it('are not told apart by a busy moment, nor by rounds that do not agree', () => {
    expect(worse([...times(4, round({})), round({ cpuSeconds: 4_000 })])).toEqual([]);
    // the median is worse, but three of seven rounds are better
    const torn = [...times(4, round({ cpuSeconds: 60 })), ...times(3, round({ cpuSeconds: 20 }))];
    expect(worse(torn)).toEqual([]);
    expect(worse([...times(6, round({ cpuSeconds: 60 })), round({ cpuSeconds: 20 })])).toEqual([
      'processor time of all of it, s',
    ]);
  });

  it('have medians in a table, with a mark where one is worse', () => {
    const rows = comparePairs([round({ peakMiB: 600 }), round({ peakMiB: 300 }, { peakMiB: 100 })], 1.5);
    expect(tableOf(rows)).toContain('| most memory, MiB | 200 | 450 | 2.5 **worse** |');
    expect(tableOf(rows)).toContain('| indexing, s | 10 | 10 | 1 |');
  });

  it('leave out what a machine does not tell, and nothing else', () => {
    const untold = { cpuSeconds: undefined, peakMiB: undefined };
    expect(comparePairs([round(untold, untold)], 1.2)).toHaveLength(4);
    for (const value of [undefined, 0, Number.NaN, -1])
      expect(() => comparePairs([round({ cpuSeconds: value })], 1.2)).toThrow('processor time of all of it, s is');
    expect(() => comparePairs([], 1.2)).toThrow('no round');
  });

  it('may answer alike or not', () => {
    expect(answerAlike([round({}), round({})])).toBe(true);
    expect(answerAlike([round({}), round({ answersHash: 'b' })])).toBe(false);
  });
});
