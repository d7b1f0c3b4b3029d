import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test.each([
  '.fossick',
  '.fossick/indexes',
])('the style of what a server in the checkout writes is not checked: %s', async (name) => {
  const made = mkdtempSync(join(ROOT, 'style-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  const folder = join(made, `data${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'summary.json'), '{"a":1,"b":[1,2]}');
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const { stdout } = await promisify(execFile)(biome, ['check', '--no-errors-on-unmatched', made], { cwd: ROOT });
  expect(stdout).toContain('Checked 0 files');
});
