import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import { orderedEntries } from '@fossick/documents';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

type Value = number | string;
interface Doc {
  readonly id: number;
  readonly value?: Value | null | readonly Value[];
}

const DOC_BOUND = 90;
const scalar = fc.oneof(
  fc.constantFrom('Noir', 'noir', 'drama', 'Été', 'x', '7', 'zebra', 'A b'),
  fc.constantFrom(-1.5, 0, 7, 7.25, 10, 1e6),
);
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
);
const doc = fc
  .tuple(fc.nat(DOC_BOUND - 1), value, fc.nat(9))
  .map(([id, held, luck]): Doc => (luck === 0 ? { id } : { id, value: held }));
const batches = fc.array(fc.array(doc, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 4 });

const keyOf = (one: Value): string =>
  typeof one === 'number' ? `n${one}` : `s${one.trim().normalize('NFKD').toLowerCase()}`;
const valuesOf = ({ value: held }: Doc): Value[] =>
  held === undefined || held === null ? [] : Array.isArray(held) ? [...held] : [held as Value];
const compareKeys = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Documents in the order in which the index numbers them: that in which their ids came. */
function written(all: readonly (readonly Doc[])[]): Doc[] {
  const found = new Map<number, Doc>();
  for (const batch of all) for (const one of batch) found.set(one.id, one);
  return [...found.values()];
}

/** The first value in the order of a sort: numbers before strings in either direction. */
function firstValue(one: Doc, isDescending: boolean): Value | undefined {
  const numbers = valuesOf(one).filter((held) => typeof held === 'number');
  if (numbers.length > 0) return isDescending ? Math.max(...numbers) : Math.min(...numbers);
  const keys = valuesOf(one)
    .map((held) => keyOf(held))
    .sort(compareKeys);
  return isDescending ? keys.at(-1) : keys[0];
}

function sortedIds(docs: readonly Doc[], isDescending: boolean): number[] {
  const sign = isDescending ? -1 : 1;
  const rank = (held: Value | undefined): number => (held === undefined ? 2 : typeof held === 'string' ? 1 : 0);
  return docs
    .map((one, at) => ({ one, at, first: firstValue(one, isDescending) }))
    .sort((a, b) => {
      const bySide = rank(a.first) - rank(b.first);
      if (bySide !== 0 || a.first === undefined) return bySide || a.at - b.at;
      const byValue =
        typeof a.first === 'number' ? a.first - (b.first as number) : compareKeys(a.first, b.first as string);
      return byValue * sign || a.at - b.at;
    })
    .map(({ one }) => one.id);
}

function distinctDocs(docs: readonly Doc[]): Doc[] {
  const met = new Set<string>();
  return docs.filter((one) => {
    const keys = valuesOf(one).map(keyOf);
    if (keys.some((key) => met.has(key))) return false;
    for (const key of keys) met.add(key);
    return true;
  });
}

const compareValues = (a: string, b: string): number =>
  a[0] === 'n' && b[0] === 'n' ? Number(a.slice(1)) - Number(b.slice(1)) : compareKeys(a, b);

/** Documents by value: a text that is spelled like a number which some document has is that number. */
function countsOf(docs: readonly Doc[]): Map<string, number> {
  const numbers = new Set(docs.flatMap((one) => valuesOf(one).map(keyOf)).filter((key) => key.startsWith('n')));
  const asNumber = (key: string): string => (numbers.has(`n${key.slice(1)}`) ? `n${key.slice(1)}` : key);
  const counts = new Map<string, number>();
  for (const one of docs)
    for (const key of new Set(valuesOf(one).map((held) => asNumber(keyOf(held)))))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Numbers by count, then strings; of equal counts the larger first. */
function checkOrderByCount(index: ScratchIndex, docs: readonly Doc[]): void {
  const counts = countsOf(docs);
  const ordered = [...counts].sort(
    (a, b) => compareKeys(a[0][0]!, b[0][0]!) || b[1] - a[1] || compareValues(b[0], a[0]),
  );
  const { facetDistribution } = index.search({ facets: ['value'] });
  const found = orderedEntries(facetDistribution!['value'] ?? {}).map(([text, count]) => [keyOf(text).slice(1), count]);
  const expected = new Map(ordered.map(([key, count]) => [key.slice(1), count]));
  expect(new Map(found as [string, number][])).toEqual(expected);
  const byKind = found.map(([text]) => text);
  expect(byKind).toEqual([...expected.keys()]);
}

function checkAll(index: ScratchIndex, docs: readonly Doc[], few: readonly number[]): void {
  for (const wanted of [null, few] as const) {
    const filter = wanted === null ? null : `id IN [${wanted.join()}]`;
    const chosen = wanted === null ? docs : docs.filter(({ id }) => wanted.includes(id));
    for (const direction of ['asc', 'desc']) {
      const ids = index.idsOf({ filter, sort: [`value:${direction}`], limit: DOC_BOUND });
      expect(ids).toEqual(sortedIds(chosen, direction === 'desc'));
    }
    // a bucket that is made distinct as a whole, and a page that ends early
    const expected = distinctDocs(chosen).map(({ id }) => id);
    const whole = index.search({ filter, distinct: 'value', q: 'word', limit: DOC_BOUND });
    expect(whole.hits.map(({ id }) => id)).toEqual(expected);
    expect(whole).toMatchObject({ estimatedTotalHits: expected.length });
    expect(index.idsOf({ filter, distinct: 'value', limit: 5 })).toEqual(expected.slice(0, 5));
    const counts = countsOf(chosen);
    const { facetDistribution, facetStats } = index.search({ filter, facets: ['value'] });
    const shown = new Map([...counts].sort().map(([key, count]) => [key.slice(1), count]));
    const folded = Object.entries(facetDistribution!['value'] ?? {}).map(([text, count]) => [
      keyOf(text).slice(1),
      count,
    ]);
    expect(new Map(folded as [string, number][])).toEqual(shown);
    const numbers = chosen.flatMap(valuesOf).filter((held) => typeof held === 'number');
    const stats = numbers.length === 0 ? {} : { value: { min: Math.min(...numbers), max: Math.max(...numbers) } };
    expect(facetStats).toEqual(stats);
    for (const [key, count] of counts) {
      const { hits } = index.search({
        filter: `${filter === null ? '' : `${filter} AND `}value = "${key.slice(1)}"`,
        limit: DOC_BOUND,
      });
      expect(hits.length).toBe(count);
    }
  }
}

test('sorting, distinct, counts and filters are those of a plain list, in any segments', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.uniqueArray(fc.nat(DOC_BOUND - 1), { maxLength: 3 }), async (all, few) => {
      const index = await openScratchIndex([], {
        filterableAttributes: ['value', 'id'],
        sortableAttributes: ['value'],
        searchableAttributes: ['text'],
      });
      try {
        for (const batch of all) await index.add(batch.map((one) => ({ ...one, text: 'word' })));
        // what is asked a few times is answered from tables that were made meanwhile
        for (let times = 0; times < 3; times++) checkAll(index, written(all), few);
        await index.change({ faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'count' } } });
        checkOrderByCount(index, written(all));
      } finally {
        await index.close();
      }
    }),
    { numRuns: runsOf(25), seed: TEST_SEED },
  );
});
