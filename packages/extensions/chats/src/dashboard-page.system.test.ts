import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BROWSER, PATIENCE_MS, TestPage } from '@fossick/server/dashboard/page.test-support';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatProcess, MASTER_KEY, search } from './in-server/chat-server.test-support.js';
import { TestProvider } from './in-server/provider.test-support.js';

const PATIENT = { timeout: PATIENCE_MS };

describe.skipIf(BROWSER === undefined)('conversations in the dashboard', () => {
  const chat = new ChatProcess();
  const screen = new TestPage();
  beforeAll(async () => {
    await chat.start();
    await chat.call('POST', '/indexes/films/documents', [{ id: 1, title: 'The harbour' }]);
    await chat.server.allTasksDone();
    await screen.open(chat.server.url);
    await screen.page.getByLabel('API key').fill(MASTER_KEY);
    await screen.page.getByRole('button', { name: 'Sign in' }).click();
    await screen.page.getByRole('searchbox').waitFor();
  });
  afterAll(async () => {
    await screen.close();
    await chat.stop();
  });

  test('holds a conversation over the chosen indexes, with its searches and sources', async () => {
    const { page } = screen;
    chat.provider.script(
      { text: 'I look. ', calls: [search('c1', 'harbour')] },
      { text: 'Two films: The Red Harbour, and Harbour of Ghosts.' },
    );
    await screen.go('/chat');
    await page.getByRole('combobox', { name: 'Workspace' }).click();
    await page.getByRole('option', { name: 'openAi', exact: true }).click();
    await page.getByLabel('Model').fill('gpt-4o');
    await page.getByRole('combobox', { name: 'Indexes' }).click();
    await page.getByRole('option', { name: 'movies' }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Question').fill('Which films have a harbour?');
    await page.getByRole('button', { name: 'Ask' }).click();
    const talk = page.getByRole('region', { name: 'Conversation' });
    await expect.poll(() => talk.innerText(), PATIENT).toContain('and Harbour of Ghosts.');
    expect(await talk.innerText()).toContain('Searching movies for “harbour”');
    expect(await talk.getByRole('list', { name: 'Sources' }).innerText()).toContain('The Red Harbour');
    // the key that was made for it opens no other index: the model hears of no other
    expect(JSON.stringify(chat.provider.sent[0]!.body.tools)).not.toMatch(/private|films/);
    await screen.picture('chat');
  });

  test.each(['light', 'dark'] as const)('has no barriers that axe knows of, %s', async (scheme) => {
    const { page } = screen;
    await page.emulateMedia({ colorScheme: scheme });
    await screen.go('/chat');
    await page.getByLabel('Question').waitFor();
    expect(await screen.barriers(scheme === 'dark')).toEqual([]);
    await screen.picture(`chat-${scheme}`);
  });

  test('fits a phone', async () => {
    const { page } = screen;
    await page.setViewportSize({ width: 390, height: 844 });
    await screen.go('/chat');
    await page.getByLabel('Question').waitFor();
    const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.poll(beyond, PATIENT).toBeLessThanOrEqual(0);
    await screen.picture('chat-phone');
  });
});

describe.skipIf(BROWSER === undefined)('conversations in the dashboard of a server without a master key', () => {
  const folder = newDatabaseFolder();
  const screen = new TestPage();
  let server: ServerProcess;
  let model: TestProvider;
  beforeAll(async () => {
    server = await startServerProcess(folder, ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
    model = await TestProvider.start();
    const books = ['The Sea', 'The Land', 'The Sky'].map((title, id) => ({ id, title }));
    await server.call('POST', '/indexes/my-books/documents', books);
    await server.allTasksDone();
    await screen.open(server.url);
  });
  afterAll(async () => {
    await screen.close();
    await model?.stop();
    await server?.kill();
    removeFolder(folder);
  });

  test('a model on the own machine answers in the chat', async () => {
    const { page } = screen;
    model.script({ calls: [search('c1', 'sea', { index_uid: 'my-books' })] }, { text: 'Read *The Sea*.' });
    await screen.go('/chat');
    await page.getByRole('button', { name: 'Switch conversations on' }).click();
    await page.getByRole('button', { name: 'New workspace' }).click();
    await page.getByLabel('Base address').fill(`${model.url}/v1`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Model', { exact: true }).fill('a-model');
    await page.getByLabel('Question').fill('A book about water?');
    await page.getByRole('button', { name: 'Ask' }).click();
    const talk = page.getByRole('region', { name: 'Conversation' });
    await expect.poll(() => talk.innerText(), PATIENT).toContain('Read ');
    expect(await talk.getByRole('list', { name: 'Sources' }).innerText()).toContain('The Sea');
  });

  test('without a master key a conversation about chosen indexes asks for no key', async () => {
    const { page } = screen;
    model.script({ text: 'No idea.' });
    await screen.go('/chat');
    await page.getByLabel('Model', { exact: true }).fill('a-model');
    await page.getByRole('combobox', { name: 'Indexes' }).click();
    await page.getByRole('option', { name: 'my-books' }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Question').fill('Another one?');
    await page.getByRole('button', { name: 'Ask' }).click();
    const talk = page.getByRole('region', { name: 'Conversation' });
    await expect.poll(() => talk.innerText(), PATIENT).toContain('No idea.');
  });
});

test.skipIf(BROWSER === undefined)(
  'a model on the own machine that the server may not call: the chat names the option',
  async () => {
    const folder = newDatabaseFolder();
    const screen = new TestPage();
    const closed: Server = createServer().listen(0, '127.0.0.1');
    const server = await startServerProcess(folder);
    try {
      await server.call('PATCH', '/experimental-features', { chatCompletions: true });
      const baseUrl = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1`;
      await server.call('PATCH', '/chats/default/settings', { source: 'vLlm', baseUrl });
      await screen.open(server.url);
      await screen.go('/chat');
      await screen.page.getByLabel('Model', { exact: true }).fill('a-model');
      await screen.page.getByLabel('Question').fill('Anything?');
      await screen.page.getByRole('button', { name: 'Ask' }).click();
      await expect
        .poll(() => screen.page.locator('main').innerText(), PATIENT)
        .toContain('--experimental-allowed-ip-networks');
    } finally {
      await screen.close();
      await server.kill();
      closed.close();
      removeFolder(folder);
    }
  },
);
