import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INSTALLED_CLIENTS } from '../clients/client-table.test-support.js';
import { startServerProcess, type TestServer } from '../e2e/server-process.test-support.js';
import { blocksOf, ROOT } from '../examples/page-blocks.test-support.js';
import { MASTER_KEY, startLibrary } from './mcp-client.test-support.js';

const run = promisify(execFile);
/** 110 MB with all that it needs: it is installed into a folder of this test. */
const INSPECTOR = `@modelcontextprotocol/inspector@${INSTALLED_CLIENTS.inspector}`;
const INSTALL_MS = 180_000;

/** The inspector of the protocol, at the command line; where it cannot be installed it is skipped, aloud. */
describe('the inspector of the protocol', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-inspector-'));
  let server: TestServer;
  let end: () => Promise<void>;
  let reason: string | null = null;
  beforeAll(async () => {
    ({ server, end } = await startLibrary(undefined, startServerProcess));
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', INSPECTOR];
    await run('npm', words, { cwd: folder, timeout: INSTALL_MS }).catch((error: Error) => {
      reason = error.message.split('\n').slice(0, 2).join(' ');
      console.log(`the inspector is not tried: ${reason}`);
    });
  }, INSTALL_MS + 60_000);
  afterAll(async () => {
    await end?.();
    rmSync(folder, { recursive: true, force: true });
  });
  const inspect = async (...words: string[]) => {
    const bin = join(folder, 'node_modules/.bin/mcp-inspector');
    const target = [
      '--cli',
      `${server.url}/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${MASTER_KEY}`,
    ];
    // its own settings and logs stay in the folder
    const env = { ...process.env, HOME: folder };
    return run(bin, [...target, ...words], { cwd: folder, env, maxBuffer: 2 ** 26, timeout: 60_000 });
  };

  test('finds nothing wrong with the schemas of the tools', async (context) => {
    if (reason !== null) return context.skip();
    const { stdout, stderr } = await inspect('--method', 'tools/list', '--strict');
    expect((JSON.parse(stdout) as { tools: object[] }).tools.length).toBeGreaterThan(15);
    expect(stderr).toBe('');
  }, 90_000);

  test('calls a tool, and sees that one fails', async (context) => {
    if (reason !== null) return context.skip();
    const call = ['--method', 'tools/call', '--tool-name', 'search', '--tool-arg'];
    const { stdout } = await inspect(...call, 'indexUid=films', 'q=star wrs', 'limit=1');
    expect(stdout).toContain('Star Wars');
    const failed = await inspect(...call, 'indexUid=nowhere').catch((error: { stdout: string }) => error);
    expect(failed.stdout).toContain('index_not_found');
    expect(failed.stdout).toContain('"isError": true');
  }, 90_000);

  test('is called as the page says, by a version that knows these options', async (context) => {
    const page = readFileSync(join(ROOT, 'docs/reference/mcp.md'), 'utf8');
    const [block] = blocksOf(page).filter(({ text }) => text.includes('@modelcontextprotocol/inspector'));
    const [list, call, ...more] = block!.text.trim().split('\n');
    const [major] = INSTALLED_CLIENTS.inspector.split('.');
    const start = `npx @modelcontextprotocol/inspector@${major} `;
    // without a major npm takes the newest for this Node.js, which may be years old
    for (const line of [list, call]) expect(line!.slice(0, start.length)).toBe(start);
    expect(more).toEqual([]);
    if (reason !== null) return context.skip();
    const here = (line: string): string =>
      line
        .replace(start, `'${join(folder, 'node_modules/.bin/mcp-inspector')}' `)
        .replace('http://127.0.0.1:7700', server.url)
        .replace('KEY', MASTER_KEY)
        .replace('indexUid=movies q=godfahter', 'indexUid=films q=star');
    const options = { cwd: folder, env: { ...process.env, HOME: folder }, maxBuffer: 2 ** 26, timeout: 60_000 };
    expect((await run('sh', ['-c', here(list!)], options)).stdout).toContain('"name": "search"');
    expect((await run('sh', ['-c', here(call!)], options)).stdout).toContain('Star Wars');
  }, 150_000);
});
