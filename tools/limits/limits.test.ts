import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeLimitsPage, readLimits } from './page.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PAGE_FILE = `${root}docs/reference/limits.md`;
const paths = [
  'packages/foundation/base/src/limits.ts',
  ...readdirSync(`${root}packages/extensions`).map((name) => `packages/extensions/${name}/src/limits.ts`),
].filter((path) => existsSync(root + path));
const files = await Promise.all(
  paths.map(async (path) => ({ source: readFileSync(root + path, 'utf8'), values: await import(root + path) })),
);

test('the page of limits is the one that the table makes: `npx vitest run tools/limits -u` writes it anew', async () => {
  await expect(makeLimitsPage(files)).toMatchFileSnapshot(PAGE_FILE);
});

test('no limit is left out, and each says where it comes from', () => {
  for (const file of files) {
    const numbers = Object.entries(file.values).filter(([, value]) => typeof value === 'number');
    const read = readLimits(file);
    expect(read.map(({ name, value }) => [name, value]).sort()).toEqual(numbers.sort());
    for (const { says } of read) expect(says.length).toBeGreaterThan(10);
  }
});
