import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

export const MASTER_KEY = 'a-master-key-of-24-bytes';
/** The headers of its master key. */
export const AUTH = { authorization: `Bearer ${MASTER_KEY}` };

/** A folder of its own, until the test ends. */
export function newFolder(): string {
  const folder = newDatabaseFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A server whose database and dumps are in this folder, until the test ends. */
export async function startDumping(folder: string, options: readonly string[] = []): Promise<TestServer> {
  const always = ['--master-key', MASTER_KEY, '--dump-dir', join(folder, 'dumps')];
  const server = await startTestServer(join(folder, 'data'), [...always, ...options]);
  onTestFinished(() => server.stop().then(() => undefined));
  return server;
}

/** Resolves with the file of a new dump of such a server. */
export async function dumpOf(server: TestServer, folder: string): Promise<string> {
  await server.call('POST', '/dumps', undefined, AUTH);
  const [dumped] = await server.allTasksDone();
  return join(folder, 'dumps', `${String(dumped!.details!.dumpUid)}.dump`);
}
