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

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

describe.skipIf(BROWSER === undefined || !existsSync(BUILT_FILE))('faulty documents in the dashboard', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder);
    await server.call('POST', '/indexes', { uid: 'parts', primaryKey: 'id' });
    // the page asks for the key of an index that it does not know
    await server.allTasksDone();
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });

  test('are left out of an upload on demand, and listed there and with the task', async () => {
    const { page } = screen;
    await screen.go('/index/parts/documents');
    await page.getByRole('button', { name: 'Upload' }).click();
    const form = page.getByRole('dialog', { name: 'Add documents to parts' });
    await form.getByLabel('Leave out faulty documents').check();
    const faulty = Array.from({ length: 24 }, (_, at) => `{"name":"part ${at}"}`);
    const buffer = Buffer.from(['{"id":1,"name":"bolt"}', '{"id":', ...faulty, '{"id":2,"name":"nut"}'].join('\n'));
    await form
      .locator('input[type=file]')
      .setInputFiles({ name: 'parts.ndjson', mimeType: 'application/x-ndjson', buffer });
    await form.getByText('2 documents', { exact: true }).waitFor();
    await form.getByText('25 documents left out').waitFor();
    const rows = form.getByRole('table', { name: 'Documents left out' }).getByRole('row');
    await expect.poll(() => rows.count(), { timeout: PATIENCE_MS }).toBe(21);
    expect(await rows.nth(1).innerText()).toMatch(/^2\s.*malformed/s);
    await form.getByRole('button', { name: 'Later' }).click();
    await expect.poll(() => rows.count(), { timeout: PATIENCE_MS }).toBe(6);
    const { body } = await server.call<{ total: number }>('GET', '/indexes/parts/documents');
    expect(body.total).toBe(2);
    await screen.go('/tasks');
    await page.getByRole('button', { name: 'Task 1', exact: true }).click();
    await page.getByRole('dialog').getByText('25 documents left out').waitFor();
    expect(await screen.barriers()).toEqual([]);
    expect(screen.faults).toEqual([]);
  });
});
