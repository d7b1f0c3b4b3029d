/** What concerns the whole server: features, search rules, copies and tenant tokens, in the dashboard. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyFolders, HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { BROWSER, PATIENCE_MS, TestPage } from './page.test-support.js';

const PATIENT = { timeout: PATIENCE_MS };
const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const MASTER_KEY = 'a master key of an inn';

describe.skipIf(BROWSER === undefined || !existsSync(BUILT_FILE))('the server in the dashboard', () => {
  const folder = newDatabaseFolder();
  const [dumps, snapshots] = [join(folder, 'dumps'), join(folder, 'snapshots')];
  const screen = new TestPage();
  let server: ServerProcess;
  const authorization = { authorization: `Bearer ${MASTER_KEY}` };
  const get = async <T>(path: string) => (await server.call<T>('GET', path, undefined, authorization)).body;
  beforeAll(async () => {
    server = await startServerProcess(join(folder, 'db'), ['--master-key', MASTER_KEY, ...copyFolders(folder)]);
    for (const uid of ['rooms', 'staff']) {
      await server.call('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['floor'] }, authorization);
      const documents = [
        { id: 1, name: 'blue', floor: 1 },
        { id: 2, name: 'blue too', floor: 2 },
      ];
      await server.call('POST', `/indexes/${uid}/documents`, documents, authorization);
    }
    await server.allTasksDone();
    await screen.open(server.url);
    await screen.page.getByLabel('API key').fill(MASTER_KEY);
    await screen.page.getByRole('button', { name: 'Sign in' }).click();
    await screen.page.getByRole('link', { name: 'Advanced' }).click();
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });
  const part = (name: string) => screen.page.getByRole('region', { name, exact: true });

  test('search rules come with their feature, and pin hits', async () => {
    const { page } = screen;
    await part('Experimental features').getByRole('switch', { name: 'Dynamic search rules' }).click();
    await part('Search rules').getByRole('button', { name: 'New rule' }).click();
    expect(await get('/experimental-features')).toMatchObject({ dynamicSearchRules: true });
    await page.getByLabel('Name').fill('second-first');
    const rule = {
      conditions: { query: { words: 'blue' } },
      actions: { pin: [{ id: '2', position: 0, indexUid: 'rooms' }] },
    };
    await page.getByLabel('As JSON').fill(JSON.stringify(rule));
    await page.getByRole('button', { name: 'Save' }).click();
    await part('Search rules').getByText('second-first').waitFor();
    const first = async () =>
      (await server.call<{ hits: { id: number }[] }>('POST', '/indexes/rooms/search', { q: 'blue' }, authorization))
        .body.hits[0]!.id;
    expect(await first()).toBe(2);
    await part('Search rules').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(first, PATIENT).toBe(1);
  });

  test.runIf(HAS_COPIES)('a dump is written, and its name shown', async () => {
    await part('Copies').getByRole('button', { name: 'Make a dump' }).click();
    const name = await part('Copies').locator('code').filter({ hasText: '.dump' }).last().innerText();
    expect(existsSync(join(dumps, name))).toBe(true);
  });

  test.runIf(HAS_COPIES)('a dump and a snapshot are listed, and downloaded as they are', async () => {
    const { page } = screen;
    await part('Copies').getByRole('button', { name: 'Make a snapshot' }).click();
    for (const [title, ending] of [
      ['Dumps', '.dump'],
      ['Snapshots', '.snapshot'],
    ] as const) {
      const rows = part('Copies').getByRole('table', { name: title });
      const button = rows.getByRole('button', { name: /^Download / }).first();
      const name = (await button.getAttribute('aria-label'))!.slice('Download '.length);
      expect(name.endsWith(ending)).toBe(true);
      const [saved] = await Promise.all([page.waitForEvent('download'), button.click()]);
      expect(saved.suggestedFilename()).toBe(name);
      const there = readFileSync(join(ending === '.dump' ? dumps : snapshots, name));
      expect(readFileSync(await saved.path()).equals(there)).toBe(true);
    }
  });

  test('a tenant token finds what it is narrowed to, and nothing else', async () => {
    const { page } = screen;
    const tokens = part('Tenant token');
    await tokens.getByRole('combobox', { name: 'Indexes of the token' }).click();
    await page.getByRole('option', { name: 'rooms' }).click();
    await page.keyboard.press('Escape');
    // a filter that no search takes is told at its field, and nothing is signed
    for (const [filter, told] of [
      ['floor =', /^rooms: /],
      ['floor = 2 AND', /^rooms: /],
      ['name = "blue"', /^rooms: .*`name`/],
    ] as const) {
      await tokens.getByLabel('Filter').fill(filter);
      await tokens.getByRole('button', { name: 'Make the token' }).click();
      await tokens.getByText(told).waitFor();
      expect(await tokens.getByLabel('Filter').getAttribute('aria-invalid')).toBe('true');
      expect(await tokens.getByRole('region', { name: 'Token' }).count()).toBe(0);
    }
    await tokens.getByLabel('Filter').fill('floor = 2');
    expect(await tokens.getByText(/^rooms: /).count()).toBe(0);
    await tokens.getByRole('button', { name: 'Make the token' }).click();
    const token = (await tokens.getByRole('region', { name: 'Token' }).innerText()).trim();
    const ask = (uid: string) =>
      server.call<{ hits?: object[] }>(
        'POST',
        `/indexes/${uid}/search`,
        { q: 'blue' },
        { authorization: `Bearer ${token}` },
      );
    expect((await ask('rooms')).body.hits).toEqual([{ id: 2, name: 'blue too', floor: 2 }]);
    expect((await ask('staff')).status).toBe(403);
  });

  test('has no barriers, and fits a phone', async () => {
    const { page } = screen;
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      expect(await screen.barriers(scheme === 'dark')).toEqual([]);
      await screen.picture(`server-${scheme}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.poll(beyond, PATIENT).toBeLessThanOrEqual(0);
    await screen.picture('server-phone');
    expect(screen.faults).toEqual([]);
  });
});
