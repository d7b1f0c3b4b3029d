import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocId, JsonObject } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { type EngineReader, openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { openMemoryStore } from '@fossick/storage';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import { runScheduler } from '../run/run-scheduler.js';
import type { TaskContent } from '../task/content.js';
import { taskDetails } from '../task/details.js';
import type { Batch } from '../task/task.js';
import { createExecutor } from './executor.js';

const folders: string[] = [];
let fileCount = 0;
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly log: TaskLog;
  readonly batches: readonly Batch[];
  /** Documents of each index, in the order of their texts, and its primary key. */
  readonly indexes: object;
}

/** Runs a queue that is complete before its first task starts. `tasksMax`: 1 runs the tasks one by one. */
async function run(contents: readonly TaskContent[], tasksMax?: number): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-faulty-tasks-'));
  folders.push(folder);
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  const writer = openEngineWriter(options);
  const reader = openEngineReader(options);
  const log = openTaskLog(openMemoryStore());
  const given = contents.map((content) => log.enqueue(withPayload(content, folder)));
  const batches: Batch[] = [];
  const ended = new Promise<void>((resolve) => {
    let leftCount = given.length;
    const scheduler = runScheduler({
      log,
      findIndex: (uid) => reader.index(uid),
      ...(tasksMax === undefined ? {} : { tasksMax }),
      executor: createExecutor({
        writer,
        rules: { clear: async () => 0, apply: async () => undefined },
        indexExists: (uid) => reader.index(uid) !== undefined,
        maxIndexingBytes: 64 << 20,
        isMoreWaiting: () => false,
        runAdded: async () => [],
      }),
      onCommit: ({ batch, tasks }) => {
        batches.push(batch);
        leftCount -= tasks.length;
        if (leftCount === 0) void scheduler.stop().then(resolve);
      },
    });
  });
  await ended;
  const indexes = Object.fromEntries(
    reader.indexes().map(({ uid, primaryKey }) => [uid, { primaryKey, documents: documentsOf(reader, uid) }]),
  );
  await reader.close();
  await writer.close();
  return { log, batches, indexes };
}

function documentsOf(reader: EngineReader, uid: string): string[] {
  return reader.withView(uid, (view) => {
    const found: string[] = [];
    for (let docId = 0 as DocId; docId < 500; docId++) {
      const document = view.document(docId);
      if (document !== undefined) found.push(JSON.stringify(document));
    }
    return found.sort();
  });
}

function addition(documents: readonly object[], more: object = {}, indexUid = 'films'): TaskContent {
  return {
    type: 'documentAdditionOrUpdate',
    indexUid,
    method: 'replace',
    primaryKey: null,
    payloadFile: documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
    payloadBytes: 100,
    documentCount: documents.length,
    allowIndexCreation: true,
    skipCreation: false,
    ...more,
  };
}
/** Until a queue runs, the name of a payload is its text. */
function withPayload(content: TaskContent, folder: string): TaskContent {
  if (content.type !== 'documentAdditionOrUpdate') return content;
  const payloadFile = join(folder, `${fileCount++}.ndjson`);
  writeFileSync(payloadFile, content.payloadFile);
  return { ...content, payloadFile };
}
const change = (documents: readonly object[], more: object = {}): TaskContent =>
  addition(documents, { method: 'update', ...more });
const deletion = (target: (TaskContent & { type: 'documentDeletion' })['target']): TaskContent => ({
  type: 'documentDeletion',
  indexUid: 'films',
  target,
});
const settings = (patch: JsonObject): TaskContent => ({
  type: 'settingsUpdate',
  indexUid: 'films',
  settings: patch,
  allowIndexCreation: true,
});
const GEO = settings({
  filterableAttributes: ['_geo', 'year'],
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
});
const vector = { _vectors: { e: [1, 2] } };

it('one faulty addition fails alone in a busy queue, and its batch says so', async () => {
  const { log, batches, indexes } = await run([
    GEO,
    addition([
      { id: 1, ...vector },
      { id: 2, ...vector },
    ]),
    addition([
      { id: 3, ...vector },
      { id: 4, _geo: { lat: 'x' }, ...vector },
      { id: 5, ...vector },
    ]),
    deletion({ by: 'ids', ids: ['2', '3'] }),
    addition([{ id: 6, _vectors: { e: [1, 2, 3] } }]),
    change(
      [
        { id: 1, year: 1927 },
        { id: 3, year: 1926 },
      ],
      { skipCreation: true },
    ),
  ]);
  const tasks = [1, 2, 3, 4, 5].map((uid) => log.get(uid)!);
  expect(tasks.map(({ batchUid }) => batchUid)).toEqual([1, 1, 1, 1, 1]);
  expect(tasks.map(({ error }) => error?.code ?? null)).toEqual([
    null,
    'invalid_document_geo_field',
    null,
    'invalid_vector_dimensions',
    null,
  ]);
  expect(tasks.map((task) => taskDetails(task))).toEqual([
    { receivedDocuments: 2, indexedDocuments: 2 },
    { receivedDocuments: 3, indexedDocuments: 0 },
    { providedIds: 2, deletedDocuments: 2, originalFilter: null },
    { receivedDocuments: 1, indexedDocuments: 0 },
    { receivedDocuments: 2, indexedDocuments: 2 },
  ]);
  expect(batches[1]).toMatchObject({
    details: { receivedDocuments: 8, indexedDocuments: 4, deletedDocuments: 2 },
    stats: {
      totalNbTasks: 5,
      status: { succeeded: 3, failed: 2 },
      types: { documentAdditionOrUpdate: 4, documentDeletion: 1 },
      indexUids: { films: 5 },
    },
  });
  const stored = { e: { embeddings: [[1, 2]], regenerate: false } };
  expect(indexes).toMatchObject({ films: { documents: [JSON.stringify({ id: 1, _vectors: stored, year: 1927 })] } });
});

