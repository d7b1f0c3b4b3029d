import { TaskChanges } from '@fossick/runtime';
import { openMemoryStore } from '@fossick/storage';
import { openTaskLog } from '@fossick/tasks';
import { expect, test } from 'vitest';
import { sampleSteps } from './banner.js';
import { sampleFault } from './sample.js';

const ADDRESS = 'http://127.0.0.1:8000';

test.each([
  [null, `Try: curl '${ADDRESS}/indexes/movies/search?q=jurasic+park&limit=3'\n`],
  [
    'a master key of 16',
    `Try: curl '${ADDRESS}/indexes/movies/search?q=jurasic+park&limit=3' -H 'Authorization: Bearer YOUR_KEY'\n`,
  ],
])('the next steps fit a server with the key %s', (masterKey, told) => {
  const steps = sampleSteps({ masterKey, isProduction: false }, ADDRESS, null);
  expect(steps).toBe(`Fossick answers on ${ADDRESS}: open it in a browser for the dashboard\n${told}`);
  expect(steps).not.toContain('a master key of 16');
});

test('they name no dashboard in production, and no search without films', () => {
  const steps = sampleSteps({ masterKey: null, isProduction: true }, ADDRESS, 'the disk is full');
  expect(steps).toBe(`Fossick answers on ${ADDRESS}\nThe sample films were not loaded: the disk is full\n`);
});

/** A log with the sample's first and last task and one of another index, and indexes that can be read. */
function sampleTasks(...indexUids: readonly string[]) {
  const tasks = openTaskLog(openMemoryStore());
  for (const indexUid of ['movies', 'books', 'movies'])
    tasks.enqueue({ type: 'indexCreation', indexUid, primaryKey: null });
  const taskChanges = new TaskChanges(tasks, (error) => {
    throw error;
  });
  const engine = { indexes: () => indexUids.map((uid) => ({ uid })) };
  const loaded = sampleFault({ tasks, taskChanges, engine });
  const end = (uid: number, change: object): void => {
    tasks.change([{ kind: 'changeTasks', uids: [uid], change: { finishedAt: 50, ...change } }]);
    taskChanges.note();
  };
  return { loaded, end };
}

test('the sample is there when its last task has succeeded, whatever others do', async () => {
  const { loaded, end } = sampleTasks('movies');
  const order: string[] = [];
  void loaded.then(() => order.push('told'));
  end(0, { status: 'succeeded' });
  await new Promise((resolve) => setImmediate(resolve));
  order.push('last');
  end(2, { status: 'succeeded' });
  expect([await loaded, order]).toEqual([null, ['last', 'told']]);
});

test.each([
  [{ status: 'failed', error: { code: 'no_space_left_on_device', message: 'The disk is full.' } }, 'The disk is full'],
  [{ status: 'canceled' }, 'task 2 was canceled'],
])('a sample with a task that is %j says why it is not there', async (change, told) => {
  const { loaded, end } = sampleTasks('movies');
  end(0, { status: 'succeeded' });
  end(2, change);
  expect(await loaded).toBe(told);
});

test('a database with other indexes keeps them, and says that it has no films', async () => {
  const { loaded, end } = sampleTasks('books');
  end(0, { status: 'succeeded' });
  end(2, { status: 'succeeded' });
  expect(await loaded).toContain('other indexes, and none is called `movies`');
});
