import { BROWSER, PATIENCE_MS, TestPage } from '@fossick/server/dashboard/page.test-support';
import { newDatabaseFolder, removeFolder, startServerProcess } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClusterServers, LASTING_LEAD } from './in-nodes/cluster-servers.test-support.js';

const PATIENT = { timeout: PATIENCE_MS };
let screen: TestPage;
let servers: ClusterServers | undefined;
beforeEach(() => {
  screen = new TestPage();
});
afterEach(async () => {
  await screen.close();
  await servers?.end();
});

describe.skipIf(BROWSER === undefined || !isBuilt)('the page of the cluster in a browser', () => {
  const link = () => screen.page.getByRole('link', { name: 'Cluster', exact: true });

  test('shows the nodes that follow the leader, and of a follower who leads', async () => {
    servers = new ClusterServers({ environment: LASTING_LEAD });
    await servers.startAll('a', 'b');
    const leader = await servers.leader();
    await servers.server(leader).call('POST', '/indexes/films/documents', [{ id: 1 }]);
    await servers.atRest();
    await screen.open(servers.server(leader).url);
    await link().click();
    await expect
      .poll(() => screen.page.locator('tbody tr').allInnerTexts(), PATIENT)
      .toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\s+in contact\s+0\s+\d+\.\d s ago$/)]);
    const { position } = await servers.status(leader);
    await expect
      .poll(() => screen.page.locator('main').innerText(), PATIENT)
      .toMatch(new RegExp(`leader[\\s\\S]*${position}`, 'i'));
    expect(await screen.barriers()).toEqual([]);
    const follower = leader === 'a' ? 'b' : 'a';
    await screen.page.goto(`${servers.server(follower).url}/#/cluster`);
    await screen.page.getByText(/^The leader is http:\/\/127\.0\.0\.1:\d+; its dashboard shows all nodes\.$/).waitFor();
  });

  test('has no link on a single server', async () => {
    const folder = newDatabaseFolder();
    const single = await startServerProcess(folder);
    try {
      await screen.open(single.url);
      await screen.page.getByRole('link', { name: 'API keys' }).waitFor();
      const asked = await screen.page.evaluate("fetch('/_fossick/cluster').then((answer) => answer.json())");
      expect(asked).toEqual({ role: 'single' });
      expect(await link().count()).toBe(0);
    } finally {
      await single.kill();
      removeFolder(folder);
    }
  });
});
