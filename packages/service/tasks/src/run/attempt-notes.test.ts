import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import { openTaskLog } from '../log/task-log.js';
import { openAttemptNotes } from './attempt-notes.js';

const creation = { type: 'indexCreation', indexUid: 'a', primaryKey: null } as const;

it('another node reads what was running when the process ended, and the same process knows it for its own', () => {
  const store = openMemoryStore();
  const log = openTaskLog(store);
  log.enqueue(creation);
  openAttemptNotes(log, 'first').write({ running: [0], waiting: [], isTrial: true });
  const seen = openAttemptNotes(openTaskLog(store), 'second').read();
  expect(seen).toMatchObject({ running: [0], waiting: [], isTrial: true, isOfThisProcess: false });
  expect(seen!.id).toBeGreaterThan(0);
  expect(openAttemptNotes(log, 'first').read()).toMatchObject({ id: seen!.id, isOfThisProcess: true });
});

it('a note is over when it is cleared, and when its tasks are finished', () => {
  const log = openTaskLog(openMemoryStore());
  const notes = openAttemptNotes(log, 'first');
  log.enqueue(creation);
  expect(notes.read()).toBeUndefined();
  notes.write({ running: [0], waiting: [], isTrial: false });
  notes.clear();
  expect(notes.read()).toBeUndefined();
  notes.write({ running: [0], waiting: [], isTrial: false });
  log.change([{ kind: 'changeTasks', uids: [0], change: { status: 'succeeded', finishedAt: 1 } }]);
  expect(notes.read()).toBeUndefined();
  notes.write({ running: [], waiting: [0], isTrial: false });
  expect(notes.read()).toMatchObject({ waiting: [0] });
});

it('a cleared note is not cleared again, which would be an entry of the shared log', () => {
  let count = 0;
  const store = openMemoryStore();
  const inner = openTaskLog(store);
  const log = openTaskLog(store, {
    changer: (operations, durability) => {
      count += 1;
      inner.change(operations, durability);
    },
  });
  const notes = openAttemptNotes(log, 'first');
  notes.clear();
  notes.write({ running: [0], waiting: [], isTrial: false });
  notes.clear();
  notes.clear();
  expect(count).toBe(2);
});
