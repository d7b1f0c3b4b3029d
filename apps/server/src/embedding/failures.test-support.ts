import { expect } from 'vitest';
import type { TestServer, WireTask } from '../e2e/server-process.test-support.js';
import { type Behaviour, type Provider, restEmbedder } from './provider.test-support.js';

export const MOVIES = [
  { id: 1, title: 'Alien' },
  { id: 2, title: 'Brazil' },
  { id: 3, title: 'Casablanca' },
];

/** Sends a request that registers a task, and answers the task once it is finished. */
export async function done(server: TestServer, method: string, path: string, body?: unknown): Promise<WireTask> {
  const { body: summary } = await server.call<{ taskUid: number; message?: string }>(method, path, body);
  if (summary.taskUid === undefined) throw new Error(summary.message);
  const tasks = await server.allTasksDone();
  return tasks.find(({ uid }) => uid === summary.taskUid)!;
}

/** A fault of a provider, how it answers then, and what the error of the task tells. */
export type Failure = readonly [fault: string, behave: Behaviour, told: string];

/** Expects that documents fail with each of these faults of their provider, and that the documents after them do not. */
export async function expectFailures(
  server: TestServer,
  provider: Provider,
  failures: readonly Failure[],
): Promise<void> {
  await done(server, 'PATCH', '/indexes/movies/settings', { embedders: { default: restEmbedder(provider) } });
  await done(server, 'POST', '/indexes/movies/documents', MOVIES);
  const answers = provider.behave;
  for (const [fault, behave, told] of failures) {
    provider.behave = behave;
    const changed = MOVIES.map(({ id, title }) => ({ id: id + 10, title: `${title} ${fault}` }));
    const task = await done(server, 'POST', '/indexes/movies/documents', changed);
    expect(task, fault).toMatchObject({ status: 'failed', error: { code: 'vector_embedding_error' } });
    expect(task.error!.message, fault).toContain(told);
    expect(task.error!.message, fault).toContain('`11`');
    if (fault !== 'makes others') expect(task.error!.message, fault).toContain(provider.url);
    const { body: stats } = await server.call('GET', '/indexes/movies/stats');
    expect(stats, fault).toMatchObject({ numberOfDocuments: 3, numberOfEmbeddings: 3 });
    provider.behave = answers;
    const next = await done(server, 'POST', '/indexes/movies/documents', MOVIES);
    expect(next, fault).toMatchObject({ status: 'succeeded' });
  }
}
