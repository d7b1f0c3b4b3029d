import type { DocId, SegmentId } from '@fossick/base';
import { bitCount, DocSet, decodeDocSet, encodeDocSet, PAGE_DOCS, rowsOf } from '@fossick/format';
import { openMemoryStore } from '@fossick/storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deletedPagesOf, docPagesOf, pagesBelow, readPages, StoredDocs, writePages } from './doc-pages.js';

const BOUND = PAGE_DOCS * 3 + 100;
/** Docids near the ends of pages and words, and any others. */
const docId = fc.oneof(
  fc.nat(70),
  fc.integer({ min: PAGE_DOCS - 40, max: PAGE_DOCS + 40 }),
  fc.nat(BOUND - 1),
  fc.constantFrom(0, 31, 32, PAGE_DOCS - 1, PAGE_DOCS, PAGE_DOCS * 3 - 1, BOUND - 1),
);
/** Runs of neighbours, because pages have two encodings. */
const docIds = fc
  .array(fc.tuple(docId, fc.oneof(fc.constant(1), fc.nat(3_000))), { maxLength: 12 })
  .map((runs) => runs.flatMap(([from, length]) => Array.from({ length }, (_, at) => Math.min(BOUND - 1, from + at))));
const setOf = (ids: Iterable<number>): DocSet => {
  const set = new DocSet();
  for (const id of ids) set.add(id as DocId);
  return set;
};
const sorted = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((left, right) => left - right);

describe('a set of documents', () => {
  it('is what its operations make of it', () => {
    fc.assert(
      fc.property(docIds, docIds, docIds, (one, other, third) => {
        const set = setOf(one);
        expect([...set.toArray()]).toEqual(sorted(one));
        expect(set.count).toBe(new Set(one).size);
        expect(set.bound).toBe(sorted(one).length === 0 ? 0 : sorted(one).at(-1)! + 1);
        expect([...decodeDocSet(encodeDocSet(set)).toArray()]).toEqual(sorted(one));
        set.addWithout(setOf(other), setOf(third));
        const added = [...one, ...other.filter((id) => !third.includes(id))];
        expect([...set.toArray(), set.count]).toEqual([...sorted(added), sorted(added).length]);
        set.keepOnly(setOf(third));
        const kept = sorted(added).filter((id) => third.includes(id));
        expect([...set.toArray(), set.count]).toEqual([...kept, kept.length]);
        const words = new Uint32Array(setOf(one).bitmapBytes(BOUND >> 5).buffer);
        expect(words.reduce((sum, word) => sum + bitCount(word), 0)).toBe(
          sorted(one).filter((id) => id < (BOUND >> 5) * 32).length,
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('documents in pages of rows', () => {
  const location = docPagesOf(7 as SegmentId);
  type Step = { readonly kind: 'add' | 'delete' | 'write' | 'clear' | 'reopen'; readonly id: DocId };
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom('add' as const, 'delete' as const) },
      { weight: 2, arbitrary: fc.constantFrom('write' as const, 'reopen' as const) },
      { weight: 1, arbitrary: fc.constant('clear' as const) },
    ),
    id: docId.map((id) => id as DocId),
  });

  it('are a set, whatever was written in between', () => {
    fc.assert(
      fc.property(docIds, fc.array(step, { maxLength: 60 }), docId, (first, steps, from) => {
        const store = openMemoryStore();
        store.transaction((rows) => {
          writePages(rows, location, setOf(first));
          writePages(rows, deletedPagesOf(7 as SegmentId), setOf([1, 2, 3]));
        });
        const model = new Set(first);
        store.transaction((rows) => {
          let docs = new StoredDocs(rows, location, model.size);
          for (const { kind, id } of steps) {
            if (kind === 'add') expect(docs.add(id)).toBe(!model.has(id));
            else if (kind === 'delete') expect(docs.delete(id)).toBe(model.has(id));
            else if (kind === 'clear') docs.clear();
            else docs.write();
            if (kind === 'reopen') docs = new StoredDocs(rows, location, model.size);
            if (kind === 'add') model.add(id);
            else if (kind === 'delete') model.delete(id);
            else if (kind === 'clear') model.clear();
            expect([docs.count, docs.has(id)]).toEqual([model.size, model.has(id)]);
          }
          let free = from;
          while (model.has(free)) free += 1;
          expect(docs.nextFree(from)).toBe(free);
          expect([...docs.toArray(BOUND)]).toEqual(sorted(model));
          docs.write();
        });
        expect([...readPages(rowsOf(store), location, pagesBelow(BOUND)).toArray()]).toEqual(sorted(model));
        expect([...readPages(rowsOf(store), deletedPagesOf(7 as SegmentId), 1).toArray()]).toEqual([1, 2, 3]);
      }),
      { numRuns: 60 },
    );
  });

  it('are written page by page', () => {
    const store = openMemoryStore();
    store.transaction((rows) =>
      writePages(rows, location, setOf(Array.from({ length: BOUND }, (_, id) => id).filter((id) => id !== 9))),
    );
    store.transaction((rows) => {
      const puts: number[] = [];
      const docs = new StoredDocs(
        { ...rows, put: (_table, _key, value) => puts.push(value.length) },
        location,
        BOUND - 1,
      );
      docs.delete((PAGE_DOCS * 2) as DocId);
      expect(docs.write()).toEqual([2]);
      expect(puts).toEqual([1 + PAGE_DOCS / 8]);
      expect(docs.write()).toEqual([]);
    });
  });
});
