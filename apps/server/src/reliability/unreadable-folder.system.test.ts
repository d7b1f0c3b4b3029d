/** A database of which the server's user may not read everything: a start says in one line what, and what to do. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BIN_FILE } from '../e2e/server-command.test-support.js';
import { hasExtension, removeFolder, startServerProcess } from '../e2e/server-process.test-support.js';
import { complaints, isBuilt } from './launch.test-support.js';

/** The administrator may read everything. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** Not in the folder of the tests, which other users may not enter. */
const PARENT = '/tmp';
/** Other users may not enter every checkout, such as one in the home of the administrator. */
const isReachable =
  spawnSync(process.execPath, ['-e', `require('node:fs').accessSync(${JSON.stringify(BIN_FILE)})`], NOBODY).status ===
  0;
if (!isReachable) console.log('skipped: the user nobody cannot read the files of this checkout');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) removeFolder(folder);
});

describe.skipIf(!isBuilt || process.platform === 'win32' || !isReachable)('a database', () => {
  it('of which something may not be read refuses the start, and names it', async () => {
    const folder = mkdtempSync(join(PARENT, 'fossick-unreadable-'));
    folders.push(folder);
    const server = await startServerProcess(folder);
    await server.call('POST', '/indexes/films/documents', [{ id: 1 }]);
    await server.allTasksDone();
    await server.stop();
    // a server reads the folders of its own extensions
    const others = ['cluster', ...(hasExtension('analytics') ? ['analytics'] : [])];
    for (const name of others) mkdirSync(join(folder, name));
    const index = join('indexes', readdirSync(join(folder, 'indexes'))[0]!);
    if ('uid' in NOBODY) spawnSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, folder]);
    const names = ['tasks', 'indexes', 'update_files', 'LOCK', ...others, join(index, 'data.mdb')];
    const modes = names.map((name) => [name, 0o000] as const);
    for (const [name, mode] of [...modes, [join('tasks', 'data.mdb'), 0o444] as const]) {
      const path = join(folder, name);
      chmodSync(path, mode);
      const options = ['--db-path', folder, '--http-addr', '127.0.0.1:0', '--no-analytics'];
      const { status, stderr } = spawnSync(process.execPath, [BIN_FILE, ...options], { encoding: 'utf8', ...NOBODY });
      chmodSync(path, 0o755);
      expect([name, status, complaints(stderr)]).toEqual([
        name,
        1,
        [
          `fossick: ${path} may not be read and written (EACCES): give the folder of the database, and all in it, to the user of the server`,
        ],
      ]);
    }
  }, 120_000);
});
