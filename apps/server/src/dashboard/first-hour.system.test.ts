import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  hasExtension,
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { BROWSER, PATIENCE_MS, TestPage } from './page.test-support.js';

const BOOKS = 'isbn,title,author,year:number\n1,The Sea,Verne,1870\n2,The Land,Verne,1890\n3,The Sky,Wells,1897\n';
const PATIENT = { timeout: PATIENCE_MS };

/** What somebody does who has just started the server, without a word of it read: no key, the films, a file of their own. */
describe.skipIf(BROWSER === undefined)('the first hour', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder);
    const body = sampleLines().slice(0, 300).join('\n');
    await server.call('POST', '/indexes/movies/documents', body, { 'content-type': 'application/x-ndjson' });
    await server.allTasksDone();
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await server?.kill();
    removeFolder(folder);
  });
  const titles = () => screen.page.locator('article h3').allInnerTexts();

  test('a view that is opened while the list of indexes is loading stays open', async () => {
    const page = await screen.page.context().newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    // a busy page is told of its new address late
    await page.addInitScript(() => {
      const held: HashChangeEvent[] = [];
      const late = (event: HashChangeEvent): void => {
        if (!event.isTrusted) return;
        event.stopImmediatePropagation();
        held.push(event);
      };
      window.addEventListener('hashchange', late, true);
      const told = (): void => {
        for (const event of held.splice(0)) window.dispatchEvent(new HashChangeEvent('hashchange', event));
      };
      Object.assign(window, { told });
    });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/indexes\?/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(server.url);
    await page.getByLabel('Loading').waitFor();
    await page.evaluate(() => {
      location.hash = '/index/movies/documents';
    });
    const listed = page.waitForResponse(/\/indexes\?/);
    release();
    await (await listed).finished();
    // the page has drawn what follows from the list
    await screen.drawn(page);
    await page.evaluate('told()');
    await page.getByRole('heading', { name: 'Documents' }).waitFor();
    expect(page.url()).toMatch(/#\/index\/movies\/documents$/);
    await page.close();
  });

  test('a file that is dropped anywhere becomes an index by its name', async () => {
    const { page } = screen;
    await page.getByRole('searchbox').fill('pocahntas');
    await expect.poll(titles, PATIENT).toContain('Pocahontas');
    await dropped('My books.csv', BOOKS);
    const dialog = page.getByRole('dialog', { name: 'Add documents' });
    await dialog.getByText('My books.csv').waitFor();
    expect(await dialog.getByLabel('Index').getAttribute('placeholder')).toBe('my-books');
    await screen.picture('dropped');
    await dialog.getByRole('button', { name: 'Upload' }).click();
    // no attribute ends in id: the field for it is there, and the file is not to be dropped again
    await dialog.getByRole('button', { name: 'Try again' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Primary key' }).fill('isbn');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('3 documents', { exact: true }).waitFor();
    await dialog.getByRole('link', { name: 'Search in my-books' }).click();
    await page.waitForURL(/my-books/);
    await page.getByRole('searchbox').fill('the se');
    await expect.poll(titles, PATIENT).toContain('The Sea');
    await dialog.waitFor({ state: 'detached' });
  });

  test('a file of a spreadsheet has semicolons, and the letters of its language', async () => {
    const { page } = screen;
    await screen.go('/indexes');
    await dropped('Lager Übersicht.csv', '\uFEFFid;Größe;Name\r\n1;7,5;Käsehobel\r\n2;12;"Topf; groß"\r\n');
    const dialog = page.getByRole('dialog', { name: 'Add documents' });
    expect(await dialog.getByLabel('Index').getAttribute('placeholder')).toBe('lager-ubersicht');
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await dialog.getByText('2 documents', { exact: true }).waitFor();
    expect((await server.call('GET', '/indexes/lager-ubersicht/documents')).body).toMatchObject({
      results: [
        { id: '1', Größe: '7,5', Name: 'Käsehobel' },
        { id: '2', Größe: '12', Name: 'Topf; groß' },
      ],
    });
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  test('a file that is dropped in its own place is taken there alone', async () => {
    const { page } = screen;
    await screen.go('/indexes');
    await page.getByRole('button', { name: 'Upload' }).click();
    await dropped('few.json', '[{"id":1}]', '.drop');
    // its index is asked for first, by this place alone
    await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click();
    await page.getByText('1 document', { exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.getByRole('button', { name: 'Close' }).click();
  });

  test('an attribute is made filterable, and filters', async () => {
    const { page } = screen;
    await screen.go('/index/my-books/settings');
    await page.getByRole('combobox', { name: 'Filterable attributes' }).fill('author');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await screen.go('/index/my-books/search');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('checkbox', { name: /Verne/ }).check();
    await expect.poll(async () => (await titles()).sort(), PATIENT).toEqual(['The Land', 'The Sea']);
  });

  test.runIf(hasExtension('chats'))('what chats know of an index is edited as JSON, too', async () => {
    const { page } = screen;
    await server.call('PATCH', '/experimental-features', { chatCompletions: true });
    await screen.go('/index/my-books/settings');
    // the page knows of a feature that others switch on once it is loaded again
    await page.reload();
    const section = page.locator('#settings-chat');
    await section.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = section.getByRole('textbox', { name: 'Chat' });
    await text.fill('{ "description": ');
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled(), PATIENT).toBe(true);
    await text.fill('{ "description": "Old books", "searchParameters": { "limit": 4 } }');
    await page.getByRole('button', { name: 'Save' }).click();
    const saved = async () => (await server.call('GET', '/indexes/my-books/settings/chat')).body;
    await expect
      .poll(saved, PATIENT)
      .toMatchObject({ description: 'Old books', searchParameters: { limit: 4 }, documentTemplateMaxBytes: 400 });
    expect(screen.faults).toEqual([]);
  });

  test('without a master key the view of keys says what it needs, and all other views go on', async () => {
    const { page } = screen;
    await screen.go('/keys');
    await page.getByRole('heading', { name: 'Key management needs --master-key' }).waitFor();
    await screen.picture('keys-without-master-key');
    expect(await screen.barriers()).toEqual([]);
    expect(await page.getByLabel('API key').count()).toBe(0);
    await page.getByRole('link', { name: 'Indexes' }).click();
    await page.getByRole('heading', { name: 'Indexes' }).waitFor();
  });

  test.runIf(hasExtension('analytics'))('the view of search analytics says whose searches it shows', async () => {
    const { page } = screen;
    await screen.go('/analytics');
    await page.getByText('Only searches made on this page, not those of other clients.').waitFor();
    await screen.picture('analytics');
    expect(screen.faults).toEqual([]);
  });

  /** Drags a file of the machine onto the page, or a part of it, and lets it go. */
  async function dropped(name: string, text: string, target = 'main'): Promise<void> {
    await screen.page.locator(target).waitFor();
    await screen.page.evaluate(
      ([fileName, content, selector]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([content!], fileName!));
        for (const type of ['dragenter', 'dragover', 'drop'])
          document
            .querySelector(selector!)!
            .dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      },
      [name, text, target],
    );
  }
});
