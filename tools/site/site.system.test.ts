import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileServer } from '../../packages/fossick/src/web/static-server.test-support.js';
// @ts-expect-error: the tool is plain JavaScript
import { brokenLinks } from './links.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { linkedAddress, sitePages } from './pages.mjs';

const BROWSER = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
const isBuilt = process.env['FOSSICK_TEST_BUILT'] === '1';
const isPage = (file: string): boolean =>
  ['README.md', 'docs/guides/browser.md', 'docs/guides/README.md'].includes(file);

describe('a link of a page', () => {
  it.each([
    ['docs/guides/browser.md#files', 'README.md', 'docs/guides/browser.html#files'],
    ['../guides/browser.md', 'docs/reference/mcp.md', '../guides/browser.html'],
    ['../guides', 'docs/reference/mcp.md', '../guides/index.html'],
    ['../../README.md', 'docs/guides/browser.md', '../../index.html'],
    ['../images/dashboard-keys.webp', 'docs/guides/browser.md', '../images/dashboard-keys.webp'],
    ['#sizes', 'docs/guides/browser.md', '#sizes'],
    ['../../LICENSE', 'docs/guides/browser.md', 'https://github.com/fossick/fossick/blob/main/LICENSE'],
    ['../../packages/', 'docs/guides/browser.md', 'https://github.com/fossick/fossick/tree/main/packages'],
  ])('%s in %s is %s', (href, file, address) => expect(linkedAddress(href, file, isPage)).toBe(address));

  it('is refused when it leads to no file', () => {
    expect(() => linkedAddress('absent.md', 'README.md', isPage)).toThrow('README.md links to absent.md');
  });

  it('is reported when the built page has no such file or anchor, or loads from another place', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-links-'));
    writeFileSync(
      join(folder, 'a.html'),
      '<h1 id="x">A</h1> <a href="#x"></a> <a href="b.html#y"></a> <a href="c.html">',
    );
    writeFileSync(join(folder, 'b.html'), '<a href="a.html#x"></a> <img src="https://192.0.2.1/p.png">');
    expect(brokenLinks(folder)).toEqual(['a.html: b.html#y', 'a.html: c.html', 'b.html: https://192.0.2.1/p.png']);
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(!isBuilt || BROWSER === undefined)('the site in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-site-test-'));
  const server = new FileServer({ folders: { site: folder } });
  /** Requests that leave the server, and errors of pages. */
  const faults: string[] = [];
  let browser: Browser;
  let page: Page;
  let url: string;

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'build.mjs'), folder]);
    url = `${await server.start()}/site`;
    browser = await chromium.launch({ executablePath: BROWSER!, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(url)) faults.push(request.url());
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
    expect(faults).toEqual([]);
  });

  it('has a page for each file, under its title', () => {
    const pages = sitePages() as readonly { readonly address: string; readonly title: string }[];
    expect(pages.length).toBeGreaterThan(90);
    for (const { address } of pages) expect(readFileSync(join(folder, address), 'utf8')).toContain('<h1 id=');
  });

  it('finds a section by misspelt words, and follows the hit to it', async () => {
    await page.goto(`${url}/docs/guides/react.html`);
    expect(server.paths.filter((path) => /search\/|fossick\//.test(path))).toEqual([]);
    await page.keyboard.press('/');
    await page.keyboard.type('an engin in memry');
    const hit = page.locator('#hits a', { has: page.locator('strong', { hasText: 'An engine in memory' }) });
    await hit.first().waitFor();
    await expect.poll(() => hit.first().locator('mark').allTextContents(), { timeout: 120_000 }).toContain('engine');
    await hit.first().click();
    await page.waitForURL(`${url}/docs/guides/browser.html#an-engine-in-memory`);
    await page.locator('h2#an-engine-in-memory').waitFor();
    expect(await page.locator('nav [aria-current]').textContent()).toContain('In a browser');
  });

  it('opens the first hit with the Enter key, and says how many there are', async () => {
    await page.fill('#query', 'snapshot');
    await page.locator('#found', { hasText: /\d+ sections found/ }).waitFor();
    await page.press('#query', 'Enter');
    await page.waitForURL((address) => !address.href.includes('browser.html'));
  });

  it('has the playground, which indexes a file', async () => {
    await page.goto(`${url}/index.html`);
    await page.getByRole('link', { name: 'Playground' }).click();
    const buffer = Buffer.from('{"id":1,"title":"Star Wars"}');
    await page.setInputFiles('#file', { name: 'films.ndjson', mimeType: 'application/json', buffer });
    await page.fill('#query', 'star wrs');
    await page.locator('#hits mark', { hasText: 'Star' }).waitFor();
  });
});
