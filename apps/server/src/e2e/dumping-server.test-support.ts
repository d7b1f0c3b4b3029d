import { join } from 'node:path';
import { InstanceClient } from '@fossick/instance/client';
import type { Extension } from '@fossick/runtime/extension';
import { onTestFinished } from 'vitest';
import { EXTENSIONS } from '../extensions/extension-list.js';
import { hasExtension, newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

export const MASTER_KEY = 'a-master-key-of-24-bytes';
/** The headers of its master key. */
export const AUTH = { authorization: `Bearer ${MASTER_KEY}` };

/** All extensions that there are but one, as `--extensions` takes them. */
export const allBut = (leftOut: string): string =>
  EXTENSIONS.map(({ name }) => name)
    .filter((name) => name !== leftOut)
    .join();

/** Whether there are dumps and snapshots. */
export const HAS_COPIES = hasExtension('transfer');

/** The routes that make dumps and snapshots. */
export const COPIES: readonly string[] = HAS_COPIES ? ['/dumps', '/snapshots'] : [];

/** The options by which dumps and snapshots are in `dumps` and `snapshots` of a folder. */
export const copyFolders = (folder: string): readonly string[] =>
  HAS_COPIES ? ['--dump-dir', join(folder, 'dumps'), '--snapshot-dir', join(folder, 'snapshots')] : [];

/** A folder of its own, until the test ends. */
export function newFolder(): string {
  const folder = newDatabaseFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A server whose database and dumps are in this folder, until the test ends. */
export async function startDumping(folder: string, options: readonly string[] = []): Promise<TestServer> {
  const always = ['--master-key', MASTER_KEY, ...copyFolders(folder)];
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

/** What the report says after an extension has moved its part from one such server to another. */
export async function movedBy({ move }: Extension, from: TestServer, to: TestServer): Promise<string> {
  const clientOf = (role: string, { url }: TestServer): InstanceClient =>
    new InstanceClient({ role, url, key: MASTER_KEY, keyFlag: `--${role}-key`, firstDelayMs: 5 });
  const ends = { source: clientOf('source', from), target: clientOf('target', to) };
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const count = (what: string, moved: number, of: number): void => {
    if (of > 0) say(`${what}: ${moved} of ${of}`);
  };
  await move!({ ...ends, report: { problem: say, note: say, count } });
  await Promise.all([ends.source.close(), ends.target.close()]);
  return said.join('\n');
}
