import { completeSearch, type SearchRequest } from '@fossick/settings/parameters';
import { describe, expect, it } from 'vitest';
import type { SearchJob } from '../jobs/search-jobs.js';
import { LongShapes, shapeOf } from './long-shapes.js';

const searchOf = (request: Partial<SearchRequest>, indexUid = 'plants'): SearchJob => ({
  kind: 'search',
  indexUid,
  request: { ...completeSearch({}), ...request },
  extras: { withMetadata: false, withPerformanceDetails: false, hydrates: false, inlineUid: null },
  ruleBook: null,
  scope: { patterns: null, rules: null } as never,
});

describe('the shape of a job', () => {
  it.each<[what: string, one: SearchJob, other: SearchJob]>([
    ['its words', searchOf({ q: 'green fern' }), searchOf({ q: 'small oaks' })],
    ['values of its filter', searchOf({ filter: 'height > 12' }), searchOf({ filter: 'height < 99' })],
    ['numbers of a vector', searchOf({ vector: [1, 0, 1] }), searchOf({ vector: [0.5, 0.5, 0.5] })],
    ['a few more hits', searchOf({ limit: 17 }), searchOf({ limit: 20 })],
  ])('does not depend on %s', (_, one, other) => {
    expect(shapeOf(one)).toBe(shapeOf(other));
  });

  it.each<[what: string, one: SearchJob, other: SearchJob]>([
    ['its index', searchOf({ q: 'fern' }), searchOf({ q: 'fern' }, 'trees')],
    ['the number of its words', searchOf({ q: 'a b c d' }), searchOf({ q: 'abcdefg' })],
    ['its options', searchOf({ facets: ['family'] }), searchOf({})],
    ['flags', searchOf({ showMatchesPosition: true }), searchOf({})],
    ['the size of its filter', searchOf({ filter: 'a = 1' }), searchOf({ filter: 'a = 1 OR '.repeat(90) })],
    ['the depth of its page', searchOf({ offset: 10 }), searchOf({ offset: 9_000 })],
    ['its kind', searchOf({}), { ...searchOf({}), kind: 'words' } as never],
  ])('depends on %s', (_, one, other) => {
    expect(shapeOf(one)).not.toBe(shapeOf(other));
  });

  it('looks at a part of what is large', () => {
    const filter = Array.from({ length: 100_000 }, (_, i) => [`height = ${i}`]);
    expect(shapeOf(searchOf({ filter })).length).toBeLessThan(2_000);
    const facets = Array.from({ length: 1_000 }, (_, i) => ({ [`a${i}`]: { b: 1 } }));
    expect(shapeOf(searchOf({ facets: facets as never })).length).toBeLessThan(2_000);
    const body = new Uint8Array(1 << 24);
    expect(shapeOf({ kind: 'receivedBody', of: 'search', body }).length).toBeLessThan(100);
  });
});

describe('jobs that took too long', () => {
  const slow = searchOf({ q: 'slow moss' });
  const alike = searchOf({ q: 'slim fern' });

  it('send those like them to a thread, and no others', () => {
    const shapes = new LongShapes();
    expect(shapes.has(slow)).toBe(false);
    shapes.add(slow, 5);
    expect(shapes.has(alike)).toBe(true);
    expect(shapes.has(searchOf({ q: 'moss' }))).toBe(false);
  });

  /** How often jobs run in a thread until they begin here again. */
  const runsUntilHere = (shapes: LongShapes, wasShort: (run: number) => boolean): number => {
    for (let run = 0; ; run++) {
      if (!shapes.has(alike) || run > 10_000) return run;
      shapes.note(alike, wasShort(run) ? 1 : 9, 2.5);
    }
  };

  it('come back when they are short again, each time later', () => {
    const shapes = new LongShapes();
    const runs: number[] = [];
    for (let time = 0; time < 12; time++) {
      shapes.add(slow, 5);
      runs.push(runsUntilHere(shapes, () => true));
    }
    expect(runs.slice(0, 4)).toEqual([4, 8, 16, 32]);
    expect(Math.max(...runs)).toBe(1_024);
  });

  it('stay there while some of them are long', () => {
    const shapes = new LongShapes();
    shapes.add(slow, 5);
    expect(runsUntilHere(shapes, (run) => run % 3 > 0)).toBeGreaterThan(10_000);
    expect(runsUntilHere(shapes, () => true)).toBeLessThan(5);
  });

  it('are forgotten after as many short runs here, so that a rare long one does not keep the others away', () => {
    const shapes = new LongShapes();
    const runs: number[] = [];
    for (let time = 0; time < 6; time++) {
      shapes.add(slow, 5);
      runs.push(runsUntilHere(shapes, () => true));
      for (let run = 0; run < 50; run++) shapes.note(alike, 1, 2.5);
    }
    expect(runs).toEqual([4, 4, 4, 4, 4, 4]);
  });

  it('do not wait for a thread where their last run was short enough', () => {
    const shapes = new LongShapes();
    shapes.add(slow, 5);
    expect([shapes.has(alike), shapes.has(alike, 50)]).toEqual([true, false]);
    shapes.note(alike, 80, 2.5);
    expect(shapes.has(alike, 50)).toBe(true);
    shapes.note(alike, 20, 2.5);
    expect(shapes.has(alike, 50)).toBe(false);
  });

  it('are forgotten where there are too many, the oldest first', () => {
    const shapes = new LongShapes();
    for (let at = 0; at <= 2_000; at++) shapes.add(searchOf({}, `index${at}`), 5);
    expect(shapes.has(searchOf({}, 'index0'))).toBe(false);
    expect(shapes.has(searchOf({}, 'index1'))).toBe(true);
    expect(shapes.has(searchOf({}, 'index2000'))).toBe(true);
  });
});
