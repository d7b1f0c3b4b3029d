import type { TaskStatus } from '@fossick/api';
import { JsonText } from '@fossick/documents';
import { openMemoryStore, u32Key } from '@fossick/storage';
import { Packr } from 'msgpackr';
import { describe, expect, it, vi } from 'vitest';
import { writeErrors } from '../run/finish.js';
import { trimmingOf } from '../run/trim-log.js';
import { taskDetails } from '../task/details.js';
import type { Task } from '../task/task.js';
import { toBatchJson, toTaskJson } from '../task/wire.js';
import type { LogOperation } from './records.js';
import { openTaskLog, type TaskLog } from './task-log.js';

const creation = (indexUid: string) => ({ type: 'indexCreation' as const, indexUid, primaryKey: null });

/** A log whose task `uid` was enqueued at `uid * 10`, started 1 and finished 2 microseconds later. */
function logOf(statuses: readonly TaskStatus[]): TaskLog {
  const log = openTaskLog(openMemoryStore(), { clock: { now: () => statuses.length * 10 } });
  const operations = statuses.map((status, uid): LogOperation => {
    const isOver = status !== 'enqueued';
    const task: Task = {
      uid,
      batchUid: isOver ? Math.floor(uid / 2) : null,
      content: creation(`i${uid % 3}`),
      status,
      canceledBy: status === 'canceled' ? 1 : null,
      resultDetails: null,
      error: null,
      enqueuedAt: uid * 10,
      startedAt: isOver ? uid * 10 + 1 : null,
      finishedAt: isOver ? uid * 10 + 2 : null,
    };
    return { kind: 'putTask', task };
  });
  log.change([...operations, { kind: 'skipTo', counter: 'next-task', uid: statuses.length }]);
  return log;
}
const repeat = (count: number, status: TaskStatus): TaskStatus[] => Array.from({ length: count }, () => status);

describe('filters over numbers of tasks', () => {
  const log = logOf([...repeat(600, 'succeeded'), ...repeat(600, 'canceled'), ...repeat(3, 'enqueued')]);

  it('compares dates strictly, and what has no date matches none', () => {
    expect(log.uids({ afterEnqueuedAt: 5_100, beforeEnqueuedAt: 5_130 })).toEqual([511, 512]);
    expect(log.uids({ afterEnqueuedAt: 11_970 })).toEqual([1_198, 1_199, 1_200, 1_201, 1_202]);
    expect(log.uids({ afterStartedAt: 11_971 })).toEqual([1_198, 1_199]);
    expect(log.uids({ beforeFinishedAt: 12 })).toEqual([0]);
    expect(
      log.count({ afterEnqueuedAt: -1, afterStartedAt: -1, beforeFinishedAt: 10_000, statuses: ['canceled'] }),
    ).toBe(400);
  });

  it('finds batches and cancelations', () => {
    expect(log.uids({ batchUids: [255, 256, 9_999] })).toEqual([510, 511, 512, 513]);
    expect(log.count({ canceledBy: [1] })).toBe(600);
    expect(log.count({ canceledBy: [2] })).toBe(0);
  });
});

describe('pages', () => {
  const log = logOf(repeat(30, 'succeeded'));
  const page = (limit: number, from?: number, reverse = false) => {
    const { results, ...rest } = log.list(
      { indexUids: ['i0'] },
      { limit, reverse, ...(from === undefined ? {} : { from }) },
    );
    return { uids: results.map(({ uid }) => uid), ...rest };
  };

  it('starts at the given uid, or after it when that does not match', () => {
    expect(page(2, 28)).toEqual({ uids: [27, 24], total: 10, limit: 2, from: 27, next: 21 });
    expect(page(2, 4, true)).toEqual({ uids: [6, 9], total: 10, limit: 2, from: 6, next: 12 });
  });
  it('ends without a next page', () => {
    expect(page(20, 3)).toEqual({ uids: [3, 0], total: 10, limit: 20, from: 3, next: null });
    expect(page(2, 24, true)).toEqual({ uids: [24, 27], total: 10, limit: 2, from: 24, next: null });
    expect(page(2, 4_000_000_000)).toMatchObject({ uids: [27, 24], next: 21 });
    expect(page(2, 4_000_000_000, true)).toEqual({ uids: [], total: 10, limit: 2, from: null, next: null });
  });
  it('of no length says where it would have started', () => {
    expect(page(0)).toEqual({ uids: [], total: 10, limit: 0, from: null, next: 27 });
  });
});

