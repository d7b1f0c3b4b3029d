import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BROWSER, PATIENCE_MS, TestPage } from '../dashboard/page.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '../e2e/server-process.test-support.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
/** What `npm start` sets. */
const SETTINGS = {
  searchableAttributes: ['title', 'overview', 'cast', 'genres'],
  filterableAttributes: ['genres', 'year', 'cast'],
  sortableAttributes: ['year', 'title'],
};

if (BROWSER === undefined) console.log('the pages of examples are not tried: there is no chromium here');

describe.skipIf(BROWSER === undefined)('pages of examples, built and opened', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-examples-'));
  const database = newDatabaseFolder();
  const browser = new TestPage();
  let server: ServerProcess;
  let files: Server;
  let filesUrl = '';

  beforeAll(async () => {
    const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
    const built = ['instantsearch', 'bare-client'].map((name) =>
      run(process.execPath, [vite, 'build', '--base', './', '--outDir', join(folder, name), '--emptyOutDir'], {
        cwd: join(ROOT, 'examples', name),
      }),
    );
    [server] = await Promise.all([startServerProcess(database), ...built]);
    await server.call('PATCH', '/indexes/movies/settings', SETTINGS);
    const headers = { 'content-type': 'application/x-ndjson' };
    await server.call('POST', '/indexes/movies/documents', sampleLines().join('\n'), headers);
    await server.allTasksDone();
    files = createServer((request, response) => {
      const path = normalize(new URL(request.url!, 'http://a').pathname);
      const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
      if (!existsSync(file)) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
      createReadStream(file).pipe(response);
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    files?.close();
    await server?.kill();
    removeFolder(database);
    rmSync(folder, { recursive: true, force: true });
  });
  /** Faults but requests to the server and for the page's own files. */
  const faults = (): string[] =>
    browser.faults.filter((fault) => !fault.startsWith(server.url) && !fault.startsWith(filesUrl));
  const open = async (name: string): Promise<void> => {
    browser.faults.length = 0;
    await browser.open(`${filesUrl}/${name}/?server=${encodeURIComponent(server.url)}`);
  };

  test('InstantSearch: search as you type with a typo, facets that add up, sorting, pages', async () => {
    await open('instantsearch');
    const { page } = browser;
    const title = page.locator('#hits h3').first();
    await page.getByPlaceholder('jurasic park').pressSequentially('jurasic park');
    await title.filter({ hasText: 'Jurassic Park' }).waitFor();
    await page.locator('#hits mark').first().waitFor();
    await page.getByPlaceholder('jurasic park').fill('');
    await page.locator('#stats').filter({ hasText: '1000 films' }).waitFor();
    const count = async (): Promise<number> => Number.parseInt(await page.locator('#stats').innerText(), 10);
    await page.getByLabel(/^Western/).check();
    await page.locator('#stats').filter({ hasNotText: '1000 films' }).waitFor();
    const westerns = await count();
    await page.getByLabel(/^Comedy/).check();
    await expect.poll(count, { timeout: PATIENCE_MS }).toBeGreaterThan(westerns);
    await page.locator('#order select').selectOption({ label: 'Newest first' });
    await title.filter({ hasText: /\(20[12]\d\)/ }).waitFor();
    await page.locator('#pages').getByLabel('Page 2', { exact: true }).click();
    await page.locator('.ais-Pagination-item--selected').filter({ hasText: '2' }).waitFor();
    expect(faults()).toEqual([]);
    await browser.picture('example-instantsearch');
  });

  test('the bare client: what matched is marked, genres filter', async () => {
    await open('bare-client');
    const { page } = browser;
    await page.getByLabel('Title, people, plot').pressSequentially('harry poter');
    await page.locator('#hits li em').first().waitFor();
    await page.locator('#hits li').filter({ hasText: 'Harry Potter' }).first().waitFor();
    await page.getByLabel('Title, people, plot').fill('');
    await page
      .locator('#count')
      .filter({ hasText: /^1000 films/ })
      .waitFor();
    const box = page.getByRole('checkbox').first();
    await box.check();
    await page
      .locator('#count')
      .filter({ hasNotText: /^1000 films/ })
      .waitFor();
    expect(faults()).toEqual([]);
    await browser.picture('example-bare-client');
  });
});
