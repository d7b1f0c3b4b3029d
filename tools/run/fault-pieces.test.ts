import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { filesWithoutPiece } from './fault-pieces.mjs';

it('every test of reliability belongs to a piece of the long form', () => {
  const folder = 'apps/server/src/reliability';
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const files = readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
  expect(files.length).toBeGreaterThan(30);
  expect(filesWithoutPiece(files)).toEqual([]);
});
