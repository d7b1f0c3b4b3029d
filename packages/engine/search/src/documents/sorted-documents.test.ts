import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { type ColumnSegment, distanceMetres } from '@fossick/columns';
import { parseSort, type SortEntry } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';
import { listDocuments } from './list-documents.js';

const seed = TEST_SEED;

type Value = number | string;
type Point = { readonly lat: number; readonly lng: number };
interface Doc {
  readonly id: number;
  readonly _geo: Point | null;
  readonly [field: string]: unknown;
}
type Random = (bound: number) => number;

/** A small generator of numbers below `bound` (mulberry32). */
function randomOf(start: number): Random {
  let state = start;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * bound);
  };
}

/** The order of `sort` by its definition: each entry divides each group of documents that are equal so far. A point decides once. */
function expectedOrder(documents: readonly Doc[], entries: readonly SortEntry[]): unknown[] {
  let groups: readonly (readonly Doc[])[] = [documents];
  const points = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'field') groups = groups.flatMap((group) => byValue(group, entry));
    else if (!points.has(`${entry.lat} ${entry.lng}`)) groups = groups.flatMap((group) => byDistance(group, entry));
    if (entry.kind === 'geo') points.add(`${entry.lat} ${entry.lng}`);
  }
  return groups.flat().map(({ id }) => id);
}

function byValue(group: readonly Doc[], { field, direction }: Extract<SortEntry, { kind: 'field' }>): Doc[][] {
  const sign = direction === 'asc' ? 1 : -1;
  const compare = (a: Value, b: Value): number =>
    typeof a !== typeof b ? (typeof a === 'number' ? -1 : 1) : (a < b ? -1 : a > b ? 1 : 0) * sign;
  const byFirst = new Map<Value | undefined, Doc[]>();
  for (const document of group) {
    const values = [document[field] ?? []].flat() as Value[];
    const first = values.sort(compare)[0];
    byFirst.set(first, [...(byFirst.get(first) ?? []), document]);
  }
  const none = byFirst.get(undefined);
  byFirst.delete(undefined);
  const sorted = [...byFirst].sort(([a], [b]) => compare(a!, b!)).map(([, documents]) => documents);
  return none === undefined ? sorted : [...sorted, none];
}

function byDistance(group: readonly Doc[], { lat, lng, direction }: Extract<SortEntry, { kind: 'geo' }>): Doc[][] {
  const sign = direction === 'asc' ? 1 : -1;
  const points = group.flatMap((document, at) => {
    if (document._geo === null) return [];
    return [{ document, at, metres: distanceMetres(lat, lng, document._geo.lat, document._geo.lng) }];
  });
  const rounded = points.length < 1_000 ? Math.trunc : (metres: number): number => metres;
  points.sort((a, b) => (rounded(a.metres) - rounded(b.metres) || a.at - b.at) * sign);
  const buckets: Doc[][] = [];
  let first = Number.NaN;
  for (const { document, metres } of points) {
    const bucket = buckets.at(-1);
    if (bucket !== undefined && bucket.length < 1_000 && Math.abs(metres - first) <= 1) bucket.push(document);
    else {
      buckets.push([document]);
      first = metres;
    }
  }
  const none = group.filter(({ _geo }) => _geo === null);
  for (const bucket of buckets) bucket.sort((a, b) => a.id - b.id);
  return none.length === 0 ? buckets : [...buckets, none];
}

/** Documents with few or many different values in each field, several of them or none; points metres apart, the same ones, or none. */
function randomDocument(id: number, random: Random): Doc {
  const value = (kinds: number): Value => (random(4) === 0 ? `t${random(kinds)}` : random(kinds));
  const values = (kinds: number): Value | Value[] | null =>
    random(5) === 0 ? null : random(3) === 0 ? Array.from({ length: random(4) }, () => value(kinds)) : value(kinds);
  const metre = 1e-5;
  const point = { lat: 10 + random(3) + random(6) * metre, lng: 20 + random(3) + random(6) * metre };
  return { id, few: values(3), some: values(20), many: values(5_000), _geo: random(6) === 0 ? null : point };
}

const SORTABLE = ['few', 'some', 'many', '_geo'];

function randomSort(random: Random): string[] {
  const entry = (): string => {
    const direction = random(2) === 0 ? 'asc' : 'desc';
    if (random(3) === 0) return `_geoPoint(${10 + random(3)}, ${20 + random(2)}):${direction}`;
    return `${SORTABLE[random(3)]}:${direction}`;
  };
  return Array.from({ length: 1 + random(6) }, entry);
}

