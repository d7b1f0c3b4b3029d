import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createEngine } from 'fossick';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { films } from '../films.test-support.js';
import { openStatic } from './index.js';
import { FileServer } from './static-server.test-support.js';

const COMMAND = fileURLToPath(new URL('../../../../apps/server/bin/fossick.js', import.meta.url));
const isBuilt = process.env['FOSSICK_TEST_BUILT'] === '1' && existsSync(COMMAND);
const kernel = new Uint8Array(
  readFileSync(new URL('../../../foundation/kernel/build/kernel.fast.wasm', import.meta.url)),
);

describe.skipIf(!isBuilt)('the command export-static', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-export-'));
  const data = join(folder, 'data');
  const out = join(folder, 'public');
  const server = new FileServer({ folders: { public: out } });
  let url: string;

  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [COMMAND, 'export-static', ...args]).catch(
      (error: { readonly code: number; readonly stderr: string }) => error,
    );
  async function changed(
    change: (index: ReturnType<Awaited<ReturnType<typeof createEngine>>['index']>) => Promise<unknown>,
  ) {
    const engine = await createEngine({ path: data });
    await change(engine.index('films'));
    await engine.close();
  }

  beforeAll(async () => {
    await changed(async (index) => {
      await index.updateSettings({ filterableAttributes: ['year'] } as never);
      await index.add(films(200));
    });
    url = `${await server.start()}/public/manifest.json`;
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('writes files that are searched without a server, and prints the manifest', async () => {
    const { stdout } = (await run('films', '--db-path', data, '--out', out)) as { readonly stdout: string };
    expect(stdout.trim()).toBe(join(out, 'manifest.json'));
    const index = await openStatic<{ title: string }>(url, { kernel });
    expect((await index.search('wonderlnd', { limit: 1 })).hits[0]!.title).toContain('Wonderland');
    const old = films(200).filter(({ year }) => year < 1910).length;
    expect((await index.search('', { filter: 'year < 1910', limit: 200 })).hits).toHaveLength(old);
  });

  it('adds files to those of an earlier export, whose readers go on', async () => {
    const earlier = readdirSync(out).filter((name) => name !== 'manifest.json');
    const reader = await openStatic(url, { kernel, wholeBytes: 0 });
    await changed((index) => index.add([{ id: 9_999_999, title: 'A later film' }]));
    await run('films', '--db-path', data, '--out', out);
    expect(readdirSync(out)).toEqual(expect.arrayContaining(earlier));
    expect((await reader.search('wonderlnd')).hits.length).toBeGreaterThan(0);
    const later = await openStatic<{ title: string }>(url, { kernel });
    expect((await later.search('later flm')).hits[0]!.title).toBe('A later film');
  });

  it.each([
    [['absent', '--db-path', data, '--out', out], /Index `absent` not found/],
    [['films', '--db-path', join(folder, 'nothing'), '--out', out], /there is no database in/],
    [['films', '--db-path', data], /export-static needs --out/],
  ])('%j is refused', async (args, text) => {
    const { code, stderr } = (await run(...args)) as { readonly code: number; readonly stderr: string };
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(text);
  });
});
