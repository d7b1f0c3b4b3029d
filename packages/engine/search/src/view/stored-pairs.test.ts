import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deletePart, PARTS, readManifest, segmentKey, TABLES } from '@fossick/format';
import { openLmdbStore } from '@fossick/storage';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answers, createIndex, documentsOf, emptyDocuments, write } from './windowed-index.test-support.js';

/** Four segments of one tier, which merge into one that is large enough for pairs. */
const SEGMENT_COUNT = 4;
const SEGMENT_DOCS = 40_000;
const DOCUMENT_COUNT = 9_500;

const folder = mkdtempSync(join(tmpdir(), 'fossick-pairs-'));
const rootFolder = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One merged segment with pairs, of which some documents are replaced since, in one without. */
async function writeIndex(): Promise<void> {
  const all = documentsOf(DOCUMENT_COUNT);
  await createIndex(rootFolder);
  const empty = Array.from({ length: SEGMENT_COUNT - 1 }, (_, at) => emptyDocuments(SEGMENT_DOCS, at * SEGMENT_DOCS));
  await write(rootFolder, [...empty, [...all, ...emptyDocuments(SEGMENT_DOCS - DOCUMENT_COUNT, 200_000)]], true);
  await write(rootFolder, [
    all.filter((_, at) => at % 97 === 0).map((document) => ({ ...document, title: 'the replaced film' })),
  ]);
}

beforeAll(writeIndex, 120_000);

test.each(['"the film"', '"the film the"', '"the the film"'])('the phrase %s is looked up in the pairs', (q) => {
  const lookUps: ReturnType<typeof vi.fn>[] = [];
  const [answer] = answers(rootFolder, undefined, [{ q }], ({ segments }) => {
    for (const segment of segments) lookUps.push(vi.spyOn(segment, 'orStoredAdjacent') as never);
  });
  expect(lookUps.flatMap(({ mock }) => mock.results.map(({ value }) => value))).toContain(true);
  expect(answer!.count).toBeGreaterThan(0);
});

test('answers are the same with the pairs that were written and without them', async () => {
  const withPairs = answers(rootFolder);
  const [name] = readdirSync(join(rootFolder, 'indexes'));
  const store = openLmdbStore({ folder: join(rootFolder, 'indexes', name!) });
  const removed = store.transaction((rows) => {
    const { segments } = readManifest(rows);
    return segments.filter(({ id }) => {
      const hadSome = rows.get(TABLES.segments, segmentKey(id, PARTS.pairs, 0)) !== undefined;
      deletePart(rows, id, PARTS.pairHeader);
      deletePart(rows, id, PARTS.pairs);
      return hadSome;
    }).length;
  });
  await store.close();
  expect(removed).toBe(1);
  expect(answers(rootFolder)).toEqual(withPairs);
}, 120_000);
