import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatProcess, search } from './in-server/chat-server.test-support.js';

/** Any browser of its kind that is installed; nothing is downloaded. */
const BROWSER = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path));
const PAGE = new URL('../../../../examples/chat/index.html', import.meta.url).href;
/** A folder for pictures of the page, for people to look at. */
const PICTURES = process.env['FOSSICK_PICTURES'];

/** A browser on a busy machine takes its time. */
const PATIENT = { timeout: 20_000 };

if (BROWSER === undefined) console.log('the page of examples/chat is not tried: there is no chromium here');

describe.skipIf(BROWSER === undefined)('the page of examples/chat in a browser', () => {
  const chat = new ChatProcess();
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];
  beforeAll(async () => {
    await chat.start();
    browser = await chromium.launch({ executablePath: BROWSER!, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage({ viewport: { width: 800, height: 900 } });
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(PAGE);
    const { body } = await chat.call('GET', '/keys');
    const { key } = body.results.find(({ name }: { name: string }) => name === 'Default Chat API Key');
    await page.getByLabel('Server').fill(chat.server.url);
    await page.getByLabel('Workspace').fill('openAi');
    await page.getByLabel('Model').fill('gpt-4o');
    await page.getByLabel('API key').fill(key);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await chat.stop();
  });
  const ask = async (question: string): Promise<void> => {
    await page.getByLabel('Question').fill(question);
    await page.getByRole('button', { name: 'Ask' }).click();
  };
  const talk = (): Promise<string> => page.locator('#talk').innerText();
  const picture = async (name: string): Promise<void> => {
    if (PICTURES !== undefined) await page.screenshot({ path: fileURLToPath(`file://${PICTURES}/${name}.png`) });
  };

  test('shows the search, what it found, and the answer as it comes; the next question has the history', async () => {
    chat.provider.script(
      { text: 'I look for it. ', calls: [search('c1', 'harbour')] },
      { text: 'Two: The Red Harbour, and Harbour of Ghosts.' },
    );
    await ask('Which movies have a harbour?');
    await expect.poll(talk, PATIENT).toContain('and Harbour of Ghosts.');
    const lines = await page.locator('#talk > div').allInnerTexts();
    expect(lines).toEqual([
      'Which movies have a harbour?',
      expect.stringContaining('I look for it.'),
      'Searching movies for “harbour”',
      'Found: Harbour of Ghosts · The Red Harbour',
      'Two: The Red Harbour, and Harbour of Ghosts.',
    ]);
    await picture('answer');
    chat.provider.script({ text: 'The first is of 1994.' });
    await ask('When was the first?');
    await expect.poll(talk, PATIENT).toContain('of 1994');
    const roles = chat.provider.sent[0]!.body.messages.slice(1).map(({ role }: { role: string }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  test('tells what goes wrong, and goes on', async () => {
    chat.provider.script((response) => void response.writeHead(429).end('slow down'));
    await ask('And now?');
    await expect
      .poll(() => page.locator('.error').allInnerTexts(), PATIENT)
      .toEqual([expect.stringContaining('slow down')]);
    expect(await page.getByLabel('Question').inputValue()).toBe('And now?');
    chat.provider.script({ text: 'Now it works.' });
    await ask('And again?');
    await expect.poll(talk, PATIENT).toContain('Now it works.');
    await picture('error');
    // the question that failed is no part of the conversation
    const asked = chat.provider.sent[0]!.body.messages.filter(({ role }: { role: string }) => role === 'user');
    expect(asked.map(({ content }: { content: string }) => content)).not.toContain('And now?');
    expect(faults).toEqual([]);
  });
});
