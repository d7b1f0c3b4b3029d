import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SegmentId } from '@fossick/base';
import { addition } from '@fossick/documents/addition.test-support';
import { type IndexManifest, readManifest, rowsOf, TABLES } from '@fossick/format';
import type { SettingsPatch } from '@fossick/settings';
import { openLmdbStore } from '@fossick/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEngineReader } from '../open-reader.js';
import { openEngineWriter } from '../open-writer.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from './write-context.js';

let folder: string;
let writer: EngineWriter;
let reader: EngineReader;
let steps: string[];
const context: WriteContext = {
  isCanceled: () => false,
  onProgress: (step) => steps.push(step),
  maxIndexingBytes: 64 << 20,
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-reindex-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  writer = openEngineWriter(options);
  reader = openEngineReader(options);
  steps = [];
  for (const from of [0, 100]) {
    const payloadFile = join(folder, `${from}.ndjson`);
    const lines = Array.from({ length: 100 }, (_, at) => {
      const id = from + at;
      return JSON.stringify({ id, title: `word${id}`, year: 1900 + (id % 10), kind: id % 2 === 0 ? 'even' : 'odd' });
    });
    writeFileSync(payloadFile, lines.join('\n'));
    await writer.applyDocuments('books', [addition(payloadFile)], context);
  }
  await writer.applyDocuments('books', [{ type: 'documentDeletion', target: { by: 'ids', ids: ['4', '5'] } }], context);
  steps = [];
});
afterEach(async () => {
  await reader.close();
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

async function manifest(): Promise<IndexManifest> {
  const [index] = readdirSync(join(folder, 'data', 'indexes'));
  const store = openLmdbStore({ folder: join(folder, 'data', 'indexes', index!) });
  const found = readManifest(rowsOf(store));
  await store.close();
  return found;
}
/** Ids that rows of segments are under. */
async function rowIds(): Promise<number[]> {
  const [index] = readdirSync(join(folder, 'data', 'indexes'));
  const store = openLmdbStore({ folder: join(folder, 'data', 'indexes', index!) });
  const ids = [...store.table(TABLES.segments).range({})].map(({ key }) => Buffer.from(key).readUInt32BE(0));
  await store.close();
  return ids;
}
const segmentIds = async (): Promise<number[]> => (await manifest()).segments.map(({ id }) => id);
const apply = (patch: SettingsPatch): Promise<void> => writer.applySettings('books', [patch], context);
/** Documents a filter matches, as the deletion of them counts. */
async function matching(filter: string): Promise<number | undefined> {
  const [outcome] = await writer.applyDocuments(
    'books',
    [{ type: 'documentDeletion', target: { by: 'filter', filter } }],
    context,
  );
  return outcome?.deletedDocuments;
}

describe('a change of settings', () => {
  it.each<[string, SettingsPatch]>([
    ['synonyms', { synonyms: { word1: ['word2'] } }],
    ['displayed attributes', { displayedAttributes: ['title'] }],
    ['ranking rules', { rankingRules: ['words', 'typo'] }],
    ['pagination', { pagination: { maxTotalHits: 5 } }],
  ])('of %s leaves segments and columns alone', async (_name, patch) => {
    const before = await manifest();
    await apply(patch);
    expect((await manifest()).segments).toEqual(before.segments);
    expect(steps).not.toContain('extracting words');
    expect(steps).not.toContain('extracting facets');
  });

  it.each<[string, SettingsPatch, string[]]>([
    ['filterable attributes', { filterableAttributes: ['year'] }, ['year']],
    ['sortable attributes', { sortableAttributes: ['year'] }, ['year']],
    ['the distinct attribute', { distinctAttribute: 'kind' }, ['kind']],
    ['a sort among the ranking rules', { rankingRules: ['words', 'year:desc'] }, ['year']],
  ])('of %s builds columns only', async (_name, patch, fields) => {
    const before = await segmentIds();
    await apply(patch);
    expect(await segmentIds()).toEqual(before);
    expect((await manifest()).segments.map(({ facetFields }) => facetFields)).toEqual(before.map(() => fields));
    expect(steps).not.toContain('extracting words');
  });

  it('of stop words indexes everything again', async () => {
    const before = await segmentIds();
    await apply({ stopWords: ['word1'] });
    expect((await segmentIds()).some((id) => before.includes(id))).toBe(false);
    expect(steps).toContain('extracting words');
  });

  it('shows in open views, survives more changes and merges, and forgets what it replaced', async () => {
    const columns = (field: string) =>
      reader.withView('books', (view) => view.segments.map((segment) => segment.column(field) !== undefined));
    expect(columns('year')).toEqual([false, false]);
    await apply({ filterableAttributes: ['year'] });
    expect(columns('year')).toEqual([true, true]);
    const first = (await manifest()).segments.map(({ columnsId }) => columnsId);
    await apply({ filterableAttributes: ['kind', 'year'] });
    expect(columns('kind')).toEqual([true, true]);
    expect((await manifest()).obsolete).toEqual([]);
    expect(((await rowIds()) as SegmentId[]).filter((id) => first.includes(id))).toEqual([]);
    expect(await matching('year = 1904 AND kind = even')).toBe(19);
    while (await writer.mergeOnce('books'));
    expect(await matching('year = 1906')).toBe(20);
    expect(reader.stats('books').numberOfDocuments).toBe(198 - 19 - 20);
  });
});
