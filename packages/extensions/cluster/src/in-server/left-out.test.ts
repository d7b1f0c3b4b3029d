import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { allBut } from '@fossick/server/e2e/dumping-server.test-support';
import {
  keptPort,
  newDatabaseFolder,
  releasePorts,
  removeFolder,
} from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { contentsOf, refusalOf } from '@fossick/server/reliability/lost-files.test-support';
import { afterAll, beforeAll, expect, it } from 'vitest';

let port: number;
const folder = newDatabaseFolder();
const dbPath = join(folder, 'node');
const options = (...more: string[]): string[] => [
  ...['--cluster-objects', pathToFileURL(join(folder, 'shared')).href, '--cluster-url', `http://127.0.0.1:${port}`],
  ...['--cluster-secret', 'a secret of the nodes of tests', ...more],
];
beforeAll(async () => {
  port = await keptPort();
});
afterAll(() => {
  releasePorts([port]);
  removeFolder(folder);
});

it('a server that leaves clusters out is single whatever their options say, and knows none of their routes', async () => {
  const other = newDatabaseFolder();
  const server = await startTestServer(other, options('--cluster-role', 'king', '--extensions='));
  expect((await server.call('GET', '/_fossick/cluster')).status).toBe(404);
  expect((await server.call('GET', '/health?fresh=1ms')).status).toBe(200);
  await server.stop();
  expect(existsSync(join(other, 'cluster'))).toBe(false);
  expect(existsSync(join(folder, 'shared'))).toBe(false);
  removeFolder(other);
});

it('it refuses the folder of a node in one line and touches nothing, and the node goes on afterwards', async () => {
  const node = await startTestServer(dbPath, options());
  expect((await node.call('GET', '/_fossick/cluster')).body).toMatchObject({ url: `http://127.0.0.1:${port}` });
  await node.call('POST', '/indexes/inns/documents', [{ id: 1, title: 'The Anchor' }]);
  await node.allTasksDone();
  await node.stop();
  const before = contentsOf(folder);
  for (const more of [['--extensions='], ['--extensions', allBut('cluster')], []]) {
    const refusal = await refusalOf(dbPath, more.length === 0 ? [] : options(...more));
    const needed = more.length === 0 ? '' : 'a server that has the extension cluster and ';
    expect(refusal).toContain(`is that of a node of a cluster: start it with ${needed}--cluster-objects`);
    expect(refusal).not.toContain('\n');
    expect(contentsOf(folder)).toEqual(before);
  }
  const again = await startTestServer(dbPath, options());
  const found = await again.call('POST', '/indexes/inns/search', { q: 'anchor' });
  expect(found).toMatchObject({ status: 200, body: { hits: { length: 1 } } });
  await again.stop();
});
