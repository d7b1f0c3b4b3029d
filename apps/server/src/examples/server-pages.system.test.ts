import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasExtension, type ServerProcess, startServerProcess } from '../e2e/server-process.test-support.js';
import { isBuilt } from '../reliability/launch.test-support.js';
import { blocksOf, ROOT, Shell } from './page-blocks.test-support.js';

/** Pages whose commands go to a server with the films, with the key that they write for one, and an extension that they need. */
const PAGES = [
  ['docs/reference/vectors-and-chat.md', null, 'chats'],
  ['docs/reference/analytics.md', null, 'analytics'],
  ['docs/reference/mcp.md', 'MASTER_KEY', null],
  ['examples/chat/README.md', null, 'chats'],
  ['examples/instantsearch/README.md', null, null],
] as const;
const SERVED = PAGES.filter(([, , extension]) => extension === null || hasExtension(extension));
/** Where pages say that a model answers. */
const MODEL = /127\.0\.0\.1:11434/g;
const HERE = /(https?:\/\/)?(?:localhost|127\.0\.0\.1):7700/g;
/** Programs of others, pages that vite serves, and an index that is not there until a query was asked often. */
const LEFT_OUT = [/^claude /, /^npx @modelcontextprotocol\//, /npm run dev/, /indexes\/query_suggestions\/search/];

/** The commands of each page, pasted block by block, work as they are written; `npm start --` gives the server options. */
describe.skipIf(!isBuilt)('the commands of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-server-pages-'));
  let model: Server;
  beforeAll(async () => {
    const said = { choices: [{ index: 0, delta: { content: 'Yes' }, finish_reason: 'stop' }] };
    model = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`);
      });
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(SERVED)('%s', async (page, key) => {
    const database = join(folder, page.replaceAll('/', '-'));
    const shell = new Shell({});
    let server: ServerProcess | undefined;
    const restart = async (options: readonly string[]): Promise<void> => {
      await server?.stop();
      server = await startServerProcess(database, ['--sample', ...options]);
      await server.allTasksDone();
    };
    const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8')).filter(({ language }) => language === 'sh');
    expect(blocks.length).toBeGreaterThan(0);
    try {
      await restart(key === null ? [] : ['--master-key', key]);
      for (const { text, printed } of blocks) {
        const start = /^npm start(?: -- (.*?))? *(?:#.*)?$/m.exec(text);
        if (start !== null) await restart(start[1]?.split(' ') ?? []);
        if (start !== null || LEFT_OUT.some((one) => one.test(text))) continue;
        const { port } = model.address() as AddressInfo;
        const output = await shell.run(text.replaceAll(HERE, server!.url).replaceAll(MODEL, `127.0.0.1:${port}`));
        expect(output, text).not.toContain('"code":');
        for (const part of printed) expect(output, text).toContain(part);
      }
      expect((await server!.allTasksDone()).filter(({ status }) => status === 'failed')).toEqual([]);
    } finally {
      shell.end();
      await server?.kill();
    }
  });

  test('are those of pages that there are', () => {
    for (const [page] of PAGES) expect(existsSync(join(ROOT, page)), page).toBe(true);
  });
});
