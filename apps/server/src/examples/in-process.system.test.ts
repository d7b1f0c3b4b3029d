import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../../examples/in-process/films.mjs', import.meta.url));
const BUILT_FILE = fileURLToPath(new URL('../../../../packages/fossick/dist/index.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fossick-script-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!existsSync(BUILT_FILE))('the engine within a script', () => {
  test('fills a folder once, and searches it then and later', async () => {
    const run = async (): Promise<string> => {
      const env = { ...process.env, FILMS_PATH: join(folder, 'films') };
      return (await promisify(execFile)(process.execPath, [SCRIPT, 'jurasic', 'park'], { env, cwd: folder })).stdout;
    };
    const first = await run();
    expect(first).toContain('2000 films are in');
    expect(first).toContain('Jurassic Park (1993)');
    expect(first).toMatch(/\w+: \d+, \w+/);
    const second = await run();
    expect(second).not.toContain('films are in');
    expect(second).toContain('Jurassic Park (1993)');
  });
});
