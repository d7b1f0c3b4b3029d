import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as modules from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compiledCodeFolder } from './compiled-code.js';
import { newDatabaseFolder, removeFolder, startServerProcess } from './e2e/server-process.test-support.js';

/** The compiled files, of which there are hundreds. */
const BIN_FILE = fileURLToPath(new URL('../bin/fossick.js', import.meta.url));
const IS_BUILT = existsSync(fileURLToPath(new URL('../dist/compiled-code.js', import.meta.url)));
const IS_POSIX = process.getuid !== undefined;

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fossick-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

it.skipIf(!IS_POSIX)('the folder of compiled code is one that nobody else can write to', () => {
  const folder = compiledCodeFolder({ XDG_CACHE_HOME: home })!;
  expect(folder).toBe(join(home, 'fossick', 'compiled'));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  chmodSync(folder, 0o777);
  expect(compiledCodeFolder({ XDG_CACHE_HOME: home })).toBeUndefined();
});

it('no folder is used where none can be made', () => {
  const file = join(home, 'file');
  writeFileSync(file, '');
  const refusing = process.platform === 'linux' ? ['/proc', '/proc/self/caches'] : [];
  for (const path of [file, join(file, 'caches'), ...refusing])
    expect(compiledCodeFolder({ XDG_CACHE_HOME: path }), path).toBeUndefined();
});

it.skipIf(!IS_POSIX)('a link to another folder is not followed', () => {
  mkdirSync(join(home, 'fossick'));
  spawnSync('ln', ['-s', '/tmp', join(home, 'fossick', 'compiled')]);
  expect(compiledCodeFolder({ XDG_CACHE_HOME: home })).toBeUndefined();
});

it.skipIf(!IS_BUILT)('the command works without a folder for it, and with one that is a file', () => {
  const file = join(home, 'file');
  writeFileSync(file, '');
  for (const env of [{ XDG_CACHE_HOME: file }, { XDG_CACHE_HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' }]) {
    const { status, stdout } = spawnSync(process.execPath, [BIN_FILE, '--version'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    expect([status, /\d+\.\d+\.\d+/.test(stdout)]).toEqual([0, true]);
  }
});

it.skipIf(!IS_BUILT || !('flushCompileCache' in modules))(
  'a server that listens has written its compiled code, so that one that is killed leaves it too',
  async () => {
    const database = newDatabaseFolder();
    const server = await startServerProcess(database, [], { XDG_CACHE_HOME: home }, [], BIN_FILE);
    await server.kill();
    removeFolder(database);
    const [version] = readdirSync(join(home, 'fossick', 'compiled'));
    expect(readdirSync(join(home, 'fossick', 'compiled', version!)).length).toBeGreaterThan(300);
  },
);
