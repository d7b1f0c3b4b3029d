/** Two ways to search side by side, and judged hits that a file keeps. */
import { existsSync, readFileSync } from 'node:fs';
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

describe.skipIf(BROWSER === undefined || !existsSync(BUILT_FILE))('side by side in the dashboard', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder);
    await server.call('PATCH', '/indexes/trips/settings', {
      sortableAttributes: ['price'],
      filterableAttributes: ['price'],
    });
    await server.call('POST', '/indexes/trips/documents?primaryKey=code', [
      { code: 'x1', title: 'Island', price: 30 },
      { code: 'x2', title: 'Island of birds', price: 20 },
      { code: 'x3', title: 'To the island', price: 10 },
      // only a search without words finds it, so hits say when the words were searched
      { code: 'x4', title: 'Harbour', price: 10 },
    ]);
    await server.allTasksDone();
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });
  const way = (name: string) => screen.page.getByRole('region', { name: `Way ${name}` });
  const hits = async (name: string): Promise<string[]> =>
    (await way(name).locator('li p').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  const gain = (name: string) => way(name).getByRole('heading').innerText();

  test('two orders of one search are compared by the hits that were judged', async () => {
    const { page } = screen;
    await screen.go('/index/trips/search');
    await page.getByRole('link', { name: 'Side by side' }).click();
    await page.getByLabel('Words').fill('island');
    await expect.poll(() => hits('A'), PATIENT).toEqual(['Island', 'Island of birds', 'To the island']);
    await expect.poll(() => hits('B'), PATIENT).toEqual(['Island', 'Island of birds', 'To the island']);
    expect(await gain('A')).toBe('A: not judged');
    await way('B').getByLabel('Ranking rules').fill('price:asc');
    await expect.poll(() => hits('B'), PATIENT).toEqual(['To the island +2', 'Island of birds', 'Island −2']);
    await way('B').getByLabel('Grade of To the island').selectOption('3');
    await expect.poll(() => gain('B'), PATIENT).toBe('B: nDCG 1.000');
    expect(await gain('A')).toBe('A: nDCG 0.500');
    const overall = page.getByRole('region', { name: 'Over all searches' });
    await expect
      .poll(() => overall.getByRole('row').nth(1).innerText(), PATIENT)
      .toMatch(/island\s+0\.500\s+1\.000\s+differ/);
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('compare');
    await page.setViewportSize({ width: 390, height: 844 });
    await screen.picture('compare-phone');
    const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.poll(beyond, PATIENT).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 860 });
    // the next visit has it still
    await page.reload();
    await page.getByLabel('Words').fill('island');
    await expect.poll(() => gain('A'), PATIENT).toBe('A: nDCG 0.500');
  });

  test('what was judged is a file, which is taken again', async () => {
    const { page } = screen;
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save judged' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    const file = JSON.parse(text);
    expect(file.searches).toEqual([{ index: 'trips', primaryKey: 'code', search: { q: 'island' }, grades: { x3: 3 } }]);
    const judged = { ...file, searches: [{ ...file.searches[0], grades: { x1: 1 } }] };
    const open = (body: string) =>
      page
        .getByLabel('File of judged searches')
        .setInputFiles({ name: 'judged.json', mimeType: 'application/json', buffer: Buffer.from(body) });
    await open('{"searches":[{}]}');
    await page.getByText('`searches[0].index` is no name of an index').waitFor();
    await open(JSON.stringify(judged));
    await expect.poll(() => gain('A'), PATIENT).toBe('A: nDCG 1.000');
    expect(screen.faults).toEqual([]);
  });
});
