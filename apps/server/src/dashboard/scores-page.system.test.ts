/** The dashboard sets what the reference does not have, and shows what it does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MASTER_KEY, MovieProcess } from '../e2e/movie-server.test-support.js';
import { BROWSER, PATIENCE_MS, TestPage } from './page.test-support.js';

const PATIENT = { timeout: PATIENCE_MS };
const FILMS = [
  { id: 1, title: 'Space of many', popularity: 999, studio: 'A', price: 10, genres: ['Fiction > Space > War'] },
  { id: 2, title: 'Space of few', popularity: 9, studio: 'A', price: 20, genres: ['Fiction > Space'] },
  { id: 3, title: 'Space of some', popularity: 99, studio: 'B', price: 60, genres: ['Facts > Space'] },
].map((film) => ({
  ...film,
  copies: [
    { form: 'disc', year: 1990 + film.id },
    { form: 'tape', year: 1991 },
  ],
}));

describe.skipIf(BROWSER === undefined)('the dashboard beyond the reference', () => {
  const movies = new MovieProcess();
  const screen = new TestPage();
  beforeAll(async () => {
    await movies.start();
    await movies.call('PATCH', '/indexes/films/settings', {
      filterableAttributes: ['studio', 'price', 'genres', 'copies'],
      sortableAttributes: ['popularity', 'price'],
    });
    await movies.call('POST', '/indexes/films/documents?primaryKey=id', FILMS);
    await movies.server.allTasksDone();
    await screen.open(movies.server.url);
    await screen.page.getByLabel('API key').fill(MASTER_KEY);
    await screen.page.getByRole('button', { name: 'Sign in' }).click();
    await screen.page.getByRole('searchbox').waitFor();
  });
  afterAll(async () => {
    await screen.close();
    await movies.stop();
  });
  const setting = async (name: string) => (await movies.call('GET', `/indexes/films/settings/${name}`)).body;
  const titles = () => screen.page.locator('article h3').allInnerTexts();

  test('takes a score among the ranking rules, and explains a rank by it', async () => {
    const { page } = screen;
    await screen.go('/index/films/settings');
    const input = page.getByLabel('Another one for Ranking rules');
    await input.fill('score( )');
    await page.keyboard.press('Enter');
    await page.getByText('A score needs an expression').waitFor();
    await page.getByRole('button', { name: 'Remove score( )' }).click();
    await input.fill('score(log10(1 + popularity)) in 3 buckets');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => ((await setting('ranking-rules')) as unknown[]).at(-1), PATIENT)
      .toEqual({ score: 'log10(1 + popularity)', buckets: 3 });
    await screen.go('/index/films/search/q=space');
    await expect.poll(async () => (await titles())[0], PATIENT).toBe('Space of many');
    await page.getByRole('button', { name: 'Why this rank' }).first().click();
    await expect
      .poll(async () => (await page.locator('.ranking tbody tr').allInnerTexts()).at(-1), PATIENT)
      .toMatch(/score\(log10\(1 \+ popularity\)\)[\s\S]*3[\s\S]*bucket 1, buckets 3/);
    expect(screen.faults).toEqual([]);
  });

  test('groups hits, and sums up their numbers', async () => {
    const { page } = screen;
    await screen.go('/index/films/search/q=space');
    await page.getByRole('button', { name: 'This search' }).click();
    await page.getByLabel('Group by').fill('studio');
    await page.getByLabel('Sum up').fill('price');
    await page.getByLabel('For each value of').fill('studio');
    await page.getByLabel('Width of the buckets of a histogram').fill('50');
    await page.getByRole('region', { name: 'Group A' }).getByText('Space of few').waitFor();
    await page.getByRole('region', { name: 'Group B' }).getByText('Space of some').waitFor();
    await expect.poll(() => page.getByRole('status').first().innerText(), PATIENT).toMatch(/^2 groups/);
    const numbers = page.getByRole('region', { name: 'Numbers of price' });
    await expect
      .poll(
        async () => (await numbers.locator('tbody tr').allInnerTexts()).map((row) => row.split(/\s+/).join(' ')),
        PATIENT,
      )
      .toEqual(['all hits 3 90 30 10 60', 'A 2 30 15 10 20', 'B 1 60 60 60 60']);
    await numbers.getByText('50 to 100: 1').waitFor();
    await expect.poll(() => page.url(), PATIENT).toMatch(/group=studio/);
    expect(screen.faults).toEqual([]);
  });

  test('takes a score among the rules of one search', async () => {
    const { page } = screen;
    // the panel of the last search is closed again
    await screen.go('/index/films/settings');
    await screen.go('/index/films/search/q=space&rules=words');
    await page.getByRole('button', { name: 'This search' }).click();
    await page.getByLabel('Ranking rules').fill('score(max(price, 0 - popularity)) in 2 buckets, popularity:desc');
    await expect.poll(titles, PATIENT).toEqual(['Space of some', 'Space of few', 'Space of many']);
    expect(screen.faults).toEqual([]);
  });

  test('sets facets of levels, and leads from step to step', async () => {
    const { page } = screen;
    await screen.go('/index/films/settings');
    await page.getByLabel('Facets of levels').fill('[{ "attribute": "genres", "separator": " > " }]');
    await page.getByLabel('Attributes with elements apart').and(page.locator('input')).fill('copies');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => setting('hierarchical-facets'), PATIENT).toHaveLength(1);
    await expect.poll(() => setting('element-attributes'), PATIENT).toEqual(['copies']);
    await screen.go('/index/films/search/q=space&mode=plain');
    const genres = page.getByRole('group', { name: 'genres' });
    const steps = async () =>
      (await genres.locator('.facet-value').allInnerTexts()).map((text) => text.split(/\s+/).join(' '));
    await expect.poll(steps, PATIENT).toEqual(['Facts 1', 'Fiction 2']);
    await genres.getByRole('button', { name: 'Fiction' }).click();
    await expect.poll(steps, PATIENT).toEqual(['Space 2']);
    await genres.getByRole('button', { name: 'Space' }).click();
    await expect.poll(steps, PATIENT).toEqual(['War 1']);
    await expect.poll(async () => (await titles()).sort(), PATIENT).toEqual(['Space of few', 'Space of many']);
    await expect.poll(() => page.url(), PATIENT).toContain('under.genres=Fiction');
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('levels');
    await genres.getByRole('button', { name: 'All' }).click();
    await expect.poll(steps, PATIENT).toEqual(['Facts 1', 'Fiction 2']);
    expect(screen.faults).toEqual([]);
  });

  test('sets attributes whose parts of words are found', async () => {
    const { page } = screen;
    await screen.go('/index/films/search/q=pac&mode=parts');
    await expect.poll(titles, PATIENT).toEqual([]);
    await screen.go('/index/films/settings');
    await page.getByLabel('Attributes searched by parts of words').and(page.locator('input')).fill('title');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => setting('substring-attributes'), PATIENT).toEqual(['title']);
    await screen.go('/index/films/search/q=pac&mode=parts');
    await expect.poll(async () => (await titles()).length, PATIENT).toBe(3);
    expect(await page.locator('article h3 mark').first().innerText()).toBe('pac');
    expect(screen.faults).toEqual([]);
  });

  test('counts exactly where hits are distinct', async () => {
    const { page } = screen;
    // the first document of each model is red, the best one is blue
    const shirts = Array.from({ length: 60 }, (_, id) => ({
      id,
      model: `model ${id % 30}`,
      colour: id < 30 ? 'red' : 'blue',
      price: id,
    }));
    await movies.call('PATCH', '/indexes/shirts/settings', {
      filterableAttributes: ['model', 'colour'],
      sortableAttributes: ['price'],
    });
    await movies.call('POST', '/indexes/shirts/documents?primaryKey=id', shirts);
    await movies.server.allTasksDone();
    await screen.go('/index/shirts/settings');
    await page.getByRole('combobox', { name: 'Distinct attribute' }).fill('model');
    await page.getByRole('option', { name: 'model' }).click();
    await page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Save' }).click();
    const distinct = async () => (await movies.call('GET', '/indexes/shirts/settings/distinct-attribute')).body;
    await expect.poll(distinct, PATIENT).toBe('model');
    await screen.go('/index/shirts/search/sort=price:desc');
    const colours = page.getByRole('group', { name: 'colour' });
    const counts = async () =>
      (await colours.locator('.facet-value').allInnerTexts()).map((text) => text.split(/\s+/).join(' ')).sort();
    // a page has twenty hits; of the other models, the first document is counted
    await expect.poll(counts, PATIENT).toEqual(['blue 20', 'red 10']);
    await page.getByRole('button', { name: 'This search' }).click();
    await page.getByRole('switch', { name: 'Exact counts where hits are distinct' }).click();
    await expect.poll(counts, PATIENT).toEqual(['blue 30']);
    await expect.poll(() => page.url(), PATIENT).toContain('exact=');
    expect(screen.faults).toEqual([]);
  });

  test('filters by a part of a text', async () => {
    const { page } = screen;
    await movies.call('PATCH', '/experimental-features', { containsFilter: true });
    await movies.call('PATCH', '/indexes/films/settings', {
      filterableAttributes: ['title', 'studio', 'price', 'genres', 'copies'],
    });
    await movies.server.allTasksDone();
    await screen.go('/index/films/settings');
    await screen.go('/index/films/search/q=space&mode=contains');
    await page.getByRole('button', { name: 'This search' }).click();
    await page.getByLabel('Filter', { exact: true }).fill('title CONTAINS "of m"');
    await expect.poll(titles, PATIENT).toEqual(['Space of many']);
    await page.getByLabel('Filter', { exact: true }).fill('title CONTAINS "ome" OR title CONTAINS "few"');
    await expect.poll(async () => (await titles()).sort(), PATIENT).toEqual(['Space of few', 'Space of some']);
    expect(screen.faults).toEqual([]);
  });

  test('filters by one element of an array', async () => {
    const { page } = screen;
    const found = async () => (await titles()).sort();
    await screen.go('/index/films/settings');
    await screen.go('/index/films/search/q=space&mode=none');
    await page.getByRole('button', { name: 'This search' }).click();
    await page.getByLabel('Filter', { exact: true }).fill('copies.form = disc AND copies.year = 1991');
    await expect.poll(found, PATIENT).toEqual(['Space of few', 'Space of many', 'Space of some']);
    await page.getByLabel('Filter', { exact: true }).fill('copies[form = disc AND year = 1991]');
    await expect.poll(found, PATIENT).toEqual(['Space of many']);
    await page.getByLabel('Filter', { exact: true }).fill('copies[form = disc');
    await expect.poll(() => page.getByRole('alert').innerText(), PATIENT).toMatch(/is missing/);
    expect(screen.faults).toEqual([]);
  });
});
