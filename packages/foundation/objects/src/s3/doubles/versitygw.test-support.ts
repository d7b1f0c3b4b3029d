import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, it } from 'vitest';
import type { S3Credentials } from '../credentials.js';
import { type S3Location, s3Location } from '../s3-url.js';

const PROGRAM = join(homedir(), '.cache', 'fossick-test', 'versitygw-v1.8.0');
const BUCKET = 'films';
const START_ATTEMPTS = 3;
const START_MS = 20_000;

/**
 * Tests that need versitygw, a server of S3 over a folder. Where it is not installed they are skipped, and a line says
 * so; with CI=true they fail instead. It does not flush what it writes: it is for tests only.
 */
export function describeWithVersitygw(name: string, tests: (server: VersitygwServer) => void): void {
  if (existsSync(PROGRAM)) {
    describe(name, () => tests(new VersitygwServer()));
    return;
  }
  const reason = `there is no ${PROGRAM}: tools/run/versitygw.sh builds it`;
  if (process.env['CI'] === 'true') {
    it(`${name}: versitygw is installed`, () => {
      throw new Error(reason);
    });
    return;
  }
  console.log(`${name}: skipped, ${reason}`);
  describe.skip(name, () => tests(new VersitygwServer()));
}

/** One server with a folder of its own, which does not outlive the process of the tests. */
export class VersitygwServer {
  readonly credentials: S3Credentials = { from: 'keys', accessKey: 'versity', secretKey: 'versity-secret' };
  private folder = '';
  private keeper: ChildProcess | undefined;
  private port = 0;

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param prefix of all keys, so that tests share a server */
  location(prefix = ''): S3Location {
    return s3Location({ bucket: BUCKET, prefix, region: null, endpoint: this.endpoint, isPathStyle: true });
  }

  url(prefix = ''): string {
    return `s3://${BUCKET}/${prefix}?endpoint=${encodeURIComponent(this.endpoint)}`;
  }

  /** The folder of the bucket's objects. */
  get bucketFolder(): string {
    return join(this.folder, 'data', BUCKET);
  }

  async create(): Promise<void> {
    this.folder = mkdtempSync(join(tmpdir(), 'fossick-versitygw.'));
    mkdirSync(join(this.folder, 'data', BUCKET), { recursive: true });
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

  /** Starts the server again, at the same address. */
  async start(): Promise<void> {
    const { credentials } = this;
    if (credentials.from !== 'keys') throw new Error('the server of the tests has keys');
    const keys = { ROOT_ACCESS_KEY: credentials.accessKey, ROOT_SECRET_KEY: credentials.secretKey };
    const [program, ...args] = [PROGRAM, '--port', `127.0.0.1:${this.port}`, 'posix', join(this.folder, 'data')];
    // ends the server when the pipe from here is closed, by whatever death
    const script = '"$@" > /dev/null 2>&1 & server=$!; read -r line; kill -9 $server; wait $server';
    const keeper = spawn('sh', ['-c', script, 'sh', program!, ...args], {
      cwd: this.folder,
      env: { ...process.env, ...keys },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    keeper.unref();
    if (keeper.stdin instanceof Socket) keeper.stdin.unref();
    this.keeper = keeper;
    const until = performance.now() + START_MS;
    while (!(await answers(this.endpoint))) {
      if (performance.now() > until) {
        await this.stop();
        throw new Error('versitygw did not start');
      }
      await setTimeout(50);
    }
  }

  /** Kills the server; its objects stay. */
  async stop(): Promise<void> {
    const { keeper } = this;
    if (keeper === undefined) return;
    this.keeper = undefined;
    keeper.ref();
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url, { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  }
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
