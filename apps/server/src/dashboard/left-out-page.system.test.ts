import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { BROWSER, PATIENCE_MS, TestPage } from './page.test-support.js';

/** The views of the server that need no extension. */
const VIEWS = ['Indexes', 'Tasks', 'Statistics', 'API keys', 'Advanced'];

describe.skipIf(BROWSER === undefined)('the dashboard of a server without extensions', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder, ['--extensions=']);
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });

  test('shows no view of one, and asks for none of their routes', { timeout: PATIENCE_MS }, async () => {
    const { page } = screen;
    const unknown: string[] = [];
    page.on('response', (answer) => void (answer.status() === 404 && unknown.push(answer.url())));
    await page.reload();
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: 'Advanced' }).waitFor();
    expect(await views.getByRole('link').allTextContents()).toEqual(VIEWS);
    for (const name of VIEWS) {
      await views.getByRole('link', { name }).click();
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await page.waitForLoadState('networkidle');
    }
    expect(unknown).toEqual([]);
    expect(screen.faults).toEqual([]);
  });
});
