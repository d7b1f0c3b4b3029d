/**
 * The package in other runtimes than a page, as its `exports` say: `fossick/web` finds its files by itself, and
 * `fossick` runs or says what to import instead.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { installed } from '../conformance/web-platforms.mjs';

const run = promisify(execFile);
/** The package finds itself by its name. */
const cwd = fileURLToPath(new URL('../../packages/fossick', import.meta.url));
const isBuilt = existsSync(fileURLToPath(new URL('../../packages/fossick/dist/browser/kernel.wasm', import.meta.url)));

const ON_WEB = `import { createEngine } from 'fossick/web';
const engine = await createEngine();
await engine.index('films').add([{ id: 1, title: 'Jurassic Park' }, { id: 2, title: '東京物語' }]);
const found = [];
for (const q of ['jurasic', '物語']) found.push((await engine.index('films').search(q)).hits.map(({ id }) => id));
console.log(JSON.stringify(found));`;
const ON_DISK = `import { createEngine } from 'fossick';
const engine = await createEngine();
await engine.index('films').add([{ id: 1, title: 'Jurassic Park' }]);
console.log(JSON.stringify((await engine.index('films').search('jurasic')).hits.map(({ id }) => id)));
await engine.close();`;

describe.skipIf(!isBuilt)('in Node.js', () => {
  const node = (code: string, ...options: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
    run(process.execPath, [...options, '--input-type=module', '-e', code], { cwd });

  it('`fossick/web` reads its kernel and its dictionaries from files', async () => {
    expect((await node(ON_WEB)).stdout.trim()).toBe('[[1],[2]]');
  });
  it('a `fetch` that was given is used for them', async () => {
    const given = ON_WEB.replace('createEngine()', "createEngine({ fetch: async () => { throw new Error('asked') } })");
    await expect(node(given)).rejects.toThrow(/asked/);
  });
  it.each([
    'deno',
    'workerd',
    'browser',
  ])('with the condition `%s`, `fossick` says what to import', async (condition) => {
    await expect(node(ON_DISK, '-C', condition)).rejects.toThrow(/from 'fossick\/web'.*npx fossick/);
  });
  it('with the condition `bun`, `fossick` runs', async () => {
    expect((await node(ON_DISK, '-C', 'bun')).stdout.trim()).toBe('[1]');
  });
});

describe.skipIf(!isBuilt)('in another runtime', () => {
  const programs: Record<string, string> = {};
  beforeAll(async () => {
    programs.deno = await installed('deno', '2');
    programs.bun = await installed('bun', '1');
  });
  it('Deno runs `fossick/web`', async () => {
    expect((await run(programs.deno!, ['eval', '--ext=mjs', ON_WEB], { cwd })).stdout.trim()).toBe('[[1],[2]]');
  });
  it('Deno is told what to import instead of `fossick`', async () => {
    await expect(run(programs.deno!, ['eval', '--ext=mjs', ON_DISK], { cwd })).rejects.toThrow(/'npm:fossick\/web'/);
  });
  it.each([
    ['fossick/web', ON_WEB, '[[1],[2]]'],
    ['fossick', ON_DISK, '[1]'],
  ])('Bun runs `%s`', async (_, code, found) => {
    expect((await run(programs.bun!, ['-e', code], { cwd })).stdout.trim()).toBe(found);
  });
});