let index: ScratchIndex | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await index?.close();
  index = undefined;
});

const pageOf = (sort: readonly string[], limit: number, offset = 0) => ({
  offset,
  limit,
  ids: null,
  filter: null,
  sort,
});
const idsOf = (view: IndexView, sort: readonly string[], limit: number, offset = 0): unknown[] =>
  listDocuments(view, pageOf(sort, limit, offset)).documents.map(({ id }) => id);

describe.each([
  ['few documents', 60, 12, 40],
  ['many documents', 3_600, 2, 14],
])('%s of several segments', (_, count, indexCount, sortCount) => {
  test(`come in the order that the entries mean, whatever the page (seed ${seed})`, async () => {
    const random = randomOf(seed + count);
    for (let round = 0; round < indexCount; round++) {
      const documents = Array.from({ length: count }, (_each, id) => randomDocument(id, random));
      index = await openScratchIndex(documents, { sortableAttributes: SORTABLE });
      for (let batch = 0; batch < 2; batch++) {
        const changed = Array.from({ length: count / 10 }, () => randomDocument(random(count), random));
        for (const document of changed) documents[document.id] = document;
        await index.add([...new Map(changed.map((document) => [document.id, document])).values()]);
      }
      index.inView((view) => {
        for (let each = 0; each < sortCount; each++) {
          const sort = randomSort(random);
          const expected = expectedOrder(documents, parseSort(sort));
          const offset = random(3) === 0 ? random(count) : 0;
          for (const limit of [1 + random(20), 1 + random(count), 2 * count])
            expect(idsOf(view, sort, limit, offset), sort.join()).toEqual(expected.slice(offset, offset + limit));
        }
      });
      await index.close();
      index = undefined;
    }
  }, 300_000);
});

test('a group of more than a thousand points is sorted by exact distance, and cut into buckets of a thousand', async () => {
  const documents = Array.from({ length: 2_600 }, (_, id) => ({
    id,
    kind: id % 13 === 0 ? 1 : 0,
    order: (id * 7) % 11,
    // a third of them in one place
    _geo: { lat: id % 3 === 0 ? 1 : 1 + ((id * 37) % 2_000) / 1e6, lng: 2 },
  }));
  index = await openScratchIndex(documents, { sortableAttributes: ['kind', 'order', '_geo'] });
  index.inView((view) => {
    for (const sort of [
      ['_geoPoint(1, 2):asc', 'order:asc'],
      ['_geoPoint(1, 2):desc', 'order:desc'],
      ['kind:asc', '_geoPoint(1, 2):asc', 'order:asc'],
      ['kind:asc', '_geoPoint(1.0001, 2):desc', '_geoPoint(1, 2):asc', 'order:asc'],
    ]) {
      const expected = expectedOrder(documents, parseSort(sort));
      for (const limit of [700, 2_500, 2_600]) expect(idsOf(view, sort, limit)).toEqual(expected.slice(0, limit));
    }
  });
});

/** How often columns of fields, and the points, were opened for `work`. */
function openedBy(
  view: IndexView,
  work: (view: IndexView) => void,
): { readonly columns: number; readonly points: number } {
  const opened = { columns: 0, points: 0 };
  const segments = view.segments.map((segment) =>
    Object.create(segment, {
      column: {
        value: (field: string) => {
          opened.columns += 1;
          return segment.column(field);
        },
      },
      geoPoints: {
        value: () => {
          opened.points += 1;
          return (segment as ColumnSegment).geoPoints();
        },
      },
    }),
  );
  work(Object.create(view, { segments: { value: segments } }));
  return opened;
}

