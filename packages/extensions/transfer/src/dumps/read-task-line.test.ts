import { openMemoryStore } from '@fossick/storage';
import { openTaskLog } from '@fossick/tasks';
import { describe, expect, it, test } from 'vitest';
import { type KeyLine, keyOfLine } from './format/layout.js';
import { batchOfLine, taskOfLine } from './read-task-line.js';

const TASK = {
  uid: 3,
  batchUid: 1,
  indexUid: 'a',
  type: 'indexCreation',
  status: 'succeeded',
  enqueuedAt: '2026-01-01T00:00:00Z',
};
const BATCH = {
  uid: 1,
  stats: { totalNbTasks: 1, status: {}, types: {}, indexUids: {} },
  startedAt: '2026-01-01T00:00:00Z',
};
const WRONG_UIDS = [-1, 0.5, 2 ** 32 - 1, 2 ** 32, 1e300, '3', null, undefined, {}, []];

describe('lines of a dump', () => {
  it('are taken as they are written', () => {
    expect(taskOfLine(TASK, undefined)).toMatchObject({ uid: 3, batchUid: 1, status: 'succeeded' });
    expect(batchOfLine(BATCH)).toMatchObject({ uid: 1, details: {} });
  });

  it.each(WRONG_UIDS)('are refused with the uid %j', (uid) => {
    expect(() => taskOfLine({ ...TASK, uid }, undefined)).toThrow('a task has no uid');
    expect(() => batchOfLine({ ...BATCH, uid })).toThrow('a batch has no uid');
    if (uid === null || uid === undefined) return;
    expect(() => taskOfLine({ ...TASK, batchUid: uid }, undefined)).toThrow('the batch of a task has no uid');
    expect(() => taskOfLine({ ...TASK, canceledBy: uid }, undefined)).toThrow('what canceled a task has no uid');
  });

  it('are refused when what they hold is of another kind', () => {
    for (const stats of [null, 5, 'x', undefined, []])
      expect(() => batchOfLine({ ...BATCH, stats })).toThrow('has no statistics');
    const key = {
      uid: '01b4bc42-eb33-4041-b481-254d00cce834',
      actions: ['search'],
      indexes: ['*'],
      created_at: '',
      updated_at: '',
    };
    expect(keyOfLine(key)).toMatchObject({ actions: ['search'] });
    for (const change of [{ uid: 'x' }, { uid: null }, { actions: 'search' }, { actions: [5] }, { indexes: null }])
      expect(() => keyOfLine({ ...key, ...change } as KeyLine)).toThrow(/a key has no uid|has no list of/);
  });
});

test('the next uid after a dump with high task uids is set directly', () => {
  const log = openTaskLog(openMemoryStore());
  log.change([{ kind: 'skipTo', counter: 'next-task', uid: 4_000_000_000 }]);
  log.change([{ kind: 'skipTo', counter: 'next-task', uid: 5 }]);
  expect(log.enqueue({ type: 'dumpCreation' }).uid).toBe(4_000_000_000);
});
