/** What a user of the dashboard meets every day: a first look, uploads, drafts, pictures, a key for searches, a server that stops. */
import { execFileSync } from 'node:child_process';
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

const PATIENT = { timeout: PATIENCE_MS };
const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const isTried = BROWSER !== undefined && existsSync(BUILT_FILE);
const LIMIT_BYTES = 50_000;
const PICTURE_HOST = 'https://pictures.example';
const DOT = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

describe.skipIf(!isTried)('every day in the dashboard', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder, ['--http-payload-size-limit', String(LIMIT_BYTES)]);
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });
  const status = () => screen.page.getByRole('status').first().innerText();
  const first = (facet: string) =>
    screen.page.getByRole('group', { name: facet }).locator('.facet-value').first().innerText();
  const countOf = async (uid: string): Promise<number | undefined> =>
    (await server.call<{ numberOfDocuments?: number }>('GET', `/indexes/${uid}/stats`)).body.numberOfDocuments;

  test('a page that waits for its server says so, without barriers', async () => {
    const { page } = screen;
    await page.getByRole('button', { name: 'Load sample films' }).waitFor();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/indexes?*', async (route) => {
      await answered;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('main').getByRole('progressbar', { name: 'Loading' }).waitFor();
    expect(await screen.barriers()).toEqual([]);
    answer();
    await page.getByRole('button', { name: 'Load sample films' }).waitFor();
    await page.unrouteAll();
  });

  test('an empty server offers the sample films, whose total is more than what is counted', async () => {
    const { page } = screen;
    const load = page.getByRole('button', { name: 'Load sample films' });
    await load.waitFor();
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('everyday-empty');
    await load.click();
    await page.getByRole('searchbox').waitFor();
    await expect.poll(() => countOf('movies'), PATIENT).toBe(2_000);
    await server.allTasksDone();
    await expect.poll(status, PATIENT).toMatch(/^1,000\+ hits in/);
    const faceting = (await server.call('GET', '/indexes/movies/settings/faceting')).body;
    expect(faceting).toMatchObject({ sortFacetValuesBy: { '*': 'count' } });
    await page.getByRole('searchbox').fill('godfahter');
    await expect.poll(status, PATIENT).toMatch(/^\d+ hits? in/);
    await screen.picture('everyday-films');
  });

  test('facets begin with the most frequent value, also where the index orders them by name and has more than it shows', async () => {
    const makers = Array.from({ length: 300 }, (_, id) => ({ id, maker: id % 2 ? 'Zyx' : `Maker ${id}` }));
    await server.call('PATCH', '/indexes/tools/settings', { filterableAttributes: ['maker'] });
    await server.call('POST', '/indexes/tools/documents', makers);
    await server.allTasksDone();
    await screen.go('/index/tools/search');
    await expect.poll(() => first('maker'), PATIENT).toMatch(/^Zyx\s+150$/);
    await expect.poll(status, PATIENT).toMatch(/^300 hits/);
  });

  test('the search is there as code, and a shell runs it as it is', async () => {
    const { page } = screen;
    await screen.go("/index/tools/search/q=Maker 4 it's&is.maker=Maker 4");
    await expect.poll(status, PATIENT).toMatch(/^1 hit in/);
    await page.getByRole('button', { name: 'As code' }).click();
    const code = page.getByRole('region', { name: 'In curl' });
    const answer = JSON.parse(execFileSync('sh', ['-c', `${await code.innerText()} -s`], { encoding: 'utf8' }));
    expect(answer).toMatchObject({ hits: [{ id: 4 }], facetDistribution: { maker: { 'Maker 4': 1 } }, limit: 20 });
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByRole('region', { name: 'In Python' }).getByText('meilisearch.Client').waitFor();
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('everyday-code');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  test('tells why a document is not found', async () => {
    const { page } = screen;
    await screen.go('/index/tools/search/q=maker 8&is.maker=Zyx');
    await expect.poll(status, PATIENT).toMatch(/^0 hits in/);
    await page.getByRole('button', { name: 'Why not found?' }).click();
    const findings = async (id: string): Promise<string[]> => {
      await page.getByLabel('Its id').fill(id);
      await page.getByRole('button', { name: 'Tell why' }).click();
      const lines = page.getByRole('list', { name: 'Findings' }).getByRole('listitem');
      await expect.poll(async () => (await lines.allInnerTexts()).join(), PATIENT).toContain(`ocument ${id}`);
      return lines.allInnerTexts();
    };
    expect(await findings('8')).toEqual([
      'Document 8 is there.',
      'It does not pass the filter "maker" = "Zyx".',
      'It has “maker”.',
      'It has “8”.',
      'The search does not find it.',
    ]);
    expect(await findings('9')).toContain('It does not have “maker”.');
    expect(await findings('4711')).toEqual(['There is no document 4711.']);
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('everyday-why-not');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  test('tells how hits are ranked', async () => {
    const { page } = screen;
    await screen.go('/index/tools/search/q=maker 8');
    await page.getByRole('button', { name: 'How is this ranked?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Plan of this search' });
    await expect.poll(() => dialog.innerText(), PATIENT).toContain('Its answer needs the best 20 documents');
    expect(await dialog.getByRole('cell', { name: 'maker', exact: true }).count()).toBe(1);
    expect(await dialog.getByRole('cell', { name: 'proximity' }).count()).toBe(1);
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('everyday-plan');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  test('hits with places are shown on a map, which loads nothing from elsewhere', async () => {
    const { page } = screen;
    await server.call('POST', '/indexes/harbours/documents', [
      { id: 1, name: 'Rotterdam', _geo: { lat: 51.9, lng: 4.5 } },
      { id: 2, name: 'Hamburg', _geo: { lat: '53.5', lng: '9.9' } },
      { id: 3, name: 'Nowhere' },
    ]);
    await server.allTasksDone();
    await screen.go('/index/harbours/search');
    await page.getByRole('button', { name: 'Show on a map' }).click();
    const map = page.getByRole('img', { name: 'Places of 2 hits: Rotterdam, Hamburg' });
    await map.waitFor();
    const box = (await map.boundingBox())!;
    const place = async (at: number) => (await map.locator('circle').nth(at).boundingBox())!;
    // Hamburg is east and north of Rotterdam
    expect((await place(1)).x).toBeGreaterThan((await place(0)).x + box.width / 10);
    expect((await place(1)).y).toBeLessThan((await place(0)).y);
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('everyday-map');
    // an index begins with its last search, unless the address has one
    await screen.go('/index/tools/search/q=maker');
    await expect.poll(status, PATIENT).toMatch(/^150 hits/);
    expect(await page.getByRole('button', { name: 'Show on a map' }).count()).toBe(0);
  });

  test('help tells the version, and where the reference is', async () => {
    const { page } = screen;
    await page.getByRole('button', { name: 'Help' }).click();
    await page.getByText(/^Fossick \d+\.\d+\.\d+, API 1\.\d+/).waitFor();
    const reference = page.getByRole('link', { name: 'Reference of the API' });
    expect(await reference.getAttribute('href')).toBe(`${server.url}/docs`);
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('everyday-help');
    await page.keyboard.press('Escape');
  });

  test('a file asks for its index and key first, and is sent in parts when it is above the limit', async () => {
    const { page } = screen;
    const wares = Array.from({ length: 900 }, (_, at) => ({
      ...{ sku: at, shop: at % 3, text: `ware, "${at}" } ] of many ${'words '.repeat(12)}` },
    }));
    const files = [
      { name: 'wares.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(wares)) },
      {
        name: 'more.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          `shop,sku,text\n${wares.map(({ sku, text }) => `1,c${sku},"${text.replaceAll('"', '""')}\nnext"`).join('\n')}`,
        ),
      },
    ];
    expect(files[0]!.buffer.length).toBeGreaterThan(LIMIT_BYTES * 2);
    await screen.go('/indexes');
    await page.getByRole('button', { name: 'Upload' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles(files);
    await dialog.getByText('wares.json, more.csv').waitFor();
    expect((await server.call('GET', '/indexes/stock')).status).toBe(404);
    expect((await server.call('GET', '/indexes/wares')).status).toBe(404);
    await dialog.getByRole('combobox', { name: 'Index' }).fill('stock');
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Primary key').fill('sku');
    const percents = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          new MutationObserver(() => {
            const text = document.querySelector('.upload')?.textContent ?? '';
            if (/, \d+ %/.test(text)) resolve(text);
          }).observe(document.body, { subtree: true, childList: true, characterData: true });
        }),
    );
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    expect(await percents).toMatch(/(Sending|Indexing, task \d+), \d+ %/);
    await expect.poll(() => dialog.getByText('900 documents', { exact: true }).count(), PATIENT).toBe(2);
    expect(await countOf('stock')).toBe(1_800);
    const tasks = await server.allTasksDone();
    expect(tasks.filter(({ indexUid }) => indexUid === 'stock').length).toBeGreaterThan(4);
    await screen.picture('everyday-upload');
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  test('settings that are not saved ask before they go', async () => {
    const { page } = screen;
    await screen.go('/index/tools/settings');
    const input = page.getByLabel('Two typos from this length on');
    await input.fill('12');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    const answer = async (isLeft: boolean, leave: () => Promise<unknown>): Promise<string> => {
      const asked = page.waitForEvent('dialog').then(async (dialog) => {
        await (isLeft ? dialog.accept() : dialog.dismiss());
        return dialog.message();
      });
      await leave();
      return asked;
    };
    const link = () => page.getByRole('link', { name: 'Tasks' }).click();
    expect(await answer(false, link)).toMatch(/not saved/);
    expect(page.url()).toContain('/index/tools/settings');
    expect(await input.inputValue()).toBe('12');
    await answer(false, () => screen.go('/stats'));
    await expect.poll(() => page.url(), PATIENT).toContain('/index/tools/settings');
    expect(await input.inputValue()).toBe('12');
    expect(await answer(false, () => page.evaluate(() => setTimeout(() => location.reload())))).toBe('');
    await answer(true, link);
    await page.getByRole('heading', { name: 'Tasks', exact: true }).waitFor();
    // nothing to ask any more, nor where nothing was changed
    await screen.go('/index/tools/settings');
    await expect.poll(() => input.inputValue(), PATIENT).toBe('9');
    await screen.go('/stats');
    await page.getByRole('heading', { name: 'Statistics' }).waitFor();
  });

  test('pictures are shown for an index that is chosen, and never for another', async () => {
    const { page } = screen;
    for (const uid of ['art', 'other'])
      await server.call('POST', `/indexes/${uid}/documents`, [
        { id: 1, title: 'A harbour', poster: `${PICTURE_HOST}/${uid}` },
      ]);
    await server.allTasksDone();
    const asked: string[] = [];
    await page.route(`${PICTURE_HOST}/**`, async (route) => {
      asked.push(route.request().url());
      expect(route.request().headers()['referer']).toBeUndefined();
      await route.fulfill({ contentType: 'image/gif', body: DOT });
    });
    await screen.go('/index/art/search');
    await page.locator('article').waitFor();
    expect(await page.locator('article img').count()).toBe(0);
    await page.getByRole('button', { name: 'This search' }).click();
    await page.getByRole('switch', { name: 'Pictures of this index' }).click();
    await page.locator('article img').waitFor();
    const isDrawn = () =>
      page.evaluate(() => document.querySelector<HTMLImageElement>('article img')?.naturalWidth === 1);
    await expect.poll(isDrawn, PATIENT).toBe(true);
    await screen.go('/index/other/search');
    await expect.poll(() => page.locator('article').count(), PATIENT).toBe(1);
    expect(await page.locator('article img').count()).toBe(0);
    expect(new Set(asked)).toEqual(new Set([`${PICTURE_HOST}/art`]));
    const strict = (await fetch(server.url)).headers.get('content-security-policy')!;
    expect(strict).toContain("img-src 'self' data:;");
    // pictures alone
    const lax = (await fetch(`${server.url}/?pictures=on`)).headers.get('content-security-policy')!;
    const parts = (policy: string) => policy.replace(/'nonce-[^']*'/, '').split('; ');
    expect(parts(lax).filter((part) => !parts(strict).includes(part))).toEqual(["img-src 'self' data: https: http:"]);
    expect(screen.faults.filter((fault) => fault !== `${PICTURE_HOST}/art`)).toEqual([]);
  });

  test('a server that stopped is told of in words, and the page goes on when it is back', async () => {
    const { page } = screen;
    await screen.go('/index/tools/search');
    await page.locator('article').first().waitFor();
    const port = new URL(server.url).port;
    await server.kill();
    // a view whose script the page does not have yet
    await screen.go('/keys');
    const alert = page.getByRole('alert').first();
    await expect.poll(() => alert.innerText(), PATIENT).toMatch(/The server does not answer/);
    await screen.picture('everyday-stopped');
    await screen.go('/index/tools/settings');
    await expect.poll(() => alert.innerText(), PATIENT).toMatch(/The server does not answer/);
    expect(await page.getByText(/Failed to fetch|NetworkError|TypeError|dynamically/).count()).toBe(0);
    server = await startServerProcess(folder, ['--http-addr', `127.0.0.1:${port}`]);
    await page.getByLabel('Two typos from this length on').waitFor();
  });
});

describe.skipIf(!isTried)('a key for searches in the dashboard', () => {
  const MASTER_KEY = 'a master key of a shop';
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder, ['--master-key', MASTER_KEY]);
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });

  const entries = () => screen.page.locator('.nav-item').allInnerTexts();

  test('signs in to a search, whose index is named', async () => {
    const { page } = screen;
    const authorization = { authorization: `Bearer ${MASTER_KEY}` };
    for (const [uid, title] of [
      ['pears', 'Conference'],
      ['plums', 'Mirabelle'],
    ])
      await server.call('POST', `/indexes/${uid}/documents`, [{ id: 1, title }], authorization);
    await server.allTasksDone();
    const { body } = await server.call<{ results: { key: string; name: string }[] }>(
      'GET',
      '/keys',
      undefined,
      authorization,
    );
    await page.getByLabel('API key').fill(body.results.find(({ name }) => name === 'Default Search API Key')!.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Search in an index' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await entries()).toEqual([]);
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('everyday-search-key');
    const field = page.getByRole('main').getByRole('textbox', { name: 'Index' });
    await field.fill('pears');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Conference' }).waitFor();
    expect(await entries()).toEqual(['Search']);
    // from the header to another one
    const other = page.getByRole('banner').getByRole('textbox', { name: 'Index' });
    expect(await other.inputValue()).toBe('pears');
    await other.fill('plums');
    await other.press('Enter');
    await page.getByRole('heading', { name: 'Mirabelle' }).waitFor();
    await screen.go('/');
    await page.getByRole('heading', { name: 'Mirabelle' }).waitFor();
    expect(screen.faults).toEqual([]);
  });

  const ALL = ['Search', 'Documents', 'Settings', 'Synonyms', 'Side by side'].concat([
    'Indexes',
    'Tasks',
    'Statistics',
    'API keys',
    'Advanced',
  ]);
  test.each([
    [
      ['search', 'keys.get', 'tasks.*', 'documents.get'],
      ['Search', 'Documents', 'Tasks', 'API keys'],
    ],
    [['*.get', 'keys.get'], ALL],
    // what else it may is not known
    [['search', 'indexes.get', 'documents.*'], ALL],
  ])('sees the views that its actions allow: %j', async (actions, views) => {
    const { page } = screen;
    const made = await server.call<{ key: string }>(
      'POST',
      '/keys',
      { actions, indexes: ['*'], expiresAt: null },
      { authorization: `Bearer ${MASTER_KEY}` },
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(made.body.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'API keys' }).waitFor();
    // those of extensions may be left out
    expect((await entries()).filter((name) => !/^(Chat|Search analytics)$/.test(name))).toEqual(views);
  });
});
