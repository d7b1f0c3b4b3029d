import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import { expiryOf } from '@fossick/columns';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const seed = TEST_SEED;
const START = Date.UTC(2030, 0, 1, 12);
const SETTINGS = {
  expiryAttribute: 'until',
  filterableAttributes: ['kind', 'id'],
  sortableAttributes: ['id'],
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
} as const;

let open: ScratchIndex[] = [];
async function scratch(documents: readonly object[], more: object = {}): Promise<ScratchIndex> {
  const index = await openScratchIndex(documents, { ...SETTINGS, ...more } as never);
  open.push(index);
  return index;
}
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const index of open) await index.close();
  open = [];
});
const at = (seconds: number): void => void vi.setSystemTime(START + seconds * 1_000);

/** What a document is in all kinds of reads. */
function found(index: ScratchIndex): Record<string, unknown> {
  const ids = (request: object): unknown[] => [...index.idsOf({ limit: 100, ...request } as never)].sort();
  const { facetDistribution, estimatedTotalHits } = index.search({
    facets: ['kind'],
    limit: 100,
  } as never) as never as {
    facetDistribution: { readonly kind?: object };
    estimatedTotalHits: number;
  };
  return {
    all: ids({}),
    words: ids({ q: 'word' }),
    prefix: ids({ q: 'wo' }),
    typo: ids({ q: 'wrod' }),
    sorted: ids({ sort: ['id:desc'] }),
    filtered: ids({ filter: 'kind = a' }),
    not: ids({ filter: 'NOT kind = a' }),
    exists: ids({ filter: 'id EXISTS' }),
    vector: ids({ vector: [1, 0], hybrid: { embedder: 'e', semanticRatio: 1 } }),
    hybrid: ids({ q: 'word', vector: [1, 0], hybrid: { embedder: 'e', semanticRatio: 0.5 } }),
    // a field that only expired documents have is known, as that of deleted ones is
    facets: facetDistribution.kind ?? {},
    total: estimatedTotalHits,
    stored: index.inView((view) =>
      Array.from({ length: 100 }, (_, id) => view.docIdOf(String(id))).flatMap((docId, id) =>
        docId === undefined ? [] : [id],
      ),
    ),
    count: index.inView((view) => view.documentCount),
  };
}

/** The slow and obvious model: documents that have expired do not exist. */
async function modelOf(documents: readonly object[], nowMs: number): Promise<Record<string, unknown>> {
  const isLive = ({ until }: { until?: unknown }): boolean => {
    const values = Array.isArray(until) ? until.flat(9) : [until];
    return values.every((value) => expiryOf(value) > nowMs);
  };
  return found(
    await scratch(
      documents.filter((each) => isLive(each)),
      { expiryAttribute: null },
    ),
  );
}

const seconds = fc.integer({ min: -30, max: 60 });
const until = fc.oneof(
  seconds.map((plus) => START / 1_000 + plus),
  seconds.map((plus) => START + plus * 1_000 + 1),
  seconds.map((plus) => new Date(START + plus * 1_000).toISOString()),
  seconds.map((plus) => new Date(START + plus * 1_000 + 7_200_000).toISOString().replace('Z', '+02:00')),
  fc.array(
    seconds.map((plus) => START / 1_000 + plus),
    { maxLength: 3 },
  ),
  fc.constantFrom(undefined, null, 0, -1, 'never', '', true, {}),
);
const documents = fc
  .array(fc.record({ until, kind: fc.constantFrom('a', 'b') }), { minLength: 1, maxLength: 25 })
  .map((list) => list.map((each, id) => ({ id, text: `word ${id}`, _vectors: { e: [1, id] }, ...each })));

test('every read is that of an index without the documents that have expired', async () => {
  await fc.assert(
    fc.asyncProperty(
      documents,
      documents,
      fc.array(fc.integer({ min: 0, max: 70 }), { minLength: 1, maxLength: 4 }),
      async (first, later, times) => {
        at(0);
        const index = await scratch(first);
        const all = new Map(first.map((each) => [each.id, each]));
        expect(found(index)).toEqual(await modelOf([...all.values()], START));
        for (const [round, time] of times.sort((left, right) => left - right).entries()) {
          at(time);
          if (round === 1) {
            // some of them are extended or shortened, in a segment of their own
            const changed = later.map((each) => ({ ...each, id: each.id * 2 }));
            await index.add(changed);
            for (const each of changed) all.set(each.id, each);
          }
          expect(found(index)).toEqual(await modelOf([...all.values()], START + time * 1_000));
        }
        await Promise.all(open.splice(0).map((each) => each.close()));
      },
    ),
    { numRuns: runsOf(12), seed },
  );
}, 180_000);

test('a document is there until the last millisecond, and a cached answer does not outlive it', async () => {
  const given = [
    { id: 1, text: 'word', until: START / 1_000 + 10 },
    { id: 2, text: 'word' },
  ];
  const index = await scratch(given, { embedders: {} });
  vi.setSystemTime(START + 9_999);
  expect(index.idsOf({ q: 'word' })).toEqual([1, 2]);
  expect(index.idsOf({ q: 'word' })).toEqual([1, 2]);
  vi.setSystemTime(START + 10_000);
  expect(index.idsOf({ q: 'word' })).toEqual([2]);
});

test('a change of the setting applies to stored documents, in both directions', async () => {
  const index = await scratch(
    [
      { id: 1, until: 5 },
      { id: 2, end: 5 },
      { id: 3, nested: { end: 5 } },
    ],
    { expiryAttribute: null, embedders: {} },
  );
  expect(index.idsOf({})).toEqual([1, 2, 3]);
  await index.change({ expiryAttribute: 'until' });
  expect(index.idsOf({})).toEqual([2, 3]);
  await index.change({ expiryAttribute: 'end' });
  expect(index.idsOf({})).toEqual([1, 3]);
  await index.change({ expiryAttribute: 'nested.end' });
  expect(index.idsOf({})).toEqual([1, 2]);
  await index.change({ expiryAttribute: null });
  expect(index.idsOf({})).toEqual([1, 2, 3]);
});
