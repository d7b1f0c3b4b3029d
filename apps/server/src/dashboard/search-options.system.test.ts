/** Parameters of one search and the settings of words, set and tried in the dashboard. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MASTER_KEY, MovieProcess } from '../e2e/movie-server.test-support.js';
import { BROWSER, PATIENCE_MS, TestPage } from './page.test-support.js';

const PATIENT = { timeout: PATIENCE_MS };
const FILMS = [
  { id: 1, title: 'Star Wars', overview: 'A galaxy', year: 1977 },
  { id: 2, title: 'Gone', overview: 'Wind over a star', year: 1939 },
  { id: 3, title: 'Room 1408', overview: 'A hotel', year: 2007 },
  { id: 4, title: 'Room 1409', overview: 'Another hotel', year: 2009 },
];

describe.skipIf(BROWSER === undefined)('options of a search in the dashboard', () => {
  const movies = new MovieProcess();
  const screen = new TestPage();
  beforeAll(async () => {
    await movies.start();
    await movies.call('PATCH', '/indexes/films/settings', {
      searchableAttributes: ['title', 'overview'],
      sortableAttributes: ['year'],
      typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 8 } },
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

  const titles = () => screen.page.locator('article h3').allInnerTexts();
  const open = async (q: string) => {
    await screen.go('/index/films/tasks');
    await screen.go('/index/films/search/mode=plain');
    await screen.page.getByRole('searchbox').fill(q);
    await screen.page.getByRole('button', { name: 'This search' }).click();
    const reset = screen.page.getByRole('button', { name: 'As in the settings' });
    if (await reset.isEnabled()) await reset.click();
  };

  test('OR and brackets combine words, and the address keeps it', async () => {
    const { page } = screen;
    await open('(wars OR gone) -hotel ');
    await expect.poll(titles, PATIENT).toEqual(['Star Wars']);
    await page.getByRole('switch', { name: 'OR and brackets combine words' }).click();
    await expect.poll(async () => (await titles()).sort(), PATIENT).toEqual(['Gone', 'Star Wars']);
    await expect.poll(() => page.url(), PATIENT).toContain('mode=boolean');
    expect(await screen.barriers()).toEqual([]);
    await screen.picture('search-options');
    await page.reload();
    await expect.poll(async () => (await titles()).sort(), PATIENT).toEqual(['Gone', 'Star Wars']);
  });

  test('numbers are taken as they are, on request', async () => {
    const { page } = screen;
    await open('1408');
    await expect.poll(titles, PATIENT).toEqual(['Room 1408', 'Room 1409']);
    await page.getByRole('combobox', { name: 'Typos' }).click();
    await page.getByRole('option', { name: 'In words, not in numbers' }).click();
    await expect.poll(titles, PATIENT).toEqual(['Room 1408']);
  });

  test('weights and ranking rules change the order, words that count the number of hits', async () => {
    const { page } = screen;
    await open('star');
    await expect.poll(titles, PATIENT).toEqual(['Star Wars', 'Gone']);
    await page.getByLabel('Weights of attributes').fill('overview:5');
    await expect.poll(titles, PATIENT).toEqual(['Gone', 'Star Wars']);
    await page.getByLabel('Ranking rules').fill('year:desc');
    await expect.poll(titles, PATIENT).toEqual(['Star Wars', 'Gone']);
    await page.getByLabel('Ranking rules').fill('title:desc');
    await expect.poll(() => page.getByRole('alert').innerText(), PATIENT).toMatch(/not sortable/);
    await open('hotel wind ');
    await page.getByLabel('Words that count').fill('1');
    await expect.poll(() => page.url(), PATIENT).toContain('words=1');
    await expect.poll(titles, PATIENT).toEqual(['Room 1408', 'Room 1409']);
    expect(screen.faults).toEqual([]);
  });
});
