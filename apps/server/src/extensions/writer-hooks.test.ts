import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Extension } from '@fossick/runtime/extension';
import { expect, it, onTestFinished } from 'vitest';
import { newDatabaseFolder, removeFolder } from '../e2e/server-process.test-support.js';
import { startServerWith } from '../e2e/test-server.test-support.js';

/** The part of the extension in the writer thread: it notes what it is called with. */
const PART = `
  import { appendFileSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  export function openInWriter(host) {
    const note = (what, tasks) => {
      const told = tasks.map(({ uid, content, status }) => uid + ' ' + content.type + ' ' + status);
      appendFileSync(host.folder() + '/notes', [isMainThread, what, ...told].join() + '\\n');
    };
    return {
      async beforeBatch(tasks) {
        note('before', tasks);
        if (tasks[0].content.indexUid === 'refused') throw new Error('the extension refuses it');
      },
      afterCommit(tasks) {
        note('after', tasks);
        if (tasks[0].content.indexUid === 'loud') throw new Error('the extension fails');
      },
      close: () => note('closed', []),
    };
  }`;
const diary: Extension = {
  name: 'diary',
  writer: new URL(`data:text/javascript,${encodeURIComponent(PART)}`),
  configure: () => ({ open: async () => ({}) }),
};
const created = async (options: readonly string[], uids: readonly string[]) => {
  const folder = newDatabaseFolder();
  onTestFinished(() => removeFolder(folder));
  const server = await startServerWith([diary], folder, options);
  const statuses: string[] = [];
  for (const uid of uids) {
    const { body } = await server.call<{ taskUid: number }>('POST', '/indexes', { uid });
    await server.allTasksDone();
    const task = await server.call<{ status: string }>('GET', `/tasks/${body.taskUid}`);
    statuses.push(task.body.status);
  }
  await server.stop();
  return { folder, statuses, log: server.output() };
};

it('the writer calls an extension before each batch and after its commit', async () => {
  const { folder, statuses } = await created([], ['films', 'books']);
  expect(statuses).toEqual(['succeeded', 'succeeded']);
  expect(
    readFileSync(join(folder, 'diary', 'notes'), 'utf8')
      .trim()
      .split('\n'),
  ).toEqual([
    'false,before,0 indexCreation processing',
    'false,after,0 indexCreation succeeded',
    'false,before,1 indexCreation processing',
    'false,after,1 indexCreation succeeded',
    'false,closed',
  ]);
});

it('an exception before a batch fails its tasks, one after it changes nothing, and both are told', async () => {
  const { statuses, log } = await created([], ['refused', 'loud', 'films']);
  expect(statuses).toEqual(['failed', 'succeeded', 'succeeded']);
  expect(log).toContain('the extension fails');
});

it('an extension that is left out has no part there', async () => {
  const { folder, statuses } = await created(['--extensions='], ['films']);
  expect(statuses).toEqual(['succeeded']);
  expect(() => readFileSync(join(folder, 'diary', 'notes'))).toThrow('ENOENT');
});
