import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { BROWSER, PATIENCE_MS } from '../dashboard/page.test-support.js';
import { type ServerProcess, startServerProcess } from '../e2e/server-process.test-support.js';
import { type Block, blocksOf, ROOT, Shell } from './page-blocks.test-support.js';
import { runProgram } from './page-programs.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Commands that no test may run: they need a network, or a second instance. */
const LEFT_OUT = [/^npm install /, /^node apps\/server\/bin\/fossick\.js move /];
const CLONE = /^git clone https:\/\/\S+\/fossick\.git\ncd fossick\n/;

if (BROWSER === undefined) console.log('pages in the documentation are not opened: there is no chromium here');

const GETTING_STARTED = 'docs/guides/getting-started.md';
const PAGES = ['README.md', GETTING_STARTED];

let browser: Browser | undefined;
afterAll(() => browser?.close());

describe.skipIf(!existsSync(BUILT_FILE)).each(PAGES)('the commands of %s', (page) => {
  const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'fossick-pages-'));
  const shell = new Shell({ FILMS_PATH: join(folder, 'films') });
  let server: ServerProcess | undefined;
  afterAll(async () => {
    shell.end();
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test('begin with a checkout and its server', () => {
    expect(blocks[0]).toMatchObject({ language: 'sh', text: expect.stringMatching(CLONE) });
    expect(blocks[0]!.text.replace(CLONE, '')).toBe('npm start\n');
  });

  test.each(
    blocks.map((block, at) => [`${at + 1}: ${block.text.split('\n', 1)[0]}`, block] as const),
  )('%s', async (_, block) => {
    const text = block.text.replace(CLONE, '');
    if (text.startsWith('npm start')) server = await restarted(text);
    else if (LEFT_OUT.some((one) => one.test(text))) expect(block.printed).toEqual([]);
    else await runBlock({ ...block, text: withPort(text) });
    expect((await server!.allTasksDone()).filter(({ status }) => status === 'failed')).toEqual([]);
  });

  /** `npm start` passes what follows `--` to the server, and adds `--sample`. */
  async function restarted(command: string): Promise<ServerProcess> {
    const options = command.trim().split(' ').slice(3);
    await server?.stop();
    return startServerProcess(join(folder, 'data'), ['--sample', ...options]);
  }

  async function runBlock(block: Block): Promise<void> {
    switch (block.language) {
      case 'sh': {
        const output = await shell.run(block.text);
        for (const part of block.printed) expect(output).toContain(part);
        if (block.printed.length === 0) expect(output).not.toContain('"code":');
        return;
      }
      case 'js':
        return runProgram(block.text);
      case 'html':
        return openPage(block.text);
      default:
        throw new Error(`nothing runs a block of ${block.language}`);
    }
  }

  const withPort = (text: string): string =>
    text.replaceAll(/(?:localhost|127\.0\.0\.1):7700/g, new URL(server!.url).host);

  async function openPage(html: string): Promise<void> {
    expect(html.trim().split('\n').length).toBeLessThanOrEqual(28);
    if (BROWSER === undefined) return;
    const file = join(folder, 'search.html');
    writeFileSync(file, html);
    browser ??= await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
    const opened = await browser.newPage();
    try {
      opened.setDefaultTimeout(PATIENCE_MS);
      await opened.goto(pathToFileURL(file).href);
      const lines = () => opened.getByRole('listitem').allInnerTexts();
      await expect.poll(async () => (await lines()).length, { timeout: PATIENCE_MS }).toBe(10);
      await opened.getByRole('searchbox').pressSequentially('jurasic park', { delay: 20 });
      await expect.poll(async () => (await lines())[0], { timeout: PATIENCE_MS }).toBe('Jurassic Park (1993)');
    } finally {
      await opened.close();
    }
  }
});

describe.skipIf(!existsSync(BUILT_FILE))('the commands of both pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-pasted-'));
  const shell = new Shell({ FILMS_PATH: join(folder, 'films') });
  let server: ServerProcess | undefined;
  afterAll(async () => {
    shell.end();
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test('work one after the other on one server, each page pasted in one go', async () => {
    server = await startServerProcess(join(folder, 'data'), ['--sample']);
    await server.allTasksDone();
    const host = new URL(server.url).host;
    for (const page of PAGES) {
      const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8')).slice(1);
      // from there on another server has keys
      const end = blocks.findIndex(({ text }) => text.startsWith('npm start'));
      const pasted = blocks
        .slice(0, end < 0 ? blocks.length : end)
        .filter(({ language, text }) => language === 'sh' && !LEFT_OUT.some((one) => one.test(text)));
      expect(pasted.length).toBeGreaterThanOrEqual(4);
      const text = pasted.map((block) => block.text).join('');
      const output = await shell.run(text.replaceAll(/(?:localhost|127\.0\.0\.1):7700/g, host));
      expect(output).not.toContain('"code":');
      let from = 0;
      for (const part of pasted.flatMap(({ printed }) => printed)) {
        expect(output.slice(from)).toContain(part);
        from = output.indexOf(part, from) + part.length;
      }
    }
    expect((await server.allTasksDone()).filter(({ status }) => status === 'failed')).toEqual([]);
  });
});
