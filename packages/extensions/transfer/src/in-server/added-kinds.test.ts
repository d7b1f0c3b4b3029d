import { join } from 'node:path';
import type { Extension } from '@fossick/runtime/extension';
import { newDatabaseFolder, removeFolder } from '@fossick/server/e2e/server-process.test-support';
import { startServerWith } from '@fossick/server/e2e/test-server.test-support';
import { expect, it } from 'vitest';
import type { transfer } from '../index.js';

const PART = `export const openInWriter = () => ({ runners: { resting: async () => [{ status: 'succeeded' }] } });`;
const resting: Extension = {
  name: 'resting',
  taskKinds: [{ type: 'resting', takes: 'oldest', details: null }],
  writer: new URL(`data:text/javascript,${encodeURIComponent(PART)}`),
  configure: () => ({
    open: async () => ({
      routes: [
        {
          method: 'POST',
          path: '/rest',
          action: 'stats.get',
          answer: ({ register }) => register({ type: 'resting' } as never, 202),
        },
      ],
    }),
  }),
};

it('tasks of other extensions are left out of dumps, whose format has no lines for them', async () => {
  const [folder, other, dumps] = [newDatabaseFolder(), newDatabaseFolder(), newDatabaseFolder()];
  const built = await import(new URL('../../dist/index.js', import.meta.url).href);
  const all = [resting, (built as { transfer: typeof transfer }).transfer];
  const server = await startServerWith(all, folder, ['--dump-dir', dumps]);
  await server.call('POST', '/rest');
  await server.call('POST', '/indexes/films/documents', [{ id: 1 }]);
  await server.call('POST', '/dumps');
  const tasks = await server.allTasksDone();
  expect(tasks.map(({ type, status }) => `${type} ${status}`)).toContain('resting succeeded');
  const file = join(dumps, `${String(tasks.find(({ type }) => type === 'dumpCreation')!.details!.dumpUid)}.dump`);
  await server.stop();
  const restored = await startServerWith(all, other, ['--import-dump', file]);
  const { body } = await restored.call<{ results: { type: string }[] }>('GET', '/tasks');
  expect(body.results.map(({ type }) => type)).toContain('documentAdditionOrUpdate');
  expect(body.results.map(({ type }) => type)).not.toContain('resting');
  await restored.stop();
  for (const each of [folder, other, dumps]) removeFolder(each);
});