it('a failed first addition leaves neither its primary key nor its documents', async () => {
  const { log, indexes } = await run([
    addition([{ filmId: 1 }, { filmId: 'a b' }]),
    addition([{ uuid: 'x' }]),
    addition([{ name: 'none' }]),
    deletion({ by: 'ids', ids: ['1'] }),
    change([{ uuid: 'x', year: 1 }]),
  ]);
  expect(log.get(4)!.batchUid).toBe(0);
  expect([0, 1, 2, 3, 4].map((uid) => log.get(uid)!.error?.code)).toEqual([
    'invalid_document_id',
    undefined,
    'missing_document_id',
    undefined,
    undefined,
  ]);
  expect(indexes).toEqual({ films: { primaryKey: 'uuid', documents: ['{"uuid":"x","year":1}'] } });
});

it('a deletion whose filter fails leaves the additions after it', async () => {
  const { log, indexes } = await run([
    addition([{ id: 1 }]),
    deletion({ by: 'filter', filter: 'year > 1900' }),
    addition([{ id: 2 }]),
    deletion({ by: 'ids', ids: ['1'] }),
  ]);
  expect([1, 2, 3].map((uid) => log.get(uid)!.batchUid)).toEqual([1, 1, 1]);
  expect(log.get(1)).toMatchObject({ status: 'failed', error: { code: 'invalid_document_filter' } });
  expect(taskDetails(log.get(1)!)).toMatchObject({ deletedDocuments: 0, originalFilter: '"year > 1900"' });
  expect(indexes).toMatchObject({ films: { documents: ['{"id":2}'] } });
});

it('settings that fail after a clearing in their batch leave it', async () => {
  const embedder = { source: 'ollama', url: 'http://192.0.2.1/api/embed', model: 'm' };
  const { log, indexes } = await run([
    addition([{ id: 1 }]),
    settings({ stopWords: ['the'] }),
    deletion({ by: 'all' }),
    settings({ embedders: { e: embedder } }),
  ]);
  expect([1, 2, 3].map((uid) => log.get(uid)!.batchUid)).toEqual([1, 1, 1]);
  expect([1, 2, 3].map((uid) => log.get(uid)!.error?.code)).toEqual([
    'vector_embedding_error',
    undefined,
    'vector_embedding_error',
  ]);
  expect(taskDetails(log.get(2)!)).toEqual({ deletedDocuments: 1 });
  expect(indexes).toMatchObject({ films: { documents: [] } });
});

it('random queues end as if their tasks had run one by one', async () => {
  const id = fc.integer({ min: 1, max: 6 });
  const faulty: readonly object[] = [
    { _geo: { lat: 1 } },
    { _geo: 'here' },
    { _geo: [1, 2] },
    { _vectors: { e: [1] } },
    { _vectors: { e: ['1', 2] } },
    { _vectors: 'none' },
    { _vectors: { e: { embeddings: [[1, 2, 3]], regenerate: false } } },
    { id: 'a b' },
    { id: null },
    { id: undefined },
    { id: 1.5 },
  ];
  const good = fc.tuple(id, fc.integer({ min: 1, max: 3 })).map(([id, year]) => ({ id, year, ...vector }));
  const document = fc.oneof(
    { weight: 8, arbitrary: good },
    { weight: 1, arbitrary: fc.tuple(good, fc.constantFrom(...faulty)).map(([one, fault]) => ({ ...one, ...fault })) },
  );
  const documents = fc.array(document, { minLength: 1, maxLength: 4 });
  const content = fc.oneof(
    { weight: 4, arbitrary: documents.map((each) => addition(each)) },
    { weight: 3, arbitrary: documents.map((each) => change(each)) },
    { weight: 1, arbitrary: documents.map((each) => change(each, { skipCreation: true })) },
    { weight: 1, arbitrary: documents.map((each) => addition(each, { onDocumentError: 'skip' })) },
    { weight: 1, arbitrary: documents.map((each) => addition(each, { primaryKey: 'isbn' })) },
    { weight: 2, arbitrary: fc.array(id.map(String)).map((ids) => deletion({ by: 'ids', ids })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('year = 2', 'none = 1', 'year = = 1')
        .map((filter) => deletion({ by: 'filter', filter })),
    },
    { weight: 1, arbitrary: documents.map((each) => addition(each, {}, 'books')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<TaskContent>(
        { type: 'indexSwap', swaps: [{ indexes: ['films', 'books'], rename: false }] },
        settings({ stopWords: ['the'] }),
        settings({ filterableAttributes: ['_geo', 'year', 'id'] }),
      ),
    },
  );
  const errorsOf = ({ log }: Ran, count: number): unknown =>
    Array.from({ length: count }, (_, uid) => {
      const task = log.get(uid)!;
      const { indexedDocuments, failedDocuments } = (taskDetails(task) ?? {}) as Record<string, unknown>;
      return [task.status, task.error, indexedDocuments, failedDocuments];
    });
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 2, maxLength: 14 }), async (contents) => {
      const queue = [GEO, ...contents];
      const [together, apart] = [await run(queue), await run(queue, 1)];
      expect(together.indexes).toEqual(apart.indexes);
      expect(errorsOf(together, queue.length)).toEqual(errorsOf(apart, queue.length));
    }),
    { numRuns: 25, seed: TEST_SEED },
  );
}, 240_000);
