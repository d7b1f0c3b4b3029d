import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER } from '../../apps/server/src/dashboard/page.test-support.js';
import { freePort, hasExtension } from '../../apps/server/src/e2e/server-process.test-support.js';
import { blocksOf, ROOT, Shell } from '../../apps/server/src/examples/page-blocks.test-support.js';
// @ts-expect-error: the tool is plain JavaScript
import { newProject, packsForTests } from '../packages/pack.mjs';

/** The page counts searches from the start. */
const isThere = process.env.FOSSICK_TEST_BUILT === '1' && hasExtension('analytics');

/** The walk of a new user by docs/guides/first-search.md, from packed packages, in a folder outside of the checkout. */
describe.runIf(isThere)('from nothing to a search page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-first-'));
  const project = join(folder, 'project');
  const [start, search, page, report, own, protectedStart, keyed] = blocksOf(
    readFileSync(join(ROOT, 'docs/guides/first-search.md'), 'utf8'),
  ) as [Block, Block, Block, Block, Block, Block, Block];
  type Block = ReturnType<typeof blocksOf>[number];
  const shell = new Shell({});
  let server: ChildProcess | undefined;
  let address = '';
  const here = (text: string): string => text.replaceAll('127.0.0.1:7700', address);
  beforeAll(async () => {
    // what npx would download is there: nothing is published for the test
    const packed = (await packsForTests(join(folder, 'packs'))) as readonly { readonly name: string }[];
    const wanted = packed.filter(({ name }) => ['fossick', '@fossick/dashboard'].includes(name));
    await newProject(project, wanted);
    address = `127.0.0.1:${await freePort()}`;
    await shell.run(`cd '${project}'`);
  });
  afterAll(async () => {
    shell.end();
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  async function stop(): Promise<void> {
    if (server === undefined) return;
    const ended = new Promise((resolve) => server!.once('close', resolve));
    process.kill(-server.pid!, 'SIGINT');
    await ended;
    server = undefined;
  }
  /** Runs the command of a block; resolves when the server says that it listens. */
  async function launch({ text }: Block): Promise<string> {
    const command = `${text.trim().replace('npx', 'npx --offline')} --http-addr ${address}`;
    server = spawn('sh', ['-c', command], { cwd: project, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [server.stdout!, server.stderr!])
      stream.on('data', (chunk) => {
        said += String(chunk);
      });
    await expect
      .poll(
        () =>
          fetch(`http://${address}/health`).then(
            ({ status }) => status,
            () => said,
          ),
        { timeout: 120_000 },
      )
      .toBe(200);
    return said;
  }
  const found = async (block: Block): Promise<void> => {
    const output = await shell.run(here(block.text));
    for (const part of block.printed) expect(output).toContain(part);
  };

  it('1: the server starts, and says where', async () => {
    expect(await launch(start)).toContain(address);
    const hits = (): Promise<number> =>
      fetch(`http://${address}/indexes/movies/search`)
        .then((answer) => answer.json())
        .then((answer: { hits?: unknown[] }) => answer.hits?.length ?? 0);
    await expect.poll(hits, { timeout: 120_000 }).toBeGreaterThan(0);
  });

  it('2: a film is found, with a typing error', () => found(search));

  it.skipIf(BROWSER === undefined)('3: the page finds it as one types', async () => {
    const file = join(project, 'search.html');
    writeFileSync(file, here(page.text));
    const browser = await chromium.launch({ executablePath: BROWSER!, args: ['--no-sandbox', '--disable-gpu'] });
    try {
      const tab = await browser.newPage();
      tab.setDefaultTimeout(120_000);
      await tab.goto(pathToFileURL(file).href);
      await tab.getByPlaceholder('Title, person, plot').pressSequentially('jurasic park');
      const first = tab.locator('li').first();
      await first.filter({ hasText: 'Jurassic Park (1993)' }).waitFor();
      const clicked = tab.waitForResponse((answer) => answer.url().endsWith('/events'));
      await first.click();
      expect((await clicked).status()).toBe(201);
      await tab.goto(`http://${address}/`);
      await tab.getByText('movies').first().waitFor();
      await tab.goto(`http://${address}/#/analytics`);
      await tab.getByRole('table', { name: 'Most searched' }).getByRole('cell', { name: 'jurasic park' }).waitFor();
    } finally {
      await browser.close();
    }
  });

  it.skipIf(BROWSER === undefined)('4: the search and the click are counted', () => found(report));

  it('5: documents of one’s own are found', () => found(own));

  it('6: with a master key a stranger is refused, and the data are there still', async () => {
    await stop();
    await launch(protectedStart);
    expect((await fetch(`http://${address}/indexes/movies/search`)).status).toBe(401);
    const headers = { authorization: 'Bearer aSecretOf16OrMoreBytes' };
    const keys = (await (await fetch(`http://${address}/keys`, { headers })).json()) as { results: { name: string }[] };
    expect(keys.results.map(({ name }) => name)).toContain('Default Search API Key');
    await found(keyed);
  });

  it('and the films become files that pages search', async () => {
    await stop();
    const blocks = blocksOf(readFileSync(join(ROOT, 'docs/guides/browser.md'), 'utf8'));
    const { text } = blocks.find((block) => block.text.includes('export-static'))!;
    expect(await shell.run(text.replace('npx', 'npx --offline'))).toContain('manifest.json');
    // where the page's own example looks for it
    expect(existsSync(join(project, 'public/films/manifest.json'))).toBe(true);
  });
});
