import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { addFilms, MASTER_KEY } from './films.test-support.js';

const run = promisify(execFile);
/** Of the client for Go: the newest when this was written. */
const GO_CLIENT = 'v0.36.3';
/** A registry that does not answer is no reason to wait. */
const INSTALL_MS = 60_000;

/** Clients of other languages are installed by their own tools, into a folder of this test; where that cannot be they are skipped, aloud. */
describe('clients of other languages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-clients-'));
  const database = newDatabaseFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(database, ['--master-key', MASTER_KEY]);
    await addFilms(server);
  }, 60_000);
  afterAll(async () => {
    await server?.kill();
    removeFolder(database);
    rmSync(folder, { recursive: true, force: true });
  });
  /** Runs steps of an installation; why it cannot be, or null. */
  const installed = async (steps: readonly (readonly [string, readonly string[]])[]): Promise<string | null> => {
    for (const [command, words] of steps) {
      try {
        await run(command, words, { cwd: folder, timeout: INSTALL_MS, env: environment(folder) });
      } catch (error) {
        return `${command} ${words.join(' ')}: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`;
      }
    }
    return null;
  };
  const source = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

  test('Python: meilisearch of PyPI', async (context) => {
    const python = join(folder, 'venv', 'bin', 'python');
    const reason = await installed([
      ['python3', ['-m', 'venv', 'venv']],
      [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'meilisearch==0.43.0']],
    ]);
    if (reason !== null) {
      console.log(`the Python client is not tried: ${reason}`);
      return context.skip();
    }
    const { stdout } = await run(python, [source('python-client.py'), server.url, MASTER_KEY]);
    expect(stdout.trim()).toBe('done');
  }, 150_000);

  test('Go: meilisearch-go of the Go proxy', async (context) => {
    writeFileSync(
      join(folder, 'go.mod'),
      `module clients\n\ngo 1.21\n\nrequire github.com/meilisearch/meilisearch-go ${GO_CLIENT}\n`,
    );
    copyFileSync(source('go-client.go'), join(folder, 'main.go'));
    const reason = await installed([
      ['go', ['version']],
      ['go', ['mod', 'download']],
    ]);
    if (reason !== null) {
      console.log(`the Go client is not tried: ${reason}`);
      return context.skip();
    }
    // what does not compile is a failure of this test, not a reason to skip it
    await run('go', ['build', '-o', 'client', '.'], { cwd: folder, env: environment(folder), timeout: 120_000 });
    const { stdout } = await run(join(folder, 'client'), [server.url, MASTER_KEY]);
    expect(stdout.trim()).toBe('done');
  }, 240_000);
});

/** Modules go into the folder of the test; what the machine has compiled of Go's own library stays where it is. */
function environment(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, GOFLAGS: '-mod=mod -modcacherw', GOMODCACHE: join(folder, 'modules'), GOTOOLCHAIN: 'local' };
}