describe('the work of many entries', () => {
  const documents = Array.from({ length: 2_500 }, (_, id) => ({
    id,
    same: 1,
    twin: id >> 1,
    own: (id * 7) % 2_500,
    _geo: { lat: ((id * 37) % 2_500) / 50, lng: ((id * 91) % 2_500) / 50 },
  }));
  const sortableAttributes = ['same', 'twin', 'own', '_geo'];
  const repeated = (...entries: readonly string[]): string[] =>
    Array.from({ length: 10_000 }, (_, i) => entries[i % entries.length]!);
  const points = (count: number): string[] => Array.from({ length: count }, (_, i) => `_geoPoint(${i / 2}, ${i}):asc`);

  test.each([20, 900, 2_400, 5_000])('is that of the different ones, for a page of %i', async (limit) => {
    index = await openScratchIndex(documents, { sortableAttributes });
    index.inView((view) => {
      const opened = (sort: readonly string[]) =>
        openedBy(view, (counted) => listDocuments(counted, pageOf(sort, limit)));
      const segmentCount = view.segments.length;
      expect(opened(repeated('same:asc')).columns).toBe(segmentCount);
      expect(opened(repeated('same:asc', 'same:desc')).columns).toBe(2 * segmentCount);
      // nothing is equal any more after the first
      expect(opened(['own:asc', 'twin:asc', 'same:asc', ...points(90)])).toEqual({ columns: segmentCount, points: 0 });
      // each entry looks once at all documents that are equal so far, not once at each pair of them
      expect(opened(['twin:asc', 'same:asc', 'same:desc']).columns).toBeLessThanOrEqual(4 * segmentCount);
      // points are read once for the ties of the page, and once for the documents that it has a part of
      expect(opened(points(100)).points).toBeLessThanOrEqual(2 * segmentCount);
      expect(opened(['twin:asc', ...points(90), 'same:asc']).points).toBeLessThanOrEqual(2 * segmentCount);
    });
  });

  test('takes no more memory of the kernel for many entries than for few', async () => {
    index = await openScratchIndex(documents, { sortableAttributes });
    index.inView((view) => {
      const marks = (sort: readonly string[], limit: number): number => {
        const clock = vi.spyOn(performance, 'now');
        let most = 0;
        clock.mockImplementation(() => {
          most = Math.max(most, Number(view.kernel.memory.mark()));
          return 0;
        });
        listDocuments(view, pageOf(sort, limit));
        clock.mockRestore();
        return most;
      };
      for (const limit of [900, 2_400]) {
        const few = marks(['same:asc', ...points(3)], limit);
        expect(marks(['same:asc', 'same:desc', ...points(95)], limit)).toBe(few);
      }
    });
  });

  test('is refused beyond a hundred different ones', async () => {
    index = await openScratchIndex(documents.slice(0, 100), { sortableAttributes });
    index.inView((view) => {
      expect(idsOf(view, [...points(100), ...points(100)], 100)).toHaveLength(100);
      expect(() => idsOf(view, points(101), 100)).toThrow(
        expect.objectContaining({
          code: 'invalid_document_sort',
          message: '`sort` has 101 different entries, and at most 100 are taken.',
        }),
      );
    });
  });

  test(`ends at any moment after the deadline, with an error of the request (seed ${seed})`, async () => {
    const random = randomOf(seed);
    index = await openScratchIndex(documents, { sortableAttributes, searchCutoffMs: 12_000 });
    index.inView((view) => {
      const sorts = [['same:asc', ...points(20)], ['twin:desc', 'same:asc', '_geoPoint(1, 1):desc'], points(3)];
      for (const [sort, limit] of sorts.flatMap((each) => [900, 2_400].map((many) => [each, many] as const))) {
        const expected = idsOf(view, sort, limit);
        const { onPause } = view.kernel;
        const until = (look: number, afterMs: number): { looks: number; error: unknown } => {
          let looks = 0;
          const clock = vi.spyOn(performance, 'now').mockImplementation(() => (++looks > look ? afterMs : 0));
          let error: unknown;
          try {
            // none of the documents that it sorts is read
            listDocuments(view, pageOf(sort, 0, limit));
          } catch (thrown) {
            error = thrown;
          }
          clock.mockRestore();
          return { looks, error };
        };
        const { looks } = until(Number.POSITIVE_INFINITY, 0);
        expect(until(1, 11_900).error).toBeUndefined();
        for (let tries = 0; tries < 10; tries++) {
          const mark = view.kernel.memory.mark();
          const look = 1 + random(looks);
          const ended = until(look, 12_100);
          // reads of the store look at the clock for themselves, and a call of the kernel once more or less than before
          expect(ended.looks).toBeLessThan(look + 10);
          if (ended.error === undefined) expect(look).toBeGreaterThan(looks - 10);
          else
            expect(ended.error).toMatchObject({
              code: 'invalid_document_sort',
              message: expect.stringMatching(/^Sorting took longer than 12 seconds\. /),
            });
          expect(view.kernel.memory.mark()).toBe(mark);
          expect(view.kernel.onPause).toBe(onPause);
        }
        expect(idsOf(view, sort, limit)).toEqual(expected);
      }
    });
  });
});
