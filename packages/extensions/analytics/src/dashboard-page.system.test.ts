import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BROWSER, PATIENCE_MS, TestPage } from '@fossick/server/dashboard/page.test-support';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const isBuilt = existsSync(fileURLToPath(new URL('../../../../apps/server/dist/main.js', import.meta.url)));
const FILMS = 300;
const PATIENT = { timeout: PATIENCE_MS };

describe.skipIf(BROWSER === undefined || !isBuilt)('search analytics in a browser', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServerProcess(folder, ['--search-analytics'], { FOSSICK_TEST_ANALYTICS_PERIOD_MS: '1000' });
    const films = sampleLines()
      .slice(0, FILMS)
      .map((line) => JSON.parse(line) as { id: number; title: string });
    await server.call('POST', '/indexes/films/documents?primaryKey=id', [
      ...films,
      { id: 900_000, title: 'Star Wars' },
    ]);
    await server.allTasksDone();
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });

  const cells = (table: string, query: string) =>
    screen.page
      .getByRole('table', { name: table })
      .getByRole('row')
      .filter({ hasText: query })
      .getByRole('cell')
      .allInnerTexts();

  test('a search that is typed and a hit that is opened are in the table: one search, one click, the first place', async () => {
    const { page } = screen;
    await screen.go('/index/films/search');
    // the page gives a search up when the next letter comes: the last one has to be answered
    const isWhole = (sent: { url(): string; postData(): string | null }): boolean =>
      sent.url().endsWith('/multi-search') && (sent.postData() ?? '').includes('"star wars"');
    const answered = page.waitForResponse((answer) => isWhole(answer.request()));
    await page.getByRole('searchbox').pressSequentially('star wars', { delay: 60 });
    await answered;
    await expect.poll(() => page.locator('article h3').first().innerText(), PATIENT).toBe('Star Wars');
    await page.locator('article').first().getByRole('button', { name: 'JSON' }).click();
    await page.getByRole('searchbox').fill('qqqqqqqq');
    await page.getByText('Nothing found for').waitFor();
    await screen.go('/analytics');
    await page.getByText('Searches of all clients, counted by this server').waitFor();
    await expect.poll(() => cells('Most searched', 'star wars'), PATIENT).toEqual(['star wars', '1', '0', '1', '1.0']);
    await expect.poll(() => cells('Without hits', 'qqqqqqqq'), PATIENT).toEqual(['qqqqqqqq', '1', '1', '0', '–']);
    await expect.poll(() => cells('By group of users', 'dashboard'), PATIENT).toHaveLength(5);
    await screen.picture('analytics-server');
    expect(await screen.barriers()).toEqual([]);
    // a table that is wider than a phone is reached by the keyboard
    const desktop = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 844 });
    expect(await screen.barriers()).toEqual([]);
    await page.setViewportSize(desktop);
  });

  test('the search page offers popular queries', async () => {
    const { page } = screen;
    for (let i = 0; i < 3; i++)
      await server.call('POST', '/indexes/films/search', { q: 'heat wave' }, { 'x-ms-user-id': `user ${i}` });
    await server.call('POST', '/indexes/films/documents', [{ id: 900_001, title: 'Heat Wave' }]);
    await server.allTasksDone();
    for (let i = 0; i < 6; i++)
      await server.call('POST', '/indexes/films/search', { q: 'heat wave' }, { 'x-ms-user-id': `visitor ${i}` });
    await server.call('PATCH', '/analytics/suggestions', { enabled: true, minSearches: 3 });
    const found = async () =>
      (await server.call<{ hits?: object[] }>('GET', '/indexes/query_suggestions/search?q=heat')).body.hits?.length;
    await expect.poll(found, { timeout: 120_000 }).toBe(1);
    await page.reload();
    await screen.go('/index/films/search');
    await page.getByRole('searchbox').fill('heat');
    await page.getByRole('button', { name: 'heat wave' }).click();
    await expect.poll(() => page.getByRole('searchbox').inputValue(), PATIENT).toBe('heat wave');
    await expect.poll(() => page.locator('article h3').first().innerText(), PATIENT).toBe('Heat Wave');
    expect(screen.faults).toEqual([]);
  });
});
