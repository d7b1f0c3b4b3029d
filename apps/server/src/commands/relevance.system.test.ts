import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BIN_FILE } from '../e2e/server-command.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { blocksOf, ROOT } from '../examples/page-blocks.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const KEY = 'a master key of a library';

describe.skipIf(!existsSync(BUILT_FILE))('fossick relevance', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(join(folder, 'db'), ['--master-key', KEY, '--sample']);
    const books = [
      { isbn: 'b1', title: 'The sea of ice' },
      { isbn: 'b2', title: 'Ice' },
      { isbn: 'b3', title: 'Snow and ice and sea' },
    ];
    const headers = { authorization: `Bearer ${KEY}` };
    await server.call('POST', '/indexes/books/documents?primaryKey=isbn', books, headers);
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });

  /** The code and the lines of a run. */
  function run(judged: unknown, ...options: string[]): Promise<{ code: number; lines: string[]; said: string }> {
    const file = join(folder, 'judged.json');
    writeFileSync(file, typeof judged === 'string' ? judged : JSON.stringify(judged));
    return runFile(file, ...options);
  }
  function runFile(file: string, ...options: string[]): Promise<{ code: number; lines: string[]; said: string }> {
    const args = [BIN_FILE, 'relevance', file, '--url', server.url, ...options];
    return new Promise((resolve) =>
      execFile(process.execPath, args, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), lines: stdout.trimEnd().split('\n'), said: stderr }),
      ),
    );
  }
  const searches = [
    { index: 'books', primaryKey: 'isbn', search: { q: 'ice' }, grades: { b2: 3, b3: 0 } },
    { index: 'books', primaryKey: 'isbn', search: { q: 'snow' }, grades: { b1: 2 } },
    { index: 'books', primaryKey: 'isbn', search: { q: 'sea' }, grades: {} },
  ];

  it('tells the gain of each search and the mean, and fails below what the file asks for', async () => {
    const good = await run({ searches }, '--key', KEY);
    expect(good.said).toBe('');
    expect(good).toMatchObject({
      code: 0,
      lines: ['1.000  books: ice', '0.000  books: snow', '    –  books: sea', '0.500  mean nDCG@10'],
    });
    expect((await run({ searches, atLeast: 0.5 }, '--key', KEY)).code).toBe(0);
    const bad = await run({ searches, k: 3, atLeast: 0.51 }, '--key', KEY);
    expect([bad.code, bad.lines.at(-1)]).toEqual([1, '0.500  mean nDCG@3, at least 0.51 is asked for']);
    expect((await run({ searches: [], atLeast: 0.1 }, '--key', KEY)).code).toBe(1);
  });

  it('says what is wrong in one line', async () => {
    expect(await run('{"searches":[{}]}')).toMatchObject({
      code: 1,
      said: expect.stringMatching(/judged\.json: `searches\[0\]\.index`/),
    });
    expect(await run({ searches })).toMatchObject({ code: 1, said: expect.stringMatching(/^fossick: .*--key/) });
    expect(await run({ searches }, '--url', 'ftp://there')).toMatchObject({ code: 2 });
    expect(await runFile(folder)).toMatchObject({ code: 1, said: expect.stringContaining(`${folder} cannot be used`) });
    const none = await run({ searches: [{ ...searches[0], index: 'none' }] }, '--key', KEY);
    expect(none).toMatchObject({ code: 1, said: expect.stringMatching(/^fossick: .*none/) });
    expect(none.said.trimEnd().split('\n')).toHaveLength(1);
    const [first] = searches;
    // which one of many searches, and not a mean of 0
    for (const wrong of [{ search: { q: 'ice', filter: 'year >' } }, { primaryKey: 'id' }])
      expect(await run({ searches: [first, { ...first, ...wrong }] }, '--key', KEY)).toMatchObject({
        code: 1,
        said: expect.stringMatching(/^fossick: .*judged\.json: `searches\[1\]`: .*\n$/),
      });
  });

  it('takes a file that an editor of Windows wrote', async () => {
    expect((await run(`\ufeff${JSON.stringify({ searches })}`, '--key', KEY)).lines.at(-1)).toBe('0.500  mean nDCG@10');
  });

  it('runs the example of the page on the sample films', async () => {
    const example = blocksOf(readFileSync(join(ROOT, 'docs/reference/relevancy.md'), 'utf8'))
      .map(({ text }) => text)
      .find((text) => text.includes('"atLeast"'));
    await server.allTasksDone();
    expect(await run(example, '--key', KEY)).toMatchObject({ code: 0, said: '' });
  });
});
