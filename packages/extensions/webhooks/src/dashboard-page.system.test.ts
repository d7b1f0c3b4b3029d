import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BROWSER, PATIENCE_MS, TestPage } from '@fossick/server/dashboard/page.test-support';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const PATIENT = { timeout: PATIENCE_MS };
const isBuilt = existsSync(fileURLToPath(new URL('../../../../apps/server/dist/main.js', import.meta.url)));
const MASTER_KEY = 'a master key of an inn';

describe.skipIf(BROWSER === undefined || !isBuilt)('webhooks in the dashboard', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  const authorization = { authorization: `Bearer ${MASTER_KEY}` };
  const get = async <T>(path: string) => (await server.call<T>('GET', path, undefined, authorization)).body;
  const open = async (options: readonly string[]): Promise<void> => {
    server = await startServerProcess(folder, ['--master-key', MASTER_KEY, ...options]);
    await screen.open(server.url);
    await screen.page.getByLabel('API key').fill(MASTER_KEY);
    await screen.page.getByRole('button', { name: 'Sign in' }).click();
    await screen.page.getByRole('link', { name: 'Advanced' }).click();
  };
  beforeAll(() => open([]));
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });
  const part = (name: string) => screen.page.getByRole('region', { name, exact: true });

  test('a webhook is made, changed without its masked header, and deleted', async () => {
    const { page } = screen;
    const hooks = async () =>
      (await get<{ results: { url: string; headers: Record<string, string> }[] }>('/webhooks')).results;
    await part('Webhooks').getByRole('button', { name: 'New webhook' }).click();
    const editor = page.getByLabel('As JSON');
    await editor.fill('{ "url": ');
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled(), PATIENT).toBe(true);
    await editor.fill('{ "url": "ftp://there" }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    const headers = { authorization: 'Bearer of news and secrets', 'x-inn': 'a' };
    await editor.fill(JSON.stringify({ url: 'https://hook.example/a', headers }));
    await page.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    expect(await hooks()).toMatchObject([{ url: 'https://hook.example/a' }]);
    const masked = (await hooks())[0]!.headers['authorization'];
    await part('Webhooks').getByRole('button', { name: 'Change https://hook.example/a' }).click();
    await editor.fill((await editor.inputValue()).replace('example/a', 'example/b').replace('"x-inn"', '"x-other"'));
    await page.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    expect(await hooks()).toMatchObject([
      { url: 'https://hook.example/b', headers: { authorization: masked, 'x-other': 'a' } },
    ]);
    expect((await hooks())[0]!.headers).not.toHaveProperty('x-inn');
    await part('Webhooks').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(hooks, PATIENT).toEqual([]);
  });

  test('their part is not there when the server leaves them out', async () => {
    await server.kill();
    await open(['--extensions=']);
    await part('Search rules').waitFor();
    await expect.poll(() => part('Webhooks').count(), PATIENT).toBe(0);
    expect(await screen.page.getByRole('alert').count()).toBe(0);
  });
});
