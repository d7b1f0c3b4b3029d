import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocksOf, OPTION_PAGES, ROOT } from './page-blocks.test-support.js';
import { runProgram } from './page-programs.test-support.js';

const isBuilt = existsSync(join(ROOT, 'packages/fossick/dist/index.js'));
const programs = OPTION_PAGES.flatMap((page) => blocksOf(readFileSync(join(ROOT, page), 'utf8'))).filter(
  ({ language }) => language === 'js',
);

describe.skipIf(!isBuilt)('the programs of the pages on options', () => {
  test('are there', () => expect(programs.length).toBeGreaterThan(0));
  test.each(programs.map(({ text }, at) => [at + 1, text] as const))('number %d prints what it says', async (_, text) =>
    runProgram(text));
});
