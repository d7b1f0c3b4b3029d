import type { Extension } from '@fossick/runtime/extension';
import type { AddedContent } from '@fossick/tasks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startServerWith } from '../e2e/test-server.test-support.js';

/** The part of the extension in the writer thread: it counts the documents of an index. */
const PART = `
  export function openInWriter({ reader }) {
    return {
      runners: {
        async counting(tasks, { onProgress }) {
          const engine = await reader();
          return tasks.map(({ content: { indexUid } }) => {
            onProgress('counting ' + indexUid, 0, 1);
            if (engine.index(indexUid) === undefined)
              return { status: 'failed', error: { code: 'index_not_found', message: 'Index ' + indexUid + ' is not there.' } };
            const { numberOfDocuments } = engine.stats(indexUid);
            return { status: 'succeeded', details: { counted: numberOfDocuments, together: tasks.length } };
          });
        },
      },
    };
  }`;
const counting = (indexUid: string): AddedContent => ({ type: 'counting', indexUid, secret: 'not shown' }) as never;
const counter: Extension = {
  name: 'counter',
  taskKinds: [
    { type: 'counting', takes: 'all', details: [{ name: 'of', member: 'indexUid' }, { name: 'counted' }] },
    { type: 'forgotten', takes: 'oldest', details: null },
  ],
  writer: new URL(`data:text/javascript,${encodeURIComponent(PART)}`),
  configure: () => ({
    open: async ({ instance }) => ({
      routes: [
        {
          method: 'POST',
          path: '/indexes/:indexUid/count',
          action: 'stats.get',
          answer: ({ parameters, register }) => register(counting(parameters['indexUid']!), 202),
        },
        {
          method: 'POST',
          path: '/forget',
          action: 'stats.get',
          async answer({ register }) {
            await Promise.all(['films', 'books'].map((uid) => instance.intake.enqueue(counting(uid))));
            return register({ type: 'forgotten' } as never, 200);
          },
        },
      ],
    }),
  }),
};

const MASTER_KEY = 'a master key for kinds of tasks';
const OPTIONS = ['--master-key', MASTER_KEY];
const ADMIN = { authorization: `Bearer ${MASTER_KEY}` };
const folder = newDatabaseFolder();
let server: TestServer;
const ask = <T = Record<string, unknown>>(method: string, path: string, body?: unknown, headers = ADMIN) =>
  server.call<T>(method, path, body, headers);
const listed = async (query: string, headers = ADMIN) => {
  const { body } = await ask<{ results: Record<string, unknown>[] }>('GET', `/tasks?${query}`, undefined, headers);
  return body.results.map(({ uid, type, indexUid, status, details }) => ({ uid, type, indexUid, status, details }));
};

beforeAll(async () => {
  server = await startServerWith([counter], folder, OPTIONS);
  await ask('POST', '/indexes/films/documents', [{ id: 1 }, { id: 2 }]);
  await server.allTasksDone();
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

describe('a kind of task of an extension', () => {
  it('is registered by its route, done by its runner, and shows what its kind says', async () => {
    const { status, body } = await ask('POST', '/indexes/films/count');
    expect([status, body]).toMatchObject([
      202,
      { taskUid: 1, indexUid: 'films', status: 'enqueued', type: 'counting' },
    ]);
    await server.allTasksDone();
    const details = { of: 'films', counted: 2, together: 1 };
    expect(await listed('types=COUNTING')).toEqual([
      { uid: 1, type: 'counting', indexUid: 'films', status: 'succeeded', details },
    ]);
    expect((await ask('GET', '/tasks/1')).body).not.toHaveProperty('secret');
    const { body: batch } = await ask<{ details: object; stats: { types: object } }>('GET', '/batches/1');
    expect(batch).toMatchObject({ details, stats: { types: { counting: 1 }, indexUids: { films: 1 } } });
  });

  it('joins the batches that its kind says, before tasks of indexes', async () => {
    const { body } = await ask<{ taskUid: number }>('POST', '/forget');
    await server.allTasksDone();
    const [forgotten, books, films] = await listed('limit=3');
    expect([books, films]).toMatchObject([
      { type: 'counting', indexUid: 'books', status: 'failed', details: { of: 'books', counted: null } },
      { type: 'counting', indexUid: 'films', status: 'succeeded', details: { together: 2 } },
    ]);
    // nothing runs it
    expect(forgotten).toMatchObject({ uid: body.taskUid, type: 'forgotten', status: 'failed', details: null });
    const { body: task } = await ask<{ error: object }>('GET', `/tasks/${body.taskUid}`);
    expect(task.error).toMatchObject({ message: 'This server cannot run tasks of type `forgotten`.' });
  });

  it('is a filter of tasks, an unknown one is none', async () => {
    expect(await listed('types=forgotten,documentAdditionOrUpdate')).toMatchObject([
      { type: 'forgotten' },
      { type: 'documentAdditionOrUpdate' },
    ]);
    const { status, body } = await ask<{ code: string; message: string }>('GET', '/tasks?types=guessing');
    expect([status, body.code]).toEqual([400, 'invalid_task_types']);
    expect(body.message).toMatch(/`dsrClear`, `counting`, `forgotten`\.$/);
    const { body: deletion } = await ask<{ taskUid: number }>('DELETE', '/tasks?types=forgotten');
    await server.allTasksDone();
    expect((await ask<{ details: object }>('GET', `/tasks/${deletion.taskUid}`)).body.details).toMatchObject({
      deletedTasks: 1,
    });
  });

  it('is seen by keys of its index only', async () => {
    const { body } = await ask<{ key: string }>('POST', '/keys', {
      actions: ['tasks.get'],
      indexes: ['bo*'],
      expiresAt: null,
    });
    const seen = await listed('types=counting', { authorization: `Bearer ${body.key}` });
    expect(seen.map(({ indexUid }) => indexUid)).toEqual(['books']);
  });

  it('is a type of tasks in the API description', async () => {
    interface Parameter {
      name: string;
      schema: { items: { enum: string[] } };
    }
    const { body } = await ask<{
      components: { schemas: { TaskType: { enum: string[] } } };
      paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
    }>('GET', '/openapi.json');
    const names = ['dsrClear', 'counting', 'forgotten'];
    expect(body.components.schemas.TaskType.enum.slice(-3)).toEqual(names);
    const filters = Object.values(body.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === 'types'));
    expect(filters.length).toBeGreaterThan(5);
    for (const { schema } of filters) expect(schema.items.enum.slice(-3)).toEqual(names);
  });

  it('is among the metrics', async () => {
    await ask('PATCH', '/experimental-features', { metrics: true });
    const text = await (await fetch(`${server.url}/metrics`, { headers: ADMIN })).text();
    expect(text).toMatch(/kind="types",value="counting"\} 3$/m);
  });

  it('is listed while its extension is left out, and by a server that does not know it', async () => {
    const before = await listed('types=counting');
    await server.stop();
    server = await startServerWith([counter], folder, [...OPTIONS, '--extensions=']);
    expect((await ask('POST', '/indexes/films/count')).status).toBe(404);
    expect(await listed('types=counting')).toEqual(before);
    await server.stop();
    server = await startServerWith([], folder, OPTIONS);
    const known = await listed('limit=100');
    expect(known.filter(({ type }) => type === 'counting')).toEqual(before.map((task) => ({ ...task, details: null })));
  });
});
