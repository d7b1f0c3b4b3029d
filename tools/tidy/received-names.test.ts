import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findReceivedNames, programOf } from './received-names.js';
import { isCode, isTest, readCheckout } from './source-file.js';

/** The kernel and the tokenizer look things up in tables of their own making. */
const PACKAGES =
  /^(apps\/server|packages\/\w+\/(base|columns|filter|format|index|postings|tasks|vectors))\/src\/.*\.ts$/;
/** Compiling takes seconds, more on a busy machine. */
const TIMEOUT_MS = 180_000;

it(
  'objects are looked into by received names with `own` and `setOwn` alone',
  () => {
    const rootFolder = fileURLToPath(new URL('../..', import.meta.url));
    const paths = readCheckout(rootFolder)
      .map(({ path }) => path)
      .filter((path) => isCode(path) && !isTest(path) && PACKAGES.test(path));
    expect(paths.length).toBeGreaterThan(100);
    const finds = findReceivedNames(programOf(rootFolder, paths), rootFolder, paths);
    const advised = finds.map(
      ({ path, line, text }) => `${path}:${line} ${text}: use own or setOwn of @fossick/base, or a Map`,
    );
    expect(advised).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'the rule finds every way of looking, and leaves what is safe',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidy-names-'));
    try {
      writeFileSync(join(folder, 'tsconfig.base.json'), '{"compilerOptions":{"strict":true,"target":"es2022"}}');
      const lines = [
        'declare const record: Readonly<Record<string, number>> | undefined; declare const name: string;',
        'declare const list: number[]; declare const table: { a: number }; declare const map: Map<string, number>;',
        'export const read = record![name];',
        'export const optional = record?.[name];',
        'export const isThere = name in record!;',
        'export const { [name]: taken } = record!;',
        'export function write(made: Record<string, number>): void { made[name] = 1; }',
        'export const safe = [list[0], table.a, map.get(name), record!.a];',
        'export function sum(made: Record<string, number>): number {',
        '  let total = 0; for (const key of Object.keys(made)) total += made[key]!;',
        '  for (const key in made) total += made[key]!;',
        '  for (const key of Object.keys(table)) total += made[key]!;',
        '  delete made[name]; return total; }',
      ];
      writeFileSync(join(folder, 'a.ts'), lines.join('\n'));
      const finds = findReceivedNames(programOf(folder, ['a.ts']), folder, ['a.ts']);
      expect(finds.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 12]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  TIMEOUT_MS,
);
