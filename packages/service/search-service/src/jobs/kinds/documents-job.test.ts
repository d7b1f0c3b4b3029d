import type { DocumentsQuery } from '@fossick/search';
import { expect, it } from 'vitest';
import { weightOfListing } from './documents-job.js';
import type { SizeOf } from './job.js';

const sizeOf =
  (documentCount: number): SizeOf =>
  () => ({
    documentCount,
    documentBytes: documentCount * 20,
    settingsBytes: 0,
    facetValuesMax: 100,
    scoreUnits: 0,
    isLarge: documentCount > 100_000,
  });
const entries = (count: number): string[] => Array.from({ length: count }, (_, i) => `_geoPoint(${i % 90}, 0):asc`);

it.each<[documents: number, entryCount: number | null, query: Partial<DocumentsQuery>, weight: string]>([
  [20_000, 1, {}, 'light'],
  [20_000, 3, {}, 'light'],
  [20_000, 3, { offset: 19_000 }, 'heavy'],
  [20_000, 1, { offset: 19_000 }, 'light'],
  [20_000, null, { offset: 19_000 }, 'light'],
  [20_001, 1, {}, 'heavy'],
  [20_000, 4, {}, 'heavy'],
  [1_000, 100, {}, 'heavy'],
  [200, 100, {}, 'light'],
  [200, 10_000, {}, 'heavy'],
  [200, 0, {}, 'light'],
])('a listing of %d documents by %s entries, %j', (documentCount, entryCount, query, weight) => {
  const sort = entryCount === null ? null : entries(entryCount);
  const listed = { offset: 0, limit: 20, ids: null, filter: null, sort, ...query };
  expect(weightOfListing({ indexUid: 'a', query: listed, shown: { fields: null } }, sizeOf(documentCount))).toBe(
    weight,
  );
});
