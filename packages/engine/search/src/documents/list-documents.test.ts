import { pruneFields, Selectors } from '@fossick/documents';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openScratchIndex } from '../scratch-index.test-support.js';
import { listDocumentBytes, listDocuments } from './list-documents.js';

const value = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom('a', 'B', 'b', 'ä', '', null, '1'),
  fc.array(fc.constantFrom(1, 2, 'b', 'c'), { maxLength: 3 }),
);

test('many sorted documents come in the order in which few of them come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 30 }),
      fc.constantFrom('asc', 'desc'),
      fc.constantFrom('asc', 'desc'),
      async (pairs, one, two) => {
        const documents = pairs.map(([a, b], id) => ({ id, a, ...(b === null ? {} : { b }) }));
        const index = await openScratchIndex(documents, { sortableAttributes: ['a', 'b'] });
        try {
          const idsOf = (limit: number): unknown =>
            index.inView((view) =>
              listDocuments(view, {
                offset: 0,
                limit,
                ids: null,
                filter: null,
                sort: [`a:${one}`, `b:${two}`],
              }).documents.map(({ id }) => id),
            );
          expect(idsOf(5_000)).toEqual(idsOf(100));
        } finally {
          await index.close();
        }
      },
    ),
    { numRuns: 20 },
  );
});

test('a page as bytes holds what the documents hold', async () => {
  const documents = [
    { id: 1, a: { b: [{ c: 1, d: 2 }], 'x.y': 3 }, z: 1.0, _vectors: { e: [1] } },
    { id: 2, 'a.b': 'flat', n: null },
  ];
  const index = await openScratchIndex(documents, {});
  const query = { offset: 0, limit: 10, ids: null, filter: null, sort: null };
  const page = (fields: readonly string[] | null): unknown =>
    index.inView((view) => JSON.parse(listDocumentBytes(view, query, { fields, retrieveVectors: false }).toString()));
  expect(page(null)).toEqual({
    results: documents.map(({ _vectors, ...rest }: Record<string, unknown>) => rest),
    offset: 0,
    limit: 10,
    total: 2,
  });
  expect(page(['a.b.c', 'n'])).toMatchObject({ results: [{ a: { b: [{ c: 1 }] } }, { n: null }] });
  expect(page(['a.b'])).toMatchObject({ results: [{ a: { b: [{ c: 1, d: 2 }] } }, { 'a.b': 'flat' }] });
  expect(page([])).toMatchObject({ results: [{}, {}] });
  await index.close();
});

test('many selectors are read once, not for every document', () => {
  let reads = 0;
  const selection = new Selectors({
    [Symbol.iterator]: () => {
      reads += 1;
      return Array.from({ length: 200_000 }, (_, i) => `f${i}.g`).values();
    },
  });
  const document = { f7: { g: 1, h: 2 }, id: 1 };
  for (let round = 0; round < 1_000; round++) expect(pruneFields(document, selection)).toEqual({ f7: { g: 1 } });
  expect(reads).toBe(1);
});
