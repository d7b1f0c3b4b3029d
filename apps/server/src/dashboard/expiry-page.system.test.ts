import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { BROWSER, PATIENCE_MS, TestPage } from './page.test-support.js';

const PATIENT = { timeout: PATIENCE_MS };
const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

describe.skipIf(BROWSER === undefined || !existsSync(BUILT_FILE))('expiry in the dashboard', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder);
    await server.call('POST', '/indexes/offers/documents', [
      { id: 1, name: 'tent', until: 1_577_836_800 },
      { id: 2, name: 'tent pegs', until: '2999-12-31' },
    ]);
    await server.allTasksDone();
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });

  test('is set by naming the attribute, and a search shows it', async () => {
    const { page } = screen;
    await screen.go('/index/offers');
    await expect.poll(() => page.locator('article').count(), PATIENT).toBe(2);
    // names of attributes that come late move no input of the page
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/indexes/offers/stats', async (route) => {
      await released;
      await route.continue();
    });
    await page.reload();
    const asked = page.waitForRequest('**/indexes/offers/stats');
    await screen.go('/index/offers/settings');
    await asked;
    // the page has drawn what it can without them
    await screen.drawn();
    release();
    await page.getByRole('combobox', { name: 'Expiry attribute' }).fill('until');
    await page.getByRole('option', { name: 'until' }).click();
    await page.getByRole('button', { name: /^Save/ }).click();
    const setting = async (): Promise<unknown> =>
      (await server.call('GET', '/indexes/offers/settings/expiry-attribute')).body;
    await expect.poll(setting, PATIENT).toBe('until');
    await screen.go('/index/offers');
    await expect.poll(() => page.locator('article').count(), PATIENT).toBe(1);
    expect(screen.faults).toEqual([]);
  });
});
