import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeWhole } from './whole-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-whole-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a file is there as soon as it has all its bytes', async () => {
  const file = join(folder, 'payload');
  async function* chunks() {
    yield Buffer.from('{"id":');
    expect(existsSync(file)).toBe(false);
    yield Buffer.from('1}');
  }
  await writeWhole(file, chunks());
  expect(readFileSync(file, 'utf8')).toBe('{"id":1}');
  await writeWhole(join(folder, 'small'), [Buffer.from('x')]);
  expect(readdirSync(folder).sort()).toEqual(['payload', 'small']);
});

it('nothing is left of a file whose bytes end early', async () => {
  async function* chunks() {
    yield Buffer.from('{"id":');
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  }
  await expect(writeWhole(join(folder, 'payload'), chunks())).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(readdirSync(folder)).toEqual([]);
});
