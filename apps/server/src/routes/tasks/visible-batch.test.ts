import { allowsIndex } from '@fossick/instance/access';
import { openMemoryStore } from '@fossick/storage';
import { type Batch, openTaskLog, runScheduler, type TaskContent } from '@fossick/tasks';
import { expect, it } from 'vitest';
import { visibleBatch } from './visible-batch.js';

const keyOf = (patterns: readonly string[] | null) => ({
  hiddenIndexes: patterns === null ? [] : null,
  allowsIndex: (uid: string) => allowsIndex({ patterns, rules: null }, uid),
});
const deletion = (indexUid: string): TaskContent => ({ type: 'documentDeletion', indexUid, target: { by: 'all' } });

it('a key of single indexes sees of a cancelation what concerns its indexes', async () => {
  const log = openTaskLog(openMemoryStore());
  for (const uid of ['films', 'secret', 'films', 'hidden']) log.enqueue(deletion(uid));
  log.enqueue(
    log.selection('taskCancelation', { indexUids: ['films', 'secret', 'hidden'] }, '?indexUids=films,secret,hidden'),
  );
  const batch = await new Promise<Batch>((resolve) => {
    const executor = { execute: () => Promise.reject(new Error('nothing is left to do')) };
    runScheduler({ log, executor, findIndex: () => undefined, onCommit: (finished) => resolve(finished.batch) });
  });
  expect(batch.stats).toMatchObject({ totalNbTasks: 5, indexUids: { films: 2, secret: 1, hidden: 1 } });
  const seen = (patterns: readonly string[] | null): Batch => visibleBatch(batch, keyOf(patterns), log);
  expect(seen(null)).toBe(batch);
  const films = seen(['films']);
  expect(films.stats).toMatchObject({ totalNbTasks: 2, status: { canceled: 2 }, types: { documentDeletion: 2 } });
  expect(films.stats.indexUids).toEqual({ films: 2 });
  expect(JSON.stringify(films)).not.toMatch(/secret|hidden/);
  // all indexes are the key's own, the cancelation itself is not
  const all = seen(['films', 'secret', 'hidden']);
  expect([all.stats.totalNbTasks, all.stats.status, all.details]).toEqual([4, { canceled: 4 }, {}]);
});

it('a batch of one index is shown as it is', () => {
  const stats = { totalNbTasks: 1, status: { succeeded: 1 }, types: { documentDeletion: 1 }, indexUids: { films: 1 } };
  const batch: Batch = { uid: 0, details: { deletedDocuments: 1 }, stats, startedAt: 1, finishedAt: 2, strategy: '' };
  expect(visibleBatch(batch, keyOf(['films']), openTaskLog(openMemoryStore()))).toBe(batch);
});

it('a key of all indexes but some sees the cancelation, and what it canceled elsewhere', async () => {
  const log = openTaskLog(openMemoryStore());
  for (const uid of ['films', 'hidden', 'films', 'hidden']) log.enqueue(deletion(uid));
  log.enqueue(log.selection('taskCancelation', { indexUids: ['films', 'hidden'] }, '?indexUids=*'));
  const batch = await new Promise<Batch>((resolve) => {
    const executor = { execute: () => Promise.reject(new Error('nothing is left to do')) };
    runScheduler({ log, executor, findIndex: () => undefined, onCommit: (finished) => resolve(finished.batch) });
  });
  const allBut = (hidden: string) => ({ hiddenIndexes: [hidden], allowsIndex: (uid: string) => uid !== hidden });
  const { details, stats } = visibleBatch(batch, allBut('hidden'), log);
  expect(stats).toMatchObject({ totalNbTasks: 3, types: { documentDeletion: 2, taskCancelation: 1 } });
  expect([stats.indexUids, details]).toEqual([{ films: 2 }, batch.details]);
  // nothing of it is hidden
  expect(visibleBatch(batch, allBut('other'), log)).toBe(batch);
});
