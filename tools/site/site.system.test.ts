import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
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
const AXE_FILE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** A folder for screenshots, for people to look at. */
const PICTURES = process.env['FOSSICK_PICTURES'];
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

  it('marks the parts of code at build time, whatever it holds', async () => {
    await page.goto(`${url}/docs/guides/getting-started.html`);
    await page.locator('pre .hljs-string').first().waitFor();
    expect(await page.locator('pre').first().textContent()).toContain('npm start');
    // code is text, never a part of the page
    expect(await page.locator('main form, main #query').count()).toBe(0);
  });

  it.each([
    ['index.html', 1280],
    ['docs/reference/relevancy.html', 1280],
    ['playground/index.html', 1280],
    ['docs/reference/relevancy.html', 390],
    ['playground/index.html', 390],
  ])('%s has no barriers at %i pixels, light and dark, and fits', async (address, width) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${url}/${address}`);
    // what matches is marked in titles and in quieter texts
    if (address.startsWith('playground')) {
      await page.fill('#query', 'godfahter');
      await page.locator('#hits div mark').first().waitFor();
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(readFileSync(AXE_FILE, 'utf8'));
      const found = (await page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })
        .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 150)))`)) as string[];
      expect(found, colorScheme).toEqual([]);
      if (PICTURES !== undefined)
        await page.screenshot({
          path: join(PICTURES, `site-${address.replace(/\W+/g, '-')}-${width}-${colorScheme}.png`),
        });
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  it('has no page that is wider than a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const wide: string[] = [];
    for (const { address } of sitePages() as readonly { readonly address: string }[]) {
      await page.goto(`${url}/${address}`);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (beyond > 0) wide.push(`${address}: ${beyond} pixels`);
    }
    expect(wide).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  it('has its list of pages behind a button on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${url}/docs/reference/relevancy.html`);
    const pages = page.getByRole('navigation', { name: 'Pages' });
    expect(await pages.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await pages.getByRole('link', { name: 'How results are ranked' }).waitFor();
    // the groups of other pages are closed
    await pages.getByText('Start', { exact: true }).click();
    await pages.getByRole('link', { name: 'In a browser' }).waitFor();
    expect(await page.getByRole('button', { name: 'Menu' }).getAttribute('aria-expanded')).toBe('true');
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  it('opens the playground on films with facets, whose search is a link', async () => {
    const loaded: string[] = [];
    const note = (request: { url(): string }): void => void loaded.push(request.url());
    page.on('request', note);
    await page.goto(`${url}/playground/index.html`);
    const first = page
      .locator('#facets fieldset', { has: page.getByText('genres', { exact: true }) })
      .locator('label')
      .first();
    await first.waitFor();
    await page.locator('#found', { hasText: '2,000 found' }).waitFor();
    // a hit is headed by a text, not by its number
    expect(await page.locator('#hits li strong').first().innerText()).toBe('Alice in Wonderland');
    expect((await first.innerText()).replace(/\s+/g, ' ')).toBe('Drama 715');
    await page.fill('#query', 'godfahter');
    await page.locator('#hits mark', { hasText: 'Godfather' }).first().waitFor();
    await page.getByLabel(/^Crime/).check();
    await page.locator('#found', { hasText: '3 found' }).waitFor();
    page.off('request', note);
    const link = page.url();
    expect(link).toContain('#query=godfahter&is.genres=Crime');
    await page.goto(`${url}/index.html`);
    await page.goto(link);
    await page.locator('#found', { hasText: '3 found' }).waitFor();
    expect(await page.getByLabel(/^Crime/).isChecked()).toBe(true);
    expect(await page.inputValue('#query')).toBe('godfahter');
    // searches with facets and marked words included
    const texts = [...new Set(loaded)].filter((address) => /\.(html|css|js)$/.test(address));
    const bytes = texts.reduce(
      (sum, address) => sum + gzipSync(readFileSync(join(folder, address.slice(url.length + 1)))).length,
      0,
    );
    expect(texts.length).toBeGreaterThanOrEqual(4);
    expect(bytes).toBeLessThan(200 * 1024);
    // other settings index the films in the page
    await page.locator('#tuning > summary').click();
    await page.fill('#settings', JSON.stringify({ filterableAttributes: ['year'] }));
    await page.click('#apply');
    await page.getByText('The settings are applied.').waitFor();
    await page.locator('#found', { hasText: 'not filterable' }).waitFor();
  });

  it('opens the first hit with the Enter key, and says how many there are', async () => {
    await page.goto(`${url}/docs/guides/browser.html`);
    await page.fill('#query', 'snapshot');
    await page.locator('#found', { hasText: /\d+ sections found/ }).waitFor();
    await page.press('#query', 'Enter');
    await page.waitForURL((address) => !address.href.includes('browser.html'));
  });

  it('has the playground, which indexes a file', async () => {
    await page.goto(`${url}/index.html`);
    await page.getByRole('link', { name: 'Playground' }).click();
    const buffer = Buffer.from('{"id":1,"title":"Jurassic Park"}');
    await page.setInputFiles('#file', { name: 'films.ndjson', mimeType: 'application/json', buffer });
    await page.getByText('1 documents were indexed').waitFor();
    await page.fill('#query', 'jurasic park');
    await page.locator('#hits mark', { hasText: 'Jurassic' }).waitFor();
    await page.getByRole('link', { name: 'What Fossick is' }).click();
    await page.waitForURL(`${url}/index.html`);
  });
});
