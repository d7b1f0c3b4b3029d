/** What publint and "are the types wrong" say of each package as it is published. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { installed } from '../conformance/web-platforms.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { packsForTests } from './pack.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { manifestOf, publishedFolders } from './published.mjs';

const run = promisify(execFile);
/** What is packed is what was built; `npm run test:system` builds first. */
const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';
const names = (publishedFolders() as readonly string[]).map((folder) => manifestOf(folder).name as string);
/** Files of the page, which no program imports. */
const WITHOUT_TYPES = ['@fossick/dashboard'];

describe.skipIf(!isBuilt)('a published package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-exports-'));
  let tarballs: ReadonlyMap<string, string>;
  let publint: string;
  let attw: string;
  beforeAll(async () => {
    const packed = (await packsForTests(folder)) as readonly { readonly name: string; readonly tarball: string }[];
    tarballs = new Map(packed.map(({ name, tarball }) => [name, tarball]));
    publint = await installed('publint', '0.3');
    attw = await installed('@arethetypeswrong/cli', '0.18', 'attw');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(names)('%s has no error and no warning of publint', async (name) => {
    const { stdout } = await run(publint, [tarballs.get(name)!, '--strict']);
    expect(stdout).toMatch(/All good|Suggestions/);
  });

  // an address of a file has no types, and there is no CommonJS
  it.each(names.filter((name) => !WITHOUT_TYPES.includes(name)))('%s has types that fit its modules', async (name) => {
    const args = [
      tarballs.get(name)!,
      '--profile',
      'esm-only',
      '--exclude-entrypoints',
      './kernel.wasm',
      './package.json',
    ];
    expect((await run(attw, [...args, '--format', 'ascii'])).stdout).not.toContain('Resolution failed\nbundler');
  });
});
