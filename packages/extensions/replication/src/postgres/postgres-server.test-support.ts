import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, it } from 'vitest';

const run = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';
const USER = 'postgres';
/** The name of a standby for its primary. */
const STANDBY = 'standby';
const START_ATTEMPTS = 3;

/** The programs of the newest PostgreSQL that Debian has installed; undefined when there is none. */
function programFolder(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
}

/**
 * Tests that need a PostgreSQL server. Where none is installed they are skipped, and a line says so; with CI=true they
 * fail instead.
 */
export function describeWithPostgres(name: string, tests: (server: PostgresServer) => void): void {
  const folder = programFolder();
  if (folder !== undefined) {
    describe(name, () => tests(new PostgresServer(folder)));
    return;
  }
  const reason = `there is no ${VERSIONS}/*/bin/initdb here (Debian: apt-get install postgresql)`;
  if (process.env['CI'] === 'true') {
    it(`${name}: PostgreSQL is installed`, () => {
      throw new Error(reason);
    });
    return;
  }
  console.log(`${name}: skipped, ${reason}`);
  describe.skip(name, () => tests(new PostgresServer('')));
}

/** One PostgreSQL server with a folder of its own, which does not outlive the process of the tests. */
export class PostgresServer {
  private readonly programs: string;
  private folder = '';
  private keeper: ChildProcess | undefined;
  /** Of 127.0.0.1, once it was started. */
  port = 0;

  constructor(programs: string) {
    this.programs = programs;
  }

  get url(): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/postgres`;
  }

  /** Creates the folder and starts the server. */
  async create(): Promise<void> {
    await this.newFolder();
    await this.program('initdb', ['-D', this.data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-sync']);
    await this.startAnywhere();
  }

  private async newFolder(): Promise<void> {
    this.folder = mkdtempSync(join(tmpdir(), 'fossick-postgres.'));
    this.keep();
    if (isRoot()) {
      const { stdout } = await run('id', ['-u', USER]);
      chownSync(this.folder, Number(stdout), -1);
    }
  }

  private async startAnywhere(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.port = await freePort();
      try {
        return await this.start();
      } catch (error) {
        // another process may have got the port meanwhile
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  /** Durable against kills of processes, not of the machine: tests only. */
  async start(): Promise<void> {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
    await this.program('pg_ctl', ['-D', this.data, '-l', this.log, '-o', options, '-w', '-t', '60', 'start']);
  }

  /** `immediate` ends its processes without a word, as a crash does. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await this.program('pg_ctl', ['-D', this.data, '-m', mode, '-w', '-t', '60', 'stop']);
  }

  async remove(): Promise<void> {
    const { keeper } = this;
    if (keeper === undefined) return;
    keeper.ref();
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await ended;
  }

  /** A standby with all of this server, which follows it; commits wait for it after `waitForStandby`. */
  async standby(): Promise<PostgresServer> {
    const standby = new PostgresServer(this.programs);
    await standby.newFolder();
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', USER, '-d', `application_name=${STANDBY}`];
    await standby.program('pg_basebackup', ['-D', standby.data, '-R', '-X', 'stream', '--no-sync', ...from]);
    await standby.startAnywhere();
    return standby;
  }

  /** From now on a commit is answered when the standby has it, too. */
  async waitForStandby(): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '${STANDBY}'`);
    await this.query('select pg_reload_conf()');
  }

  /** A standby becomes a server of its own. */
  async promote(): Promise<void> {
    await this.program('pg_ctl', ['-D', this.data, '-w', '-t', '60', 'promote']);
    await this.query('alter system reset synchronous_standby_names');
    await this.query('select pg_reload_conf()');
  }

  /** From now on other connections than those with TLS are refused. The file of the certificate, for 127.0.0.1. */
  async requireTls(): Promise<string> {
    const [key, certificate] = [join(this.data, 'server.key'), join(this.data, 'server.crt')];
    const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    // Debian's PostgreSQL needs openssl, too
    const files = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-days', '2'];
    await this.program('/usr/bin/openssl', ['req', '-x509', ...files, ...names]);
    const file = join(this.folder, 'ca.pem');
    copyFileSync(certificate, file);
    writeFileSync(join(this.data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n');
    await this.query('alter system set ssl = on');
    await this.stop('fast');
    await this.start();
    return file;
  }

  /** Runs a statement on a connection of its own. */
  async query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    const client = new pg.Client(this.url);
    await client.connect();
    try {
      return await client.query(text, [...values]);
    } finally {
      await client.end();
    }
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  private get log(): string {
    return join(this.folder, 'server.log');
  }

  /** A process that ends the server and removes its folder when the pipe from here is closed, by whatever death. */
  private keep(): void {
    const [command, args] = this.command('pg_ctl', ['-D', this.data, '-m', 'immediate', '-w', 'stop']);
    const script = 'cat > /dev/null; "$@"; rm -rf "$0"';
    const keeper = spawn('sh', ['-c', script, this.folder, command, ...args], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    keeper.unref();
    if (keeper.stdin instanceof Socket) keeper.stdin.unref();
    this.keeper = keeper;
  }

  private async program(name: string, args: readonly string[]): Promise<void> {
    const [command, all] = this.command(name, args);
    try {
      // the server keeps the output of pg_ctl open, so that ends with the process and not with its pipe
      await ended(command, all, this.folder);
    } catch (error) {
      const log = existsSync(this.log) ? readFileSync(this.log, 'utf8').slice(-2_000) : '';
      throw new Error(`${name} failed: ${String(error)}\n${log}`);
    }
  }

  /** PostgreSQL refuses to run as root. */
  private command(name: string, args: readonly string[]): [string, string[]] {
    const program = resolvePath(this.programs, name);
    return isRoot() ? ['runuser', ['-u', USER, '--', program, ...args]] : [program, [...args]];
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function ended(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { cwd, env: { ...process.env, LC_ALL: 'C' } });
    let said = '';
    child.stderr?.on('data', (text: string) => {
      said += text;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      if (code === 0) resolve();
      else reject(new Error(`exit status ${code}: ${said.trim()}`));
    });
  });
}

/** A port that nothing listens on, picked by the operating system. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
