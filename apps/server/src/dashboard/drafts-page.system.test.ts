/** What a user has begun in the dashboard stays while the server fails for a moment, and overwrites nothing that others have done meanwhile. */
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  hasExtension,
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { BROWSER, PATIENCE_MS, TestPage } from './page.test-support.js';

const PATIENT = { timeout: PATIENCE_MS };
const MASTER_KEY = 'a master key of a bakery';
const REFUSAL = { message: 'Ask later.', code: 'too_many_search_requests', type: 'system', link: '' };
const refuse = (route: Route) => route.fulfill({ status: 503, json: REFUSAL });
/** All routes of the API; files of the page have an ending. */
const API = (url: URL) => !/\.\w+$/.test(url.pathname) && url.pathname !== '/';

describe.skipIf(BROWSER === undefined)('what is begun in the dashboard', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  const authorization = { authorization: `Bearer ${MASTER_KEY}` };
  const ask = async (method: string, path: string, body?: object) =>
    (await server.call<Record<string, unknown>>(method, path, body, authorization)).body;
  const countOf = async (uid: string) => (await ask('GET', `/indexes/${uid}/stats`))['numberOfDocuments'];
  const file = (name: string, documents: readonly object[]) => ({
    ...{ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(documents)) },
  });
  beforeAll(async () => {
    server = await startServerProcess(folder, ['--master-key', MASTER_KEY]);
    await screen.open(server.url);
    await screen.page.clock.install();
    await screen.page.reload();
    // a draft that a failed test left holds nobody
    screen.page.on('dialog', (dialog) => dialog.accept());
    await screen.page.getByLabel('API key').fill(MASTER_KEY);
    await screen.page.getByRole('button', { name: 'Sign in' }).click();
  });
  afterAll(async () => {
    await screen.close();
    await server.kill();
    removeFolder(folder);
  });
  const alerts = () => screen.page.getByText('Ask later.');
  const button = (name: string) => screen.page.getByRole('button', { name, exact: true });

  /** What the page asks for every few seconds, it asks for at once, until the condition holds. */
  const askAgainUntil = (holds: () => Promise<boolean>) =>
    expect
      .poll(async () => {
        await screen.page.clock.fastForward('01:00');
        return holds();
      }, PATIENT)
      .toBe(true);

  /** The list of indexes is refused once the page asks for it again, and then answered again. */
  const failList = async (): Promise<void> => {
    const { page } = screen;
    await page.route('**/indexes?*', refuse);
    await askAgainUntil(async () => (await alerts().count()) > 0);
    await page.unrouteAll();
    await askAgainUntil(async () => (await alerts().count()) === 0);
  };
  /** A first save is refused, and everything that the page asks for then; a second one is done. */
  const saveTwice = async (name: string, isSaved: () => Promise<unknown>): Promise<void> => {
    const { page } = screen;
    await page.route(API, refuse);
    await button(name).press('Enter');
    // the refusal of the save itself, and those of what its end loads anew
    await expect.poll(() => alerts().count(), PATIENT).toBeGreaterThan(1);
    await page.unrouteAll();
    await button(name).press('Enter');
    await expect.poll(isSaved, PATIENT).toBe(true);
    // some go, others stay without anything to save
    await page.getByRole('button', { name, exact: true, disabled: false }).waitFor({ state: 'detached' });
  };

  test('the first files stay chosen, and are shown to the end of the last one', async () => {
    const { page } = screen;
    await page.getByRole('heading', { name: 'No index yet: drop a file here' }).waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles([file('rye.json', [{ id: 1 }]), file('oat.json', [{ id: 2 }])]);
    await page.getByPlaceholder('rye').waitFor();
    await failList();
    await button('Upload').last().click();
    await page.getByRole('link', { name: 'Search in rye' }).waitFor();
    await page.getByRole('link', { name: 'Search in oat' }).waitFor();
    expect([await countOf('rye'), await countOf('oat')]).toEqual([1, 1]);
  });

  test('a chosen file stays in the dialog of the list of indexes', async () => {
    const { page } = screen;
    await screen.go('/indexes');
    await button('Upload').click();
    const dialog = page.getByRole('dialog', { name: 'Add documents' });
    await dialog.locator('input[type=file]').setInputFiles(file('kept.json', [{ id: 1 }]));
    await dialog.getByPlaceholder('kept').waitFor();
    await failList();
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect.poll(() => countOf('kept'), PATIENT).toBe(1);
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  test('the first files of an index are shown to the end of the last one', async () => {
    const { page } = screen;
    await ask('POST', '/indexes', { uid: 'buns' });
    await server.allTasksDone();
    await screen.go('/index/buns/documents');
    await page.getByRole('heading', { name: 'No document yet: drop a file here' }).waitFor();
    await page.locator('input[type=file]').setInputFiles([file('a.json', [{ id: 1 }]), file('b.json', [{ id: 2 }])]);
    await button('Upload').last().click();
    await expect.poll(() => page.getByText('1 document', { exact: true }).count(), PATIENT).toBe(2);
    expect(await countOf('buns')).toBe(2);
  });

  test('the name of a new index stays', async () => {
    await screen.go('/indexes');
    await button('New index').click();
    await screen.page.getByLabel('Name').fill('cakes');
    await saveTwice('Create', async () => (await ask('GET', '/indexes/cakes'))['uid'] === 'cakes');
  });

  test('a draft of settings stays', async () => {
    await screen.go('/index/rye/settings');
    await screen.page.getByLabel('Two typos from this length on').fill('12');
    await saveTwice('Save', async () => {
      const { minWordSizeForTypos } = await ask('GET', '/indexes/rye/settings/typo-tolerance');
      return (minWordSizeForTypos as { twoTypos: number }).twoTypos === 12;
    });
  });

  test('drafts of synonyms and of stop words stay, also when the other one is saved', async () => {
    const { page } = screen;
    await screen.go('/index/rye/words');
    await button('Add a synonym').click();
    await page.getByLabel('Word', { exact: true }).fill('bun');
    await page.getByRole('combobox', { name: 'Synonyms of bun' }).fill('roll');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Stop words' }).fill('the');
    await page.keyboard.press('Enter');
    // somebody else changes the synonyms; the list of stop words is not affected, the draft of synonyms is still there
    await ask('PUT', '/indexes/rye/settings/synonyms', { loaf: ['bread'] });
    await server.allTasksDone();
    const stopWords = async () => String(await ask('GET', '/indexes/rye/settings/stop-words'));
    await saveTwice('Save stop words', async () => (await stopWords()) === 'the');
    expect(await page.getByLabel('Word', { exact: true }).inputValue()).toBe('bun');
    await button('Save synonyms').click();
    await page.getByText('others have changed: synonyms').waitFor();
    expect(await screen.barriers()).toEqual([]);
    expect(await ask('GET', '/indexes/rye/settings/synonyms')).toEqual({ loaf: ['bread'] });
    await button('Overwrite them').click();
    await expect.poll(() => ask('GET', '/indexes/rye/settings/synonyms'), PATIENT).toEqual({ bun: ['roll'] });
  });

  test('an editor of settings begins with what is there, and asks before it overwrites what others changed since', async () => {
    const { page } = screen;
    // a message of the save before may be above the button
    const save = () => button('Save').press('Enter');
    const typed = page.getByRole('combobox', { name: 'Sortable attributes' });
    const sortable = async () => ask('GET', '/indexes/oat/settings/sortable-attributes');
    const change = async (names: string[]): Promise<void> => {
      await ask('PUT', '/indexes/oat/settings/sortable-attributes', names);
      await server.allTasksDone();
    };
    // the search has a copy of the settings
    await screen.go('/index/oat/search');
    await page.locator('article').waitFor();
    await change(['weight']);
    await screen.go('/index/oat/settings');
    await typed.fill('price');
    await page.keyboard.press('Enter');
    await save();
    await button('Save').waitFor({ state: 'detached' });
    expect(await sortable()).toEqual(['price', 'weight']);
    // while the editor is open
    await change(['age', 'price', 'weight']);
    await typed.fill('colour');
    await page.keyboard.press('Enter');
    await save();
    await page.getByText('others have changed: sortableAttributes').waitFor();
    expect(await sortable()).toEqual(['age', 'price', 'weight']);
    await button('Take theirs').click();
    await button('Save').waitFor({ state: 'detached' });
    await typed.fill('colour');
    await page.keyboard.press('Enter');
    await save();
    await button('Save').waitFor({ state: 'detached' });
    expect(await sortable()).toEqual(['age', 'colour', 'price', 'weight']);
    // what nobody else touched is saved without a question
    await change(['age']);
    await page.getByLabel('Two typos from this length on').fill('11');
    await save();
    await button('Save').waitFor({ state: 'detached' });
    expect(await sortable()).toEqual(['age']);
  });

  test('a document that is written stays', async () => {
    await screen.go('/index/oat/documents/2');
    await screen.page.getByLabel('As JSON').fill('{"id":2,"name":"porridge"}');
    await saveTwice('Save', async () => (await ask('GET', '/indexes/oat/documents/2'))['name'] === 'porridge');
  });

  test('an editor of a document asks before it overwrites what others changed or deleted since', async () => {
    const { page } = screen;
    const text = page.getByLabel('As JSON');
    const stored = async () => ask('GET', '/indexes/oat/documents/3');
    const send = async (name: string): Promise<void> => {
      await ask('POST', '/indexes/oat/documents', [{ id: 3, name }]);
      await server.allTasksDone();
    };
    await send('flakes');
    await screen.go('/index/oat/documents/3');
    await text.fill('{"id":3,"name":"bran"}');
    await send('groats');
    await button('Save').press('Enter');
    await page.getByText('others have changed this document').waitFor();
    expect(await screen.barriers()).toEqual([]);
    expect(await stored()).toEqual({ id: 3, name: 'groats' });
    await button('Take theirs').click();
    await expect.poll(() => text.inputValue(), PATIENT).toContain('groats');
    await text.fill('{"id":3,"name":"bran"}');
    await ask('DELETE', '/indexes/oat/documents/3');
    await server.allTasksDone();
    await button('Save').press('Enter');
    await page.getByText('others have deleted this document').waitFor();
    await button('Overwrite them').click();
    await expect.poll(stored, PATIENT).toEqual({ id: 3, name: 'bran' });
    await text.waitFor({ state: 'detached' });
  });

  test.runIf(hasExtension('chats'))('a workspace of conversations stays', async () => {
    const { page } = screen;
    await screen.go('/chat');
    await button('Switch conversations on').click();
    await button('New workspace').first().click();
    await page.getByLabel('Name').fill('counter');
    await page.getByLabel('Base address').fill('http://127.0.0.1:9/v1');
    await page.getByLabel('What the model is told first').fill('You sell bread.');
    await saveTwice('Save', async () => {
      const { prompts } = await ask('GET', '/chats/counter/settings');
      return (prompts as { system: string } | undefined)?.system === 'You sell bread.';
    });
  });

  test.runIf(hasExtension('webhooks'))('a webhook stays', async () => {
    const { page } = screen;
    await screen.go('/server');
    await button('New webhook').click();
    await page.getByLabel('As JSON').fill('{"url":"https://bakery.example/hook"}');
    await saveTwice('Save', async () => JSON.stringify(await ask('GET', '/webhooks')).includes('bakery.example'));
  });

  test('a search rule stays', async () => {
    const { page } = screen;
    await screen.go('/server');
    await page.getByRole('switch', { name: 'Dynamic search rules' }).click();
    await button('New rule').click();
    await page.getByLabel('Name').fill('fresh');
    await page.getByLabel('As JSON').fill('{"actions":{"pin":[{"id":"2","position":0,"indexUid":"oat"}]}}');
    await saveTwice('Save', async () => (await ask('GET', '/dynamic-search-rules/fresh'))['uid'] === 'fresh');
  });

  test('a key that is made stays', async () => {
    const { page } = screen;
    await screen.go('/keys');
    await button('New key').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('till');
    await saveTwice('Make the key', async () => JSON.stringify(await ask('GET', '/keys')).includes('till'));
  });

  test('what is refused while a page opens is asked again until it is answered', async () => {
    const { page } = screen;
    await page.route(/\/tasks\?.*succeeded/, refuse);
    await screen.go('/stats');
    await expect.poll(() => alerts().count(), PATIENT).toBe(1);
    await page.unrouteAll();
    await askAgainUntil(async () => (await alerts().count()) === 0);
    await page.getByText('finished tasks').first().waitFor();
  });

  test('tasks, batches and statistics that are shown stay, with what went wrong above', async () => {
    const { page } = screen;
    const stays = async (place: string, shown: string): Promise<void> => {
      await screen.go(place);
      await page.getByText(shown).first().waitFor();
      await page.route(API, refuse);
      await askAgainUntil(async () => (await alerts().count()) > 0);
      expect(await page.getByText(shown).first().isVisible()).toBe(true);
      await page.unrouteAll();
      await askAgainUntil(async () => (await alerts().count()) === 0);
    };
    await stays('/tasks', 'Settings update');
    await page.getByRole('tab', { name: 'Batches' }).click();
    await stays('/tasks', 'Batch 1');
    await stays('/stats', 'On disk');
    await screen.picture('drafts-fault');
  });
});
