import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const programs = ['bench/src', 'tools'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => `${folder}/${file}`),
);
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const asked = programs.filter((file) => /\breadOptions\(/.test(textOf(file)) && file !== 'tools/run/options.mjs');
const saysOf = (file: string, words: readonly string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [file, ...words], { cwd: ROOT, encoding: 'utf8' });
  return { status, lines: stderr.trim().split('\n').length, stderr };
};

test('options of commands are read in one place', () => {
  expect(programs.filter((file) => /\bparseArgs\b/.test(textOf(file)))).toEqual(['tools/run/options.mjs']);
  expect(asked.length).toBeGreaterThan(10);
});

test.each(asked)('%s is asked for an option that it has not: one line, and code 2', (file) => {
  expect(saysOf(file, ['--no-such-option'])).toMatchObject({
    status: 2,
    lines: 1,
    stderr: expect.stringContaining('--no-such-option'),
  });
});

test.each([
  ['tools/compare/run.mjs', '--left URL'],
  ['bench/src/revisions/compare-revisions.mjs', '--base REVISION'],
  ['bench/src/data/generate.mjs', '--out FILE'],
])('%s says what it needs', (file, needed) => {
  expect(saysOf(file, [])).toMatchObject({ status: 2, lines: 1, stderr: expect.stringContaining(needed) });
});
