import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MASTER_KEY, MovieProcess } from '../e2e/movie-server.test-support.js';
import { hasExtension, sampleLines } from '../e2e/server-process.test-support.js';
import { startProvider } from '../embedding/provider.test-support.js';
import { BROWSER, PATIENCE_MS, TestPage } from './page.test-support.js';

const FILMS = 400;
/** A title that wants to be more than a text. */
const HOSTILE = {
  id: 900_000,
  title: '<img src=x onerror="window.wasRun = true"> Zyzzyva',
  year: 1990,
  genres: ['<b>Odd</b>'],
};
const PATIENT = { timeout: PATIENCE_MS };
/** Its view may be missing. */
const HAS_ANALYTICS = hasExtension('analytics');

if (BROWSER === undefined) console.log('the dashboard is not tried in a browser: there is no chromium here');

describe.skipIf(BROWSER === undefined)('the dashboard in a browser', () => {
  const movies = new MovieProcess();
  const screen = new TestPage();
  beforeAll(async () => {
    await movies.start();
    await movies.call('PATCH', '/indexes/films/settings', {
      searchableAttributes: ['title', 'overview', 'cast', 'genres'],
      filterableAttributes: ['genres', 'year'],
      sortableAttributes: ['year'],
    });
    const films = sampleLines()
      .slice(0, FILMS)
      .map((line) => JSON.parse(line) as object);
    await movies.call('POST', '/indexes/films/documents?primaryKey=id', [...films, HOSTILE]);
    await movies.server.allTasksDone();
    await screen.open(movies.server.url);
  });
  afterAll(async () => {
    await screen.close();
    await movies.stop();
  });

  const titles = () => screen.page.locator('article h3').allInnerTexts();
  const status = () => screen.page.getByRole('status').first().innerText();
  const setting = async (name: string) => (await movies.call('GET', `/indexes/films/settings/${name}`)).body;

  test('asks for a key, and takes one that is good for something', async () => {
    const { page } = screen;
    await page.getByLabel('API key').fill('a key that is none');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByRole('alert').innerText(), PATIENT).toMatch(/key/i);
    await page.getByLabel('API key').fill(MASTER_KEY);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('searchbox').waitFor();
    expect(page.url()).not.toContain(MASTER_KEY.slice(0, 8));
    expect(await page.evaluate(() => Object.keys(localStorage).map((key) => localStorage.getItem(key)))).not.toContain(
      MASTER_KEY,
    );
  });

  test('searches as one types, and marks what matched', async () => {
    const { page } = screen;
    await screen.go('/index/films/search');
    await expect.poll(status, PATIENT).toMatch(/^401 hits/);
    await page.getByRole('searchbox').pressSequentially('pocahonts', { delay: 20 });
    await expect.poll(titles, PATIENT).toEqual(expect.arrayContaining([expect.stringContaining('Pocahontas')]));
    // hits of the words before are there until the last answer comes
    await expect.poll(() => page.locator('article mark').first().innerText(), PATIENT).toMatch(/^pocahonta/i);
    await page.getByRole('button', { name: 'Why this rank' }).first().click();
    const rules = async () => (await page.locator('.ranking tbody tr').allInnerTexts()).join('\n');
    await expect.poll(rules, PATIENT).toMatch(/words[\s\S]*1 of 1 words[\s\S]*typo/);
    await screen.picture('search');
  });

  test('a search is in the address: a reload keeps it, and going back undoes what was picked', async () => {
    const { page } = screen;
    await screen.go('/index/films/search');
    const all = /^401 hits/;
    await page.getByRole('searchbox').fill('');
    await expect.poll(status, PATIENT).toMatch(all);
    const genres = page.getByRole('group', { name: 'genres' });
    const western = genres.getByLabel('Western', { exact: true });
    await western.check();
    await expect.poll(status, PATIENT).not.toMatch(all);
    const few = await status();
    await expect.poll(() => page.url(), PATIENT).toContain('is.genres=Western');
    await page.reload();
    await expect.poll(() => western.isChecked(), PATIENT).toBe(true);
    await expect.poll(async () => (await status()).replace(/ in .*/, ''), PATIENT).toBe(few.replace(/ in .*/, ''));
    await page.goBack();
    await expect.poll(status, PATIENT).toMatch(all);
    await expect.poll(() => western.isChecked(), PATIENT).toBe(false);
    await page.goForward();
    await expect.poll(() => western.isChecked(), PATIENT).toBe(true);
    await western.uncheck();
    await page.getByRole('searchbox').fill('pocahontas');
    await expect.poll(() => page.url(), PATIENT).toContain('q=pocahontas');
    await page.getByRole('searchbox').fill('');
  });

  test('a value that is picked right after typing is a step of its own: going back keeps the text', async () => {
    const { page } = screen;
    await screen.go('/index/films/search/q=time');
    const text = page.getByRole('searchbox');
    await expect.poll(() => text.inputValue(), PATIENT).toBe('time');
    const drama = page.getByRole('group', { name: 'genres' }).getByLabel('Drama', { exact: true });
    await drama.waitFor();
    await text.fill('love');
    await drama.check();
    await expect.poll(() => page.url(), PATIENT).toMatch(/q=love&is\.genres=Drama$/);
    await page.goBack();
    await expect.poll(() => page.url(), PATIENT).toMatch(/q=love$/);
    await expect.poll(() => drama.isChecked(), PATIENT).toBe(false);
    expect(await text.inputValue()).toBe('love');
    await text.fill('');
  });

  test('filters by facets that keep their counts, and sorts', async () => {
    const { page } = screen;
    await page.getByRole('searchbox').fill('');
    const genres = page.getByRole('group', { name: 'genres' });
    await genres.getByLabel('Western', { exact: true }).check();
    const { body } = await movies.call('POST', '/indexes/films/search', {
      filter: 'genres = Western',
      hitsPerPage: 50,
    });
    await expect.poll(status, PATIENT).toMatch(new RegExp(`^${body.totalHits} hits`));
    // the other values are still to be chosen, with the counts that they would bring
    await expect.poll(() => genres.getByRole('checkbox').count(), PATIENT).toBeGreaterThan(3);
    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'year, highest first' }).click();
    const sorted = await movies.call('POST', '/indexes/films/search', {
      filter: 'genres = Western',
      sort: ['year:desc'],
      limit: 20,
    });
    await expect.poll(titles, PATIENT).toEqual(sorted.body.hits.map(({ title }: { title: string }) => title));
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(status, PATIENT).toMatch(/^401 hits/);
    const lowest = page.getByRole('slider', { name: 'Lowest year' });
    for (let step = 0; step < 5; step++) await lowest.press('ArrowRight');
    await expect.poll(status, PATIENT).not.toMatch(/^401 hits/);
  });

  test('shows what a document holds as text, whatever it is', async () => {
    const { page } = screen;
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('searchbox').fill('zyzzyva');
    await expect.poll(titles, PATIENT).toContain(HOSTILE.title);
    expect(
      await page.evaluate(() => [
        (window as { wasRun?: boolean }).wasRun,
        document.querySelectorAll('article img, article b').length,
      ]),
    ).toEqual([undefined, 0]);
  });

  test('uploads a file, with progress to its end, and finds what was in it', async () => {
    const { page } = screen;
    await screen.go('/index/films/documents');
    await page.getByRole('button', { name: 'Upload' }).click();
    const buffer = Buffer.from('id,title,year:number\n910001,Quokkas at Dawn,1999\n910002,Quokkas at Dusk,2001\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'more.csv', mimeType: 'text/csv', buffer });
    await page.getByText('2 documents', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Search in films' }).click();
    await page.getByRole('searchbox').fill('quokkas');
    await expect.poll(async () => (await titles()).sort(), PATIENT).toEqual(['Quokkas at Dawn', 'Quokkas at Dusk']);
  });

  test('changes a document, and deletes it', async () => {
    const { page } = screen;
    await screen.go('/index/films/documents/910001');
    const editor = page.getByLabel('As JSON');
    await editor.fill('{ "id": 910001, ');
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled(), PATIENT).toBe(true);
    await editor.fill('{ "id": 910001, "title": "Wombats at Dawn" }');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await movies.call('GET', '/indexes/films/documents/910001')).body, PATIENT)
      .toEqual({ id: 910_001, title: 'Wombats at Dawn' });
    await editor.waitFor({ state: 'detached' });
    await screen.go('/index/films/documents/910002');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page
      .getByRole('dialog', { name: /^Delete document/ })
      .getByRole('button', { name: 'Delete' })
      .click();
    await expect
      .poll(async () => (await movies.call('GET', '/indexes/films/documents/910002')).status, PATIENT)
      .toBe(404);
  });

  test('writes a document anew', async () => {
    const { page } = screen;
    await screen.go('/index/films/documents');
    await page.getByRole('button', { name: 'New document' }).click();
    await page.getByLabel('As JSON').fill('{ "id": 910003, "title": "Numbats" }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('As JSON').waitFor({ state: 'detached' });
    const title = async () => (await movies.call('GET', '/indexes/films/documents/910003')).body.title;
    await expect.poll(title, PATIENT).toBe('Numbats');
  });

  test('lists tasks with what became of them', async () => {
    const { page } = screen;
    await movies.call('POST', '/indexes/films/documents', [{ title: 'without an id' }]);
    await screen.go('/tasks');
    const row = page.getByRole('row').filter({ hasText: 'no field' }).first();
    await expect.poll(() => row.innerText(), PATIENT).toContain('failed');
    await row.getByRole('button').first().click();
    await page.getByRole('dialog').getByText('missing_document_id').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('tab', { name: 'Batches' }).click();
    const batch = page.locator('.batch').first();
    await expect.poll(() => batch.innerText(), PATIENT).toContain('failed');
    expect(await batch.innerText()).not.toMatch(/canceled|processing/);
  });

  test('changes settings, and says what is wrong with them first', async () => {
    const { page } = screen;
    await screen.go('/index/films/settings');
    await page.getByLabel('Two typos from this length on').fill('3');
    await page.getByText('Not below the length for one typo').waitFor();
    const save = page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Save' });
    await expect.poll(() => save.isDisabled(), PATIENT).toBe(true);
    await page.getByLabel('Two typos from this length on').fill('10');
    await page.getByRole('button', { name: 'Move overview up' }).click();
    await page.getByRole('combobox', { name: 'Sortable attributes' }).fill('title');
    await page.keyboard.press('Enter');
    await save.click();
    await expect.poll(() => setting('sortable-attributes'), PATIENT).toEqual(['title', 'year']);
    expect(await setting('searchable-attributes')).toEqual(['overview', 'title', 'cast', 'genres']);
    expect((await setting('typo-tolerance')).minWordSizeForTypos).toEqual({ oneTypo: 5, twoTypos: 10 });
    await save.waitFor({ state: 'detached' });
  });

  test('makes an embedder by a form, and keeps JSON as a second way', async () => {
    const { page } = screen;
    await screen.go('/index/films/settings');
    await page.getByLabel('New embedder').fill('own');
    await page.locator('#settings-embedders').getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Numbers of a vector').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => setting('embedders'), PATIENT).toEqual({ own: { source: 'userProvided', dimensions: 3 } });
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit as JSON' }).first().click();
    await page.getByRole('textbox', { name: 'Embedders', exact: true }).fill('{}');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => setting('embedders'), PATIENT).toEqual({});
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
  });

  test.runIf(hasExtension('chats'))('makes what chats know by a form', async () => {
    const { page } = screen;
    await movies.call('PATCH', '/experimental-features', { chatCompletions: true });
    await screen.go('/index/films/settings');
    // the page knows of a feature that others switch on once it is loaded again
    await page.reload();
    await page.getByLabel('What the index holds').fill('Films of all kinds');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await setting('chat')).description, PATIENT).toBe('Films of all kinds');
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
  });

  test('keeps synonyms and stop words', async () => {
    const { page } = screen;
    await screen.go('/index/films/words');
    await page.getByRole('button', { name: 'Add a synonym' }).click();
    await page.getByLabel('Word', { exact: true }).fill('detective');
    await page.getByRole('combobox', { name: 'Synonyms of detective' }).fill('sleuth');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Make detective hold both ways' }).click();
    await page.getByRole('button', { name: 'Save synonyms' }).click();
    await expect.poll(() => setting('synonyms'), PATIENT).toEqual({ detective: ['sleuth'], sleuth: ['detective'] });
    await page.getByRole('combobox', { name: 'Stop words' }).fill('the');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save stop words' }).click();
    await expect.poll(() => setting('stop-words'), PATIENT).toEqual(['the']);
  });

  test('makes a key, and takes it back', async () => {
    const { page } = screen;
    await screen.go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('For the shop');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const card = page.getByRole('article').filter({ hasText: 'For the shop' });
    await card.waitFor();
    const keys = async () =>
      (await movies.call('GET', '/keys')).body.results.map(
        ({ name, actions }: { name: string; actions: string[] }) => `${name}: ${actions}`,
      );
    expect(await keys()).toContain('For the shop: search');
    await card.getByRole('button', { name: 'Delete For the shop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(keys, PATIENT).not.toContain('For the shop: search');
  });

  test('makes an index and deletes it', async () => {
    const { page } = screen;
    await screen.go('/indexes');
    await page.getByRole('button', { name: 'New index' }).click();
    await page.getByLabel('Name').fill('not a name');
    await page.getByText('Letters, digits, - and _ only').waitFor();
    await page.getByLabel('Name').fill('shelf');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Actions on shelf' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(async () => (await movies.call('GET', '/indexes/shelf')).status, PATIENT).toBe(404);
  });

  test.runIf(HAS_ANALYTICS)('keeps searches in the browser alone, once it is told to', async () => {
    const { page } = screen;
    await screen.go('/analytics');
    await page.getByRole('switch', { name: 'Keep searches' }).check({ force: true });
    await screen.go('/index/films/search');
    await page.getByRole('searchbox').fill('qqqqqq');
    await expect.poll(() => page.evaluate(() => localStorage.getItem('fossick.searches')), PATIENT).toContain('qqqqqq');
    await screen.go('/analytics');
    await page.getByRole('list', { name: 'Without hits' }).getByText('qqqqqq').waitFor();
  });

  /** The views, each with what is there once it has its data. */
  const VIEWS: readonly (readonly [place: string, shown: (page: Page) => Locator])[] = [
    ['/index/films/search', (page) => page.locator('article')],
    ['/index/films/documents', (page) => page.locator('tbody tr')],
    ['/index/films/settings', (page) => page.locator('#settings-embedders')],
    ['/index/films/words', (page) => page.getByRole('combobox', { name: 'Synonyms of detective' })],
    ['/indexes', (page) => page.locator('tbody tr')],
    ['/tasks', (page) => page.locator('tbody tr')],
    ['/stats', (page) => page.getByRole('heading', { name: /^Attributes of/ })],
    ['/analytics', (page) => page.getByRole('list', { name: 'Without hits' })],
    ['/keys', (page) => page.locator('article')],
  ];
  const PLACES = VIEWS.filter(([place]) => HAS_ANALYTICS || place !== '/analytics');
  const show = async (place: string, shown: (page: Page) => Locator): Promise<void> => {
    await screen.go(place);
    await screen.page.locator('h1').first().waitFor();
    await shown(screen.page).first().waitFor();
  };
  test.each(['light', 'dark'] as const)('has no barriers that axe knows of, %s', async (scheme) => {
    const { page } = screen;
    await page.emulateMedia({ colorScheme: scheme });
    await screen.go('/index/films/search');
    // words that match are marked
    await page.getByRole('searchbox').fill('the');
    await page.locator('article mark').first().waitFor();
    expect(await screen.barriers(true)).toEqual([]);
    await page.getByRole('searchbox').fill('');
    await page.locator('article').first().waitFor();
    for (const [place, shown] of PLACES) {
      await show(place, shown);
      // a row under the pointer has another colour
      const row = page.locator('tbody tr').first();
      if ((await row.count()) > 0) await row.hover();
      expect(await screen.barriers(scheme === 'dark'), place).toEqual([]);
      await screen.picture(`${place.split('/').at(-1)}-${scheme}`);
    }
  });

  test('fits a phone', async () => {
    const { page } = screen;
    await page.setViewportSize({ width: 390, height: 844 });
    for (const [place, shown] of PLACES) {
      await show(place, shown);
      const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await expect.poll(beyond, { ...PATIENT, message: place }).toBeLessThanOrEqual(0);
      await screen.picture(`${place.split('/').at(-1)}-phone`);
    }
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('link', { name: 'Tasks' }).click();
    await page.getByRole('heading', { name: 'Tasks' }).waitFor();
  });

  test('weighs meaning against words, where there is an embedder', async () => {
    const { page } = screen;
    const provider = await startProvider();
    const [request, response] = [{ texts: ['{{text}}', '{{..}}'] }, { vectors: ['{{embedding}}', '{{..}}'] }];
    const embedders = {
      letters: { source: 'rest', url: provider.url, request, response, documentTemplate: '{{doc.title}}' },
    };
    await movies.call('PATCH', '/indexes/movies/settings', { embedders });
    await movies.server.allTasksDone();
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.reload();
    await screen.go('/index/movies/search');
    await page.getByRole('searchbox').fill('rev');
    await page.getByRole('slider', { name: 'How much meaning counts' }).press('End');
    await expect.poll(status, PATIENT).toMatch(/^3 hits, 3 by meaning/);
    expect(provider.texts).toContain('rev');
    await page.getByRole('button', { name: 'Why this rank' }).first().click();
    await page.getByRole('cell', { name: /How near its meaning is/ }).waitFor();
    await provider.close();
  });

  test('lets a key for searches alone search', async () => {
    const { page } = screen;
    const { body } = await movies.call('GET', '/keys');
    const { key } = body.results.find(({ name }: { name: string }) => name === 'Default Search API Key');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await screen.go('/index/films/search');
    await page.getByRole('searchbox').fill('pocahontas');
    await expect.poll(titles, PATIENT).toContain('Pocahontas');
    await screen.go('/tasks');
    await page.getByText('This key may not do that').first().waitFor();
  });

  test('begins with a place for the first file, where there is no index', async () => {
    const { page } = screen;
    for (const uid of ['films', 'movies', 'private']) await movies.call('DELETE', `/indexes/${uid}`);
    await movies.server.allTasksDone();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(MASTER_KEY);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await screen.go('/');
    await page.getByRole('heading', { name: 'No index yet: drop a file here' }).waitFor();
    await screen.picture('first-file');
    const buffer = Buffer.from('[{"id":1,"name":"Riesling"},{"id":2,"name":"Merlot"}]');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'My wines.json', mimeType: 'application/json', buffer });
    // the index and its key are asked for first: their proposals are taken here
    await page.getByPlaceholder('my-wines').waitFor();
    await page.getByRole('button', { name: 'Upload', exact: true }).last().click();
    await expect
      .poll(async () => (await movies.call('GET', '/indexes/my-wines/stats')).body.numberOfDocuments, PATIENT)
      .toBe(2);
    await screen.go('/index/my-wines/search');
    await page.getByRole('searchbox').fill('rieslng');
    await expect.poll(titles, PATIENT).toEqual(['Riesling']);
  });

  test('signs out, and has told of no fault', async () => {
    const { page } = screen;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(screen.faults).toEqual([]);
  });
});