describe('a log that grows', () => {
  it('rejects tasks when it is full, except those that free space', () => {
    const store = openMemoryStore();
    const log = openTaskLog(store, { clock: { now: () => 1 }, bytesMax: 20_000 });
    const fill = () => {
      for (let at = 0; at < 1_000; at++) log.enqueue(creation('a'));
    };
    expect(fill).toThrow(expect.objectContaining({ code: 'no_space_left_on_device' }));
    expect(store.size().usedBytes).toBeGreaterThan(8_000);
    expect(store.size().usedBytes).toBeLessThan(20_000);
    expect(() => log.enqueue(log.selection('taskDeletion', { statuses: ['failed'] }, '?statuses=failed'))).toThrow();
    expect(log.enqueue(log.selection('taskCancelation', { uids: [0] }, '?uids=0')).status).toBe('enqueued');
    expect(log.enqueue(log.selection('taskDeletion', { uids: [0] }, '?uids=0')).status).toBe('enqueued');
  });

  it('gives up its oldest finished tasks', () => {
    const limits = { tasksMax: 10, removedMax: 3 };
    const short = logOf(repeat(9, 'succeeded'));
    expect(trimmingOf(short, limits)).toBeUndefined();
    const busy = logOf([...repeat(9, 'enqueued'), 'failed']);
    expect(trimmingOf(busy, limits)).toBeUndefined();
    const full = logOf(['enqueued', 'failed', 'canceled', ...repeat(7, 'succeeded')]);
    expect(trimmingOf(full, limits)).toEqual({
      type: 'taskDeletion',
      taskUids: [1, 2, 3],
      originalFilter: '?beforeEnqueuedAt=1970-01-01T00:00:00.000031Z&statuses=succeeded,failed,canceled',
    });
  });
});

