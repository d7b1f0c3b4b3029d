import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineReader, type EngineWriter, openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { openLmdbStore, type Store } from '@fossick/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import { runScheduler } from '../run/run-scheduler.js';
import type { TaskContent } from '../task/content.js';
import { taskDetails } from '../task/details.js';
import type { Task } from '../task/task.js';
import { createExecutor } from './executor.js';

let folder: string;
let writer: EngineWriter;
let reader: EngineReader;
let queue: Store;
let log: TaskLog;
/** While true, the next write of the task log fails: the state that a crash right before it leaves. */
let failsNext = false;
let fileCount = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-executor-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  writer = openEngineWriter(options);
  reader = openEngineReader(options);
  queue = openLmdbStore({ folder: join(folder, 'tasks'), mapBytes: 2 ** 28 });
  log = openTaskLog({
    ...bound(queue),
    transaction: (work) => {
      if (failsNext) {
        failsNext = false;
        throw new Error('the process died here');
      }
      return queue.transaction(work);
    },
  });
});
afterEach(async () => {
  await reader.close();
  await writer.close();
  await queue.close();
  rmSync(folder, { recursive: true, force: true });
});

function bound(store: Store): Store {
  return {
    table: (name) => store.table(name),
    transaction: (work) => store.transaction(work),
    flush: () => store.flush(),
    size: () => store.size(),
    copyTo: (target) => store.copyTo(target),
    tableSizes: () => store.tableSizes(),
    snapshot: (work, tables) => store.snapshot(work, tables),
    isBusy: false,
    get commitCount() {
      return store.commitCount;
    },
    close: () => store.close(),
  };
}

/**
 * Runs a task to its end. With `dies` the log cannot be written after the engine's commit, so the batch is put back and
 * run again, as after a restart. Answers the task and how often it was executed.
 */
async function run(content: TaskContent, dies: boolean): Promise<{ task: Task; executions: number }> {
  const inner = createExecutor({
    writer,
    rules: { clear: async () => 0, apply: async () => undefined },
    indexExists: (uid) => reader.index(uid) !== undefined,
    maxIndexingBytes: 64 << 20,
    isMoreWaiting: () => false,
    runAdded: async () => [],
  });
  const { uid } = log.enqueue(content);
  let executions = 0;
  const scheduler = runScheduler({
    log,
    findIndex: (index) => reader.index(index),
    retryMs: 1,
    executor: {
      execute: async (running, context) => {
        const outcomes = await inner.execute(running, context);
        executions += 1;
        failsNext = dies && executions === 1;
        return outcomes;
      },
    },
  });
  while (log.get(uid)!.finishedAt === null) await new Promise((resolve) => setTimeout(resolve, 2));
  await scheduler.stop();
  return { task: log.get(uid)!, executions };
}
const addition = (indexUid: string, documents: readonly object[]): TaskContent => {
  const payloadFile = join(folder, `${fileCount++}.ndjson`);
  writeFileSync(payloadFile, documents.map((document) => JSON.stringify(document)).join('\n'));
  const right = { allowIndexCreation: true, skipCreation: false };
  const size = { payloadBytes: 100, documentCount: documents.length };
  return {
    type: 'documentAdditionOrUpdate',
    indexUid,
    method: 'replace',
    primaryKey: null,
    payloadFile,
    ...size,
    ...right,
  };
};
const films = [
  { id: 1, title: 'Metropolis', year: 1927 },
  { id: 2, title: 'Nosferatu', year: 1922 },
  { id: 3, title: 'Faust', year: 1926 },
];
const uids = (): string[] => reader.indexes().map(({ uid }) => uid);

