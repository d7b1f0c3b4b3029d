/** docs/reference/levels.md: every release has a row, and every row a test or a reason. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { API_VERSION } from '@fossick/api';
import { expect, test } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
const page = readFileSync(new URL('docs/reference/levels.md', ROOT), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| 1\.\d+ \|/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))
  .map(([release, brought, here, proof]) => ({ release: release!, brought: brought!, here: here!, proof: proof! }));

test('releases follow one another without a gap, and the last one is the label', () => {
  const minors = [...new Set(rows.map(({ release }) => Number(release.split('.')[1])))];
  expect(minors).toEqual(minors.map((_, at) => minors[0]! + at));
  expect(`1.${minors.at(-1)}.0`).toBe(API_VERSION);
});

test.each(rows)('$release, $brought: has a test or a reason', ({ here, proof }) => {
  const file = /^`(\S+\.test\.ts)`$/.exec(proof)?.[1];
  if (here.startsWith('yes')) expect(existsSync(fileURLToPath(new URL(file ?? 'none', ROOT))), proof).toBe(true);
  else expect(proof.length).toBeGreaterThan(40);
});
