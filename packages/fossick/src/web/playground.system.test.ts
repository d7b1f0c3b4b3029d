import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { films } from '../films.test-support.js';
import { FileServer } from './static-server.test-support.js';

const LIBRARY = fileURLToPath(new URL('../../dist/browser', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../../../examples/playground', import.meta.url));
const BROWSER = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
const isBuilt = process.env['FOSSICK_TEST_BUILT'] === '1' && existsSync(LIBRARY);

describe.skipIf(!isBuilt || BROWSER === undefined)('the playground in Chromium', () => {
  const server = new FileServer({ folders: { page: EXAMPLE, fossick: LIBRARY } });
  const faults: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const url = await server.start();
    browser = await chromium.launch({ executablePath: BROWSER!, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(url)) faults.push(request.url());
    });
    // the folder of the library is next to the page where it is published
    await page.route('**/page/fossick/**', (route) =>
      route.fulfill({
        path: route
          .request()
          .url()
          .replace(/^.*\/page\/fossick/, LIBRARY),
      }),
    );
    await page.goto(`${url}/page/index.html`);
  });
  afterAll(async () => {
    await browser?.close();
    await server.close();
    expect(faults).toEqual([]);
  });

  it('indexes a chosen file, and finds a misspelt title while one types', async () => {
    const buffer = Buffer.from(JSON.stringify(films(500)));
    await page.setInputFiles('#file', { name: 'films.json', mimeType: 'application/json', buffer });
    await page.getByText('500 documents were indexed').waitFor();
    await page.fill('#query', 'wonderlnd');
    await page.locator('#hits mark', { hasText: 'Wonderlan' }).first().waitFor();
  });

  it('takes CSV, and shows the counts of its filterable attributes', async () => {
    const csv = 'id,name,kind,price:number\n1,"Pine, tall",tree,3\n2,Fern,plant,1.5\n3,Oak,tree,9\n';
    await page.setInputFiles('#file', { name: 'garden.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByText('3 documents were indexed').waitFor();
    await page.fill('#query', '');
    await page.locator('#hits li', { hasText: 'Pine, tall' }).waitFor();
    await page.locator('#tuning > summary').click();
    await page.fill('#settings', JSON.stringify({ filterableAttributes: ['kind'] }));
    await page.click('#apply');
    const values = () => page.locator('#facets label').allInnerTexts();
    const shown = async () => (await values()).map((text) => text.replace(/\s+/g, ' '));
    await expect.poll(shown, { timeout: 120_000 }).toEqual(['tree 2', 'plant 1']);
    await page.getByLabel(/^plant/).check();
    await page.locator('#found', { hasText: '1 found' }).waitFor();
    expect(decodeURIComponent(new URL(page.url()).hash)).toContain('is.kind=plant');
    await page.getByLabel(/^plant/).uncheck();
    await page.locator('#found', { hasText: '3 found' }).waitFor();
    // back to the films of the tests before
    const buffer = Buffer.from(JSON.stringify(films(500)));
    await page.setInputFiles('#file', { name: 'films.json', mimeType: 'application/json', buffer });
    await page.getByText('500 documents were indexed').waitFor();
    await page.fill('#query', 'wonderlnd');
    await page.locator('#hits mark', { hasText: 'Wonderlan' }).first().waitFor();
  });

  it('says why a hit is where it is', async () => {
    await page.locator('#hits li').first().getByText('Why here').click();
    const rules = () => page.locator('#hits li').first().locator('th').allTextContents();
    await expect
      .poll(rules, { timeout: 120_000 })
      .toEqual(expect.arrayContaining(['words', 'typo', 'proximity', 'exactness']));
  });

  it('applies settings, then filters by an attribute, and shows the text of an error', async () => {
    await page.fill('#query', '');
    await page.fill('#filter', 'year < 1920');
    await page.locator('#found', { hasText: 'not filterable' }).waitFor();
    await page.fill('#settings', JSON.stringify({ filterableAttributes: ['year'] }));
    await page.click('#apply');
    await page.getByText('The settings are applied.').waitFor();
    const count = films(500).filter(({ year }) => year < 1920).length;
    await page.locator('#found', { hasText: `${count} found` }).waitFor();
  });

  it('links the address of a picture, and loads it only when one asks for pictures', async () => {
    const address = 'https://pictures.example.org/a/long/way/to/the/posters/of/1993/jurassic-park.jpg';
    await page.route('https://pictures.example.org/**', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    );
    const buffer = Buffer.from(JSON.stringify({ id: 1, poster: address, title: 'Jurassic Park' }));
    await page.setInputFiles('#file', { name: 'film.ndjson', mimeType: 'application/json', buffer });
    await page.fill('#filter', '');
    await page.fill('#query', 'jurassic');
    const link = page.locator('#hits li a');
    await link.waitFor();
    // the word is also in the address, which is no heading
    expect(await page.locator('#hits strong').innerText()).toBe('Jurassic Park');
    expect(await link.innerText()).toBe('pictures.example.org/…to/the/posters/of/1993/jurassic-park.jpg');
    expect(await link.getAttribute('href')).toBe(address);
    expect(faults).toEqual([]);
    await page.getByLabel('Show pictures').check();
    await page.locator('#hits img').waitFor({ state: 'attached' });
    await expect.poll(() => faults).toEqual([address]);
    faults.length = 0;
    expect(await link.count()).toBe(0);
    // another file asks again, and one without pictures does not ask
    await page.setInputFiles('#file', { name: 'other.ndjson', mimeType: 'application/json', buffer });
    await link.waitFor();
    expect(await page.getByLabel('Show pictures').isChecked()).toBe(false);
    const plain = Buffer.from('{"id":1,"title":"Jurassic Park"}');
    await page.setInputFiles('#file', { name: 'plain.ndjson', mimeType: 'application/json', buffer: plain });
    await page.getByLabel('Show pictures').waitFor({ state: 'hidden' });
    await page.fill('#query', '');
  });

  it('never takes the text of a document for markup', async () => {
    const buffer = Buffer.from('{"id":1,"title":"<img src=x onerror=alert(1)> in a text"}');
    await page.setInputFiles('#file', { name: 'hostile.ndjson', mimeType: 'application/json', buffer });
    await page.getByText('1 documents were indexed').waitFor();
    await page.fill('#filter', '');
    await page.locator('#hits li', { hasText: '<img src=x' }).waitFor();
    expect(await page.locator('#hits img').count()).toBe(0);
  });
});
