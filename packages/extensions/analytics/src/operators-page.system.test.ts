import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from '@fossick/server/e2e/server-process.test-support';
import { blocksOf, ROOT, Shell } from '@fossick/server/examples/page-blocks.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const BUILT_FILE = fileURLToPath(new URL('../../../../apps/server/dist/main.js', import.meta.url));

describe.skipIf(!existsSync(BUILT_FILE))('the commands of docs/reference/analytics.md', () => {
  const [start, ...blocks] = blocksOf(readFileSync(join(ROOT, 'docs/reference/analytics.md'), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'fossick-analytics-page-'));
  const shell = new Shell({});
  let server: ServerProcess;
  beforeAll(async () => {
    const options = start!.text.trim().split(' ').slice(3);
    server = await startServerProcess(folder, ['--sample', ...options], { FOSSICK_TEST_ANALYTICS_PERIOD_MS: '500' });
    await server.allTasksDone();
  });
  afterAll(async () => {
    shell.end();
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(blocks.map((block, at) => [`${at + 1}: ${block.text.split('\n', 1)[0]}`, block] as const))('%s', async (_, {
    text,
    printed,
  }) => {
    const command = text.replaceAll('127.0.0.1:7700', new URL(server.url).host);
    if (text.includes('query_suggestions')) await suggested();
    const output = await shell.run(command);
    for (const part of printed) expect(output).toContain(part);
    expect(output).not.toContain('"code":');
  });

  /** Searches often enough that there is a suggestion. */
  async function suggested(): Promise<void> {
    for (let i = 0; i < 6; i++)
      await server.call('POST', '/indexes/movies/search', { q: 'star wars' }, { 'x-ms-user-id': `user ${i}` });
    const found = async () =>
      (await server.call<{ hits?: object[] }>('GET', '/indexes/query_suggestions/search?q=sta')).body.hits?.length;
    await expect.poll(found, { timeout: 120_000 }).toBe(1);
  }

  test('count the click of the example', async () => {
    const { body } = await server.call<{ totals: { clickedSearches: number } }>('GET', '/analytics/searches');
    expect(body.totals.clickedSearches).toBe(1);
  });
});
