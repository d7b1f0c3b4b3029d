/** The views of the dashboard, and what is done in each before its screenshot. */

/**
 * `isExtra`: looked at, but not in the guide. `hasKey: false`: as somebody sees it who has not signed in.
 *
 * @typedef {{ name: string, place: string, isSingle?: boolean, isExtra?: boolean, hasKey?: false, prepare?: (page: import('playwright-core').Page) => Promise<void> }} View
 */

/** Its heading is shown, and its requests are answered. */
const seen = async (page) => {
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle');
};

/** @type {readonly View[]} */
export const VIEWS = [
  {
    // the picture of the README: light, on a desktop, alone
    name: 'readme',
    place: '/index/movies/search',
    isSingle: true,
    prepare: async (page) => {
      const search = async (text) => {
        await page.getByRole('searchbox').fill(text);
        await page.getByRole('heading', { name: 'Jurassic Park', exact: true }).waitFor();
        await page.waitForLoadState('networkidle');
      };
      for (const text of ['jurasic', 'jurasic park', 'jurasic']) await search(text);
      // the page keeps answers for two seconds; after that the time of a warm search is shown
      await page.waitForTimeout(2_500);
      await search('jurasic park');
    },
  },
  {
    name: 'search',
    place: '/index/movies/search?q=godfahter',
    prepare: async (page) => {
      await page.getByRole('searchbox').fill('godfahter');
      await page.getByRole('heading', { name: 'The Godfather', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Why this rank' }).first().click();
      await page.getByRole('cell').first().waitFor();
    },
  },
  {
    name: 'documents',
    place: '/index/movies/documents',
    prepare: async (page) => page.getByRole('button', { name: '108', exact: true }).first().waitFor(),
  },
  {
    name: 'settings',
    place: '/index/movies/settings',
    prepare: seen,
  },
  { name: 'words', place: '/index/movies/words', prepare: seen },
  { name: 'indexes', place: '/indexes', prepare: seen },
  { name: 'tasks', place: '/tasks', prepare: seen },
  { name: 'stats', place: '/stats', prepare: seen },
  {
    name: 'chat',
    place: '/chat',
    prepare: async (page) => {
      await page.getByLabel('Model', { exact: true }).fill('qwen3:8b');
      await page.getByLabel('Question').fill('Which films have vampires that are not alone?');
      await page.getByRole('button', { name: 'Ask' }).click();
      await page.getByRole('list', { name: 'Sources' }).waitFor();
    },
  },
  { name: 'analytics', place: '/analytics', prepare: seen },
  { name: 'keys', place: '/keys', prepare: seen },
  {
    name: 'compare',
    place: '/index/movies/compare',
    prepare: async (page) => {
      await page.getByLabel('Words').fill('vampire');
      await page.getByLabel('Hits of A').getByRole('listitem').first().waitFor();
      await seen(page);
    },
  },
  { name: 'server', place: '/server', prepare: seen },
  { name: 'sign-in', place: '/', isExtra: true, hasKey: false, prepare: seen },
  {
    name: 'no-hits',
    place: '/index/movies/search',
    isExtra: true,
    prepare: async (page) => {
      await page.getByRole('searchbox').fill('qqqqqqqq');
      await seen(page);
    },
  },
  {
    name: 'code',
    place: '/index/movies/search',
    isExtra: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'As code' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'why-not',
    place: '/index/movies/search',
    isExtra: true,
    prepare: async (page) => {
      await page.getByRole('searchbox').fill('heat');
      await page.getByRole('button', { name: 'Why not found?' }).click();
      await page.getByLabel('Its id').fill('108');
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Findings' }).getByRole('listitem').first().waitFor();
    },
  },
  {
    name: 'new-index',
    place: '/indexes',
    isExtra: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New index' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'new-key',
    place: '/keys',
    isExtra: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'document', place: '/index/movies/documents/108', isExtra: true, prepare: seen },
  { name: 'unknown-index', place: '/index/nowhere/search', isExtra: true, prepare: seen },
];

/** Texts that users of the pictures search for, the popular ones several times, and the place of the hit that they open. */
export const SEARCHED = [
  ...['star wars', 'star wars', 'star wars', 'star wars', 'heat', 'heat', 'heat', 'robots', 'robots', 'western'],
  ...['zombi', 'harbour', 'harbour', 'space opera', 'qqqq', 'qqqq', 'jurasic park', 'jurasic park', 'noir'],
].map((q, at) => ({ q, opened: q === 'qqqq' || at % 3 === 2 ? null : at % 4 }));