describe('content of tasks', () => {
  it('may have any number of keys, as may details', () => {
    const log = openTaskLog(openMemoryStore());
    for (const count of [0, 15, 16, 65_535, 65_536]) {
      const synonyms = Object.fromEntries(Array.from({ length: count }, (_, at) => [`word${at}`, ['other']]));
      const { uid } = log.enqueue({
        type: 'settingsUpdate',
        indexUid: 'a',
        settings: { synonyms },
        allowIndexCreation: true,
      });
      const task = log.get(uid)!;
      expect(JSON.stringify(task.content)).toContain(JSON.stringify({ synonyms }));
      log.change([{ kind: 'putTask', task: { ...task, status: 'succeeded', resultDetails: { counts: synonyms } } }]);
      expect(JSON.stringify(log.get(uid)!.resultDetails)).toBe(JSON.stringify({ counts: synonyms }));
    }
  });

  it('of an edit with a long context is listed without parsing the context', () => {
    const store = openMemoryStore();
    const log = openTaskLog(store);
    const context = { words: Array.from({ length: 20_000 }, (_, at) => `wörd ${at}`), ['__proto__']: 1 };
    const edit = { type: 'documentEdition', indexUid: 'a', function: 'doc.n = 1', filter: null } as const;
    const { uid } = log.enqueue({ ...edit, context });
    const parse = vi.spyOn(JSON, 'parse');
    const task = log.get(uid)!;
    const details = toTaskJson(task, () => ({ type: 'internal', link: '' })).details as { context: unknown };
    expect(details.context).toBeInstanceOf(JsonText);
    const { batch, tasks } = log.batches.start([uid], 'alone');
    const edited: Task = { ...tasks[0]!, status: 'succeeded', resultDetails: { editedDocuments: 3 } };
    log.change([{ kind: 'putTask', task: edited }]);
    const ended = taskDetails(log.get(uid)!)!;
    expect(ended).toMatchObject({ editedDocuments: 3, function: 'doc.n = 1' });
    // the details of the batch are written once
    expect(parse.mock.calls.length).toBeLessThanOrEqual(1);
    parse.mockRestore();
    expect(JSON.stringify(ended['context'])).toBe(JSON.stringify(context));
    expect(JSON.stringify(log.getBatch(batch.uid)!.details['context'])).toBe(JSON.stringify(context));
    expect(log.get(uid)!.content).toMatchObject({ ...edit, context });
    // rows of earlier versions hold the value
    store.transaction((txn) =>
      txn.put('tasks', u32Key(uid), new Packr({ useRecords: false }).pack({ ...task, content: { ...edit, context } })),
    );
    expect(log.get(uid)!.content).toEqual({ ...edit, context });
  });

  it('is stored as text when it is long, and read back unchanged', () => {
    const store = openMemoryStore();
    const log = openTaskLog(store);
    const words = Array.from({ length: 20_000 }, (_, at) => `wörd ${at}`);
    const settings = { stopWords: words, synonyms: { ['__proto__']: ['x'], 7: ['"\\ ü'] }, distinctAttribute: null };
    const content = { type: 'settingsUpdate', indexUid: 'a', settings, allowIndexCreation: true } as const;
    const { uid } = log.enqueue(content);
    const task = log.get(uid)!;
    expect(task.content).toMatchObject({ type: 'settingsUpdate', indexUid: 'a', allowIndexCreation: true, settings });
    expect(taskDetails(task)).toEqual(settings);
    const details = (task: Task): unknown => toTaskJson(task, () => ({ type: 'internal', link: '' })).details;
    expect(details(task)).toBeInstanceOf(JsonText);
    expect(JSON.stringify(details(task))).toBe(JSON.stringify(settings));
    // written again and again, as a task is on its way, by anyone who has read it
    const { batch, tasks } = log.batches.start([uid], 'alone');
    log.change([
      { kind: 'putTask', task: { ...tasks[0]!, status: 'succeeded' } },
      { kind: 'putBatch', batch: { ...batch, finishedAt: 5 } },
    ]);
    expect(JSON.stringify(details(log.get(uid)!))).toBe(JSON.stringify(settings));
    const stored = log.getBatch(batch.uid)!;
    expect(stored).toMatchObject({ details: settings, finishedAt: 5, strategy: 'alone' });
    expect(toBatchJson(stored, null).details).toBeInstanceOf(JsonText);
    expect(JSON.stringify(toBatchJson(stored, null).details)).toBe(JSON.stringify(settings));
    // values of old rows, and what holds secrets, stay values
    store.transaction((txn) =>
      txn.put('tasks', u32Key(uid), new Packr({ useRecords: false }).pack({ ...task, content })),
    );
    // as JSON: what was unpacked also knows the order of its members
    expect(JSON.parse(JSON.stringify(log.get(uid)!.content))).toEqual(JSON.parse(JSON.stringify(content)));
    const secret = { ...settings, embedders: { e: { apiKey: 'secret' } } };
    expect(details(log.enqueue({ ...content, settings: secret }))).toEqual(secret);
  });

  it('is read as earlier releases wrote it', () => {
    const store = openMemoryStore();
    const log = openTaskLog(store);
    const task = log.enqueue(creation('a'));
    const fixedSize = new Packr({ useRecords: false });
    store.transaction((txn) => txn.put('tasks', u32Key(task.uid), fixedSize.pack(task)));
    expect(log.get(task.uid)).toEqual(task);
  });
});

it('errors of a task are read in pages, replaced by the next result, and deleted with the task', () => {
  const log = openTaskLog(openMemoryStore());
  const addition = { type: 'documentAdditionOrUpdate', indexUid: 'a', method: 'replace', primaryKey: null } as const;
  const payload = { payloadFile: '', payloadBytes: 0, documentCount: 1, allowIndexCreation: true, skipCreation: false };
  const [{ uid }, other] = [
    log.enqueue({ ...addition, ...payload, onDocumentError: 'skip' }),
    log.enqueue({ ...addition, ...payload, onDocumentError: 'skip' }),
  ];
  const page = (byte: number): Uint8Array => new Uint8Array(600_000).fill(byte);
  const shown = (of: number): number[] => log.errorPages(of).map((bytes) => bytes[0]!);
  writeErrors(log, new Map([[uid, [1, 2, 3, 4, 5].map(page)]]));
  writeErrors(log, new Map([[other.uid, [page(9)]]]));
  expect([shown(uid), shown(other.uid), shown(77)]).toEqual([[1, 2, 3, 4, 5], [9], []]);
  writeErrors(log, new Map([[uid, [6, 7].map(page)]]));
  expect(shown(uid)).toEqual([6, 7]);
  log.change([{ kind: 'deleteTasks', uids: [uid] }]);
  expect([shown(uid), shown(other.uid)]).toEqual([[], [9]]);
});