describe('a task whose engine commit outlives the process, but not its mark', () => {
  beforeEach(async () => {
    await run(addition('films', films), false);
    await run({ type: 'indexCreation', indexUid: 'empty', primaryKey: 'id' }, false);
    const settings = { filterableAttributes: ['year'] };
    await run({ type: 'settingsUpdate', indexUid: 'films', settings, allowIndexCreation: true }, false);
  });

  it.each<[string, TaskContent, object | undefined, string[]]>([
    [
      'creation',
      { type: 'indexCreation', indexUid: 'new', primaryKey: 'k' },
      { primaryKey: 'k' },
      ['empty', 'films', 'new'],
    ],
    ['deletion', { type: 'indexDeletion', indexUid: 'films' }, { deletedDocuments: 3 }, ['empty']],
    [
      'rename',
      { type: 'indexUpdate', indexUid: 'films', newUid: 'movies' },
      { primaryKey: null, oldIndexUid: 'films', newIndexUid: 'movies' },
      ['empty', 'movies'],
    ],
    [
      'swap that renames',
      { type: 'indexSwap', swaps: [{ indexes: ['films', 'movies'], rename: true }] },
      { swaps: [{ indexes: ['films', 'movies'], rename: true }] },
      ['empty', 'movies'],
    ],
    [
      'settings',
      {
        type: 'settingsUpdate',
        indexUid: 'films',
        settings: { sortableAttributes: ['year'] },
        allowIndexCreation: true,
      },
      { sortableAttributes: ['year'] },
      ['empty', 'films'],
    ],
  ])('does a %s once', async (_name, content, details, indexes) => {
    const { task, executions } = await run(content, true);
    expect(executions).toBe(2);
    expect(task).toMatchObject({ status: 'succeeded', error: null });
    expect(taskDetails(task)).toEqual(details);
    expect(uids()).toEqual(indexes);
  });

  it('exchanges two indexes once', async () => {
    const swap: TaskContent = { type: 'indexSwap', swaps: [{ indexes: ['films', 'empty'], rename: false }] };
    const { task, executions } = await run(swap, true);
    expect([task.status, executions]).toEqual(['succeeded', 2]);
    expect(reader.stats('empty').numberOfDocuments).toBe(3);
    expect(reader.stats('films').numberOfDocuments).toBe(0);
  });

  it.each<[string, TaskContent & { type: 'documentDeletion' }, number]>([
    ['id', { type: 'documentDeletion', indexUid: 'films', target: { by: 'ids', ids: ['1', '9'] } }, 1],
    ['filter', { type: 'documentDeletion', indexUid: 'films', target: { by: 'filter', filter: 'year < 1927' } }, 2],
    ['all', { type: 'documentDeletion', indexUid: 'films', target: { by: 'all' } }, 3],
  ])('counts documents deleted by %s as the first run did', async (_name, content, deleted) => {
    const { task, executions } = await run(content, true);
    expect([task.status, executions]).toEqual(['succeeded', 2]);
    expect(taskDetails(task)).toMatchObject({ deletedDocuments: deleted });
    expect(reader.stats('films').numberOfDocuments).toBe(3 - deleted);
  });

  it('still refuses what another task did before', async () => {
    await run({ type: 'indexCreation', indexUid: 'new', primaryKey: null }, true);
    const { task } = await run({ type: 'indexCreation', indexUid: 'new', primaryKey: null }, true);
    expect(task).toMatchObject({ status: 'failed', error: { code: 'index_already_exists' } });
  });
});

describe('a payload that is not what was accepted', () => {
  it('fails its task, and the queue goes on', async () => {
    const damaged = addition('films', films) as TaskContent & { payloadFile: string };
    writeFileSync(damaged.payloadFile, '{"id":1,"title":"Metro');
    const lost = addition('films', films) as TaskContent & { payloadFile: string };
    rmSync(lost.payloadFile);
    expect((await run(damaged, false)).task.error?.code).toBe('malformed_payload');
    expect((await run(lost, false)).task.error?.message).toContain('lost');
    expect((await run(addition('films', films), false)).task.status).toBe('succeeded');
    expect(reader.stats('films').numberOfDocuments).toBe(3);
  });
});

describe('swaps that cannot be', () => {
  it('name every index that is in the way', async () => {
    await run({ type: 'indexCreation', indexUid: 'a', primaryKey: null }, false);
    const swap = (left: string, right: string, rename: boolean) => ({ indexes: [left, right] as const, rename });
    const { task } = await run({ type: 'indexSwap', swaps: [swap('a', 'x', false), swap('y', 'b', true)] }, false);
    expect(task.error).toEqual({ code: 'index_not_found', message: 'Indexes `x`, `y` not found.' });
    await run({ type: 'indexCreation', indexUid: 'b', primaryKey: null }, false);
    const taken = await run({ type: 'indexSwap', swaps: [swap('a', 'b', true)] }, false);
    expect(taken.task.error?.code).toBe('index_already_exists');
    expect(uids()).toEqual(['a', 'b']);
  });
});
