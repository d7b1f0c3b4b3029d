import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { packageFolders } from './workspace.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const isCheckout = existsSync(join(ROOT, '.git'));
if (!isCheckout) console.log('the first start is not tried: this is no checkout of git, which knows the files');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A checkout as it is here, with what was changed and not committed, without anything that was installed or built. */
function freshCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-first-start-'));
  folders.push(folder);
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  for (const name of execFileSync('git', words, { cwd: ROOT }).toString().split('\0')) {
    if (name === '' || !existsSync(join(ROOT, name))) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(ROOT, name), join(folder, name));
  }
  return folder;
}

/** Runs functions of the quick build within a checkout. */
function build(checkout: string, ...names: readonly string[]): void {
  const calls = names.map((name) => `await builds.${name}();`).join('');
  const program = `const builds = await import('./tools/run/quick-build.mjs'); ${calls}`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: checkout, timeout: 600_000 });
}

describe.skipIf(!isCheckout)('the quick build', () => {
  test('makes of sources what they are without types, the page, and only what has changed', () => {
    const checkout = freshCheckout();
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    build(checkout, 'buildServer', 'buildDashboard');
    const built = (path: string): string => join(checkout, path);
    for (const folder of packageFolders().filter((one: string) => one.startsWith('packages/'))) {
      const sources = readdirSync(built(`${folder}/src`), { recursive: true }).map(String);
      const wanted = sources.filter((name) => name.endsWith('.ts') && !/\.(test|test-support|bench)\.ts$/.test(name));
      for (const name of wanted)
        expect(existsSync(built(`${folder}/dist/${name.replace(/ts$/, 'js')}`)), `${folder}/${name}`).toBe(true);
    }
    const base = built('packages/foundation/base/dist/limits.js');
    expect(readFileSync(base, 'utf8')).not.toMatch(/: number[ ;=)]/);
    expect(readdirSync(built('packages/foundation/kernel/build')).filter((name) => name.endsWith('.wasm'))).not.toEqual(
      [],
    );
    expect(readFileSync(built('apps/dashboard/dist/index.html'), 'utf8')).toContain('dashboard/');
    // made next to it and renamed: nothing of that is left
    expect(existsSync(built('apps/dashboard/build/next'))).toBe(false);

    const timesOf = () =>
      [base, built('apps/server/dist/main.js'), built('apps/dashboard/dist/index.html')].map(
        (file) => statSync(file).mtimeMs,
      );
    const before = timesOf();
    build(checkout, 'buildServer', 'buildDashboard');
    expect(timesOf()).toEqual(before);
    utimesSync(built('packages/foundation/base/src/limits.ts'), 1, 1);
    build(checkout, 'buildServer', 'buildDashboard');
    const after = timesOf();
    expect(after[0]).toBeGreaterThan(before[0]!);
    expect(after.slice(1)).toEqual(before.slice(1));
  });
});
