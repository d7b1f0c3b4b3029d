import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { filesWithoutPiece } from './long-pieces.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files below a folder, relative to the root. */
function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${String(name)}`)
    .filter((name) => !/node_modules|\/dist\//.test(name));
}

it('every test of reliability, and every file of long tests, belongs to a piece of the long form', () => {
  const reliability = filesOf('apps/server/src/reliability').filter((name) => name.endsWith('.test.ts'));
  const long = ['apps', 'packages'].flatMap(filesOf).filter((name) => name.endsWith('.long.test.ts'));
  expect(reliability.length).toBeGreaterThan(30);
  expect(long.length).toBeGreaterThan(10);
  expect(filesWithoutPiece([...reliability, ...long])).toEqual([]);
});
