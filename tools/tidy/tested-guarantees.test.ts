import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findTestedRowFaults, testedRows } from './tested-guarantees.js';

const rootFolder = fileURLToPath(new URL('../..', import.meta.url));

function readFile(path: string): string | null {
  const file = join(rootFolder, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

it('no test cell of the page on tested guarantees occurs twice, and every test it names exists', () => {
  const page = readFile('docs/internals/tested-guarantees.md') ?? '';
  expect(testedRows(page).length).toBeGreaterThan(100);
  expect(findTestedRowFaults(page, readFile)).toEqual([]);
});

it('a test cell that occurs twice, also in another table, is found', () => {
  const page = [
    '| guarantee | test |',
    '|---|---|',
    '| a | a/one.test.ts |',
    '| b | a/one.test.ts: "of b" |',
    '',
    '| fault | test | figures |',
    '|---|---|---|',
    '| c | a/one.test.ts | 3 |',
  ].join('\n');
  expect(findTestedRowFaults(page, () => "it('of b')")).toEqual(['line 8 has the test cell of line 3: a/one.test.ts']);
});

it('a file that does not exist, a test that its file lacks, and a row without a test are found', () => {
  const page = '| guarantee | test |\n|---|---|\n| a | R/gone |\n| b | a/one.test.ts: "of b" |\n| c | by hand |\n';
  const read = (path: string): string | null => (path === 'a/one.test.ts' ? "it('of c')" : null);
  expect(findTestedRowFaults(page, read)).toEqual([
    'line 3 names apps/server/src/reliability/gone.test.ts, which does not exist',
    'line 4 names a test that a/one.test.ts lacks: of b',
    'line 5 names no test',
  ]);
});
