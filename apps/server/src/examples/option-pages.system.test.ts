import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServerProcess, startServerProcess } from '../e2e/server-process.test-support.js';
import { blocksOf, OPTION_PAGES, ROOT, Shell } from './page-blocks.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const sections = OPTION_PAGES.flatMap((page) =>
  readFileSync(join(ROOT, page), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.split('\n', 1)[0]!, blocksOf(text)] as const),
);

/** A database with the films, which is made once. */
let sample = '';
beforeAll(async () => {
  if (!existsSync(BUILT_FILE)) return;
  sample = mkdtempSync(join(tmpdir(), 'fossick-options-'));
  const server = await startServerProcess(sample, ['--sample']);
  await server.allTasksDone();
  await server.stop();
});
afterAll(() => rmSync(sample, { recursive: true, force: true }));

/** Each section of the pages on options runs against a server with the sample of its own. */
describe.skipIf(!existsSync(BUILT_FILE)).each(sections)('%s', (_, blocks) => {
  const commands = blocks.filter(({ language }) => language !== 'js');
  const folder = mkdtempSync(join(tmpdir(), 'fossick-options-'));
  const shell = new Shell({});
  let server: ServerProcess | undefined;
  beforeAll(async () => {
    if (commands.length === 0) return;
    cpSync(sample, join(folder, 'data'), { recursive: true });
    server = await startServerProcess(join(folder, 'data'), ['--sample']);
    await server.allTasksDone();
  });
  afterAll(async () => {
    shell.end();
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test('has an example', () => expect(blocks.length).toBeGreaterThan(0));

  // programs have an engine of their own: option-programs.system.test.ts runs them
  test.each(
    commands.map((block, at) => [`${at + 1}: ${block.text.split('\n', 1)[0]}`, block] as const),
  )('%s', async (_name, { language, text, printed }) => {
    expect(language).toBe('sh');
    const output = await shell.run(text.replaceAll('127.0.0.1:7700', new URL(server!.url).host));
    for (const part of printed) expect(output).toContain(part);
    if (printed.length === 0) expect(output).not.toContain('"code":');
    expect((await server!.allTasksDone()).filter(({ status }) => status === 'failed')).toEqual([]);
  });
});
