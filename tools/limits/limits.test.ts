import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as limits from '../../packages/foundation/base/src/limits.js';
import { makeLimitsPage, readLimits } from './page.js';

const SOURCE_FILE = fileURLToPath(new URL('../../packages/foundation/base/src/limits.ts', import.meta.url));
const PAGE_FILE = fileURLToPath(new URL('../../docs/reference/limits.md', import.meta.url));
const source = readFileSync(SOURCE_FILE, 'utf8');

test('the page of limits is the one that the table makes: `npx vitest run tools/limits -u` writes it anew', async () => {
  await expect(makeLimitsPage(source)).toMatchFileSnapshot(PAGE_FILE);
});

test('no limit is left out, and each says where it comes from', () => {
  const numbers = Object.entries(limits).filter(([, value]) => typeof value === 'number');
  const read = readLimits(source);
  expect(read.map(({ name, value }) => [name, value]).sort()).toEqual(numbers.sort());
  for (const { says } of read) expect(says.length).toBeGreaterThan(10);
});
