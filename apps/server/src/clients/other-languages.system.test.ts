import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import { isLongRun } from '../reliability/rounds.test-support.js';
import { INSTALLED_CLIENTS } from './client-table.test-support.js';
import { addFilms, MASTER_KEY } from './films.test-support.js';

const run = promisify(execFile);
/** What a project of the Rust client names. It brings 170 others, whose compilation takes minutes. */
const CARGO_TOML = `[package]
name = "client"
version = "0.0.0"
edition = "2021"

[dependencies]
meilisearch-sdk = "=${INSTALLED_CLIENTS.rust}"
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt"] }
`;
/** A registry that does not answer ends an install by itself; this is for machines that are slow. */
const INSTALL_MS = 550_000;

/** Clients of other languages are installed by their own tools, into a folder of this test; where that cannot be they are skipped, aloud. */
describe('clients of other languages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-clients-'));
  const database = newDatabaseFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(database, ['--master-key', MASTER_KEY]);
    await addFilms(server);
  });
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
      [
        python,
        ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `meilisearch==${INSTALLED_CLIENTS.python}`],
      ],
    ]);
    if (reason !== null) {
      console.log(`the Python client is not tried: ${reason}`);
      return context.skip();
    }
    const { stdout } = await run(python, [source('python-client.py'), server.url, MASTER_KEY]);
    expect(stdout.trim()).toBe('done');
  });

  test('Go: meilisearch-go of the Go proxy', async (context) => {
    writeFileSync(
      join(folder, 'go.mod'),
      `module clients\n\ngo 1.21\n\nrequire github.com/meilisearch/meilisearch-go ${INSTALLED_CLIENTS.go}\n`,
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
    await run('go', ['build', '-o', 'client', '.'], { cwd: folder, env: environment(folder) });
    const { stdout } = await run(join(folder, 'client'), [server.url, MASTER_KEY]);
    expect(stdout.trim()).toBe('done');
  });

  test('Java: meilisearch-java of Maven Central', async (context) => {
    const [java, jars] = [join(folder, 'java'), join(folder, 'java', 'jars')];
    mkdirSync(java);
    writeFileSync(join(java, 'pom.xml'), pomOf('com.meilisearch.sdk', 'meilisearch-java', INSTALLED_CLIENTS.java));
    const reason = await installed([
      ['javac', ['-version']],
      ['mvn', ['-q', '-B', '-f', join(java, 'pom.xml'), 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`]],
    ]);
    if (reason !== null) {
      console.log(`the Java client is not tried: ${reason}`);
      return context.skip();
    }
    const path = `${java}:${join(jars, '*')}`;
    await run('javac', ['-cp', path, '-d', java, source('JavaClient.java')]);
    const { stdout } = await run('java', ['-cp', path, 'JavaClient', server.url, MASTER_KEY]);
    expect(stdout.trim()).toBe('done');
  });

  test.skipIf(!isLongRun)('Rust: meilisearch-sdk of crates.io (in the long form)', async (context) => {
    const rust = join(folder, 'rust');
    mkdirSync(join(rust, 'src'), { recursive: true });
    writeFileSync(join(rust, 'Cargo.toml'), CARGO_TOML);
    copyFileSync(source('rust-client.rs'), join(rust, 'src', 'main.rs'));
    const manifest = ['--manifest-path', join(rust, 'Cargo.toml')];
    const reason = await installed([['cargo', ['fetch', '--quiet', ...manifest]]]);
    if (reason !== null) {
      console.log(`the Rust client is not tried: ${reason}`);
      return context.skip();
    }
    await run('cargo', ['build', '--quiet', ...manifest]);
    const { stdout } = await run(join(rust, 'target', 'debug', 'client'), [server.url, MASTER_KEY]);
    expect(stdout.trim()).toBe('done');
  });
});

/** Modules go into the folder of the test; what the machine has compiled of Go's own library stays where it is. */
function environment(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, GOFLAGS: '-mod=mod -modcacherw', GOMODCACHE: join(folder, 'modules'), GOTOOLCHAIN: 'local' };
}

/** The smallest project that depends on one package of Maven Central. */
function pomOf(groupId: string, artifactId: string, version: string): string {
  const dependency = `<groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version>`;
  return (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>' +
    '<groupId>clients</groupId><artifactId>client</artifactId><version>1</version>' +
    `<dependencies><dependency>${dependency}</dependency></dependencies></project>`
  );
}
