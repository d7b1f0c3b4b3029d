import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN_FILE } from './server-command.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const EXTENSIONS = fileURLToPath(new URL('../../../../packages/extensions/', import.meta.url));
const SAMPLE_FILE = fileURLToPath(new URL('../../../../data/movies-sample.ndjson', import.meta.url));
/** Long enough that it means a hanging server, not a busy machine. */
const READY_TIMEOUT_MS = 120_000;
/** A queue in which no task has ended for this long is stuck; a long queue or a busy machine is not. */
const TASKS_SILENCE_MS = 200_000;
/** What a started server says to people. */
const LISTENS_ON = /^ *listens on +(https?:\/\/\S+)\s/m;
const POLL_MS = 15;

/** Whether the checkout has an extension: it may have been taken out. */
export const hasExtension = (name: string): boolean => existsSync(join(EXTENSIONS, name));

/** The error object of an answer or of a failed task. */
export interface WireError {
  readonly message: string;
  readonly code: string;
  readonly type: string;
  readonly link: string;
}

/** The fields of a task that these tests use. */
export interface WireTask {
  readonly uid: number;
  readonly indexUid: string | null;
  readonly status: string;
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly error: WireError | null;
}

/** One page of a listing. */
export interface WirePage<T> {
  readonly results: readonly T[];
  readonly total: number;
}

export interface WireAnswer<T> {
  readonly status: number;
  readonly body: T;
}

/** A server of a test, in this process (test-server.test-support.ts) or as a process of its own. */
export interface TestServer {
  readonly url: string;
  /** Its terminal output so far. */
  output(): string;
  /**
   * Sends a request; an object body is sent as JSON, a string as it is. Parses the JSON answer (undefined when empty).
   */
  call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<WireAnswer<T>>;
  /** Resolves with every task once none is enqueued or processing; throws when none has ended for 200 s. Newest task first. */
  allTasksDone(): Promise<readonly WireTask[]>;
  /** Stops it as SIGTERM does, and waits for its end. Resolves with its exit code, null when a signal ended it. */
  stop(): Promise<number | null>;
}

/** A run of the built server as a child process. */
export interface ServerProcess extends TestServer {
  readonly pid: number;
  /** Kills the process (SIGKILL) and waits for its end. */
  kill(): Promise<void>;
}

/** A new folder for one database; the caller removes it with removeFolder. */
export function newDatabaseFolder(): string {
  return mkdtempSync(join(tmpdir(), 'fossick-e2e-'));
}
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Lines of the movie sample, one JSON object each (2 000 movies with distinct integer ids). */
export function sampleLines(): string[] {
  return readFileSync(SAMPLE_FILE, 'utf8').trimEnd().split('\n');
}

/**
 * Starts the built server over `folder` and waits until it says its address; throws when it is not built. The options
 * leave the address and the form of the log as they are.
 * `env` is added to this process's own.
 */
export async function startServerProcess(
  folder: string,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  launcher: readonly string[] = [],
  program: string = BIN_FILE,
): Promise<ServerProcess> {
  if (!existsSync(BUILT_FILE))
    throw new Error(`The server is not built: ${BUILT_FILE} is missing. Run \`npx tsc -b apps/server\` first.`);
  const always = ['--db-path', folder, '--http-addr', '127.0.0.1:0', '--no-analytics', '--log-level', 'ERROR'];
  const [command, ...words] = [...launcher, process.execPath, program, ...always, ...options];
  const child = spawn(command!, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const url = await listeningUrl(child, () => output).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    pid: child.pid!,
    url,
    output: () => output,
    call: (method, path, body, headers = {}) => send(`${url}${path}`, method, body, headers),
    allTasksDone: () =>
      waitForTasks(
        (path, headers) => send(`${url}${path}`, 'GET', undefined, headers),
        options,
        () => output,
      ),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    async stop() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}

async function send<T>(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<WireAnswer<T>> {
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    init.body = isText ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body);
    if (!isText) init.headers = { 'content-type': 'application/json', ...headers };
  }
  const answer = await fetch(url, init);
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

/** The address that a server of people says it listens on. Throws when the process ends before. */
function listeningUrl(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`${reason}:\n${output()}`));
    const timer = setTimeout(() => fail(`The server did not listen within ${READY_TIMEOUT_MS} ms`), READY_TIMEOUT_MS);
    // after its last line has come
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      fail(`The server ended with code ${code ?? signal}`);
    });
    child.stdout!.on('data', () => {
      const url = LISTENS_ON.exec(output())?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

export async function waitUntilHealthy(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const endMs = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < endMs) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The server ended with code ${child.exitCode ?? child.signalCode}:\n${output()}`);
    try {
      if ((await fetch(`${url}/health`)).ok) return;
    } catch {
      // not listening yet
    }
    await pause(POLL_MS);
  }
  throw new Error(`The server did not answer within ${READY_TIMEOUT_MS} ms:\n${output()}`);
}

/** `get` sends a request with these headers; the key is that of the server's options. */
export async function waitForTasks(
  get: <T>(path: string, headers: Record<string, string>) => Promise<WireAnswer<T>>,
  options: readonly string[],
  output: () => string,
): Promise<readonly WireTask[]> {
  const key = options.indexOf('--master-key');
  const headers: Record<string, string> = key < 0 ? {} : { authorization: `Bearer ${options[key + 1]}` };
  let endMs = Date.now() + TASKS_SILENCE_MS;
  let openCount = Number.POSITIVE_INFINITY;
  for (;;) {
    const waiting = await get<WirePage<WireTask>>('/tasks?statuses=enqueued,processing&limit=1', headers);
    if (waiting.body.total === 0) break;
    if (waiting.body.total < openCount) endMs = Date.now() + TASKS_SILENCE_MS;
    openCount = waiting.body.total;
    if (Date.now() > endMs) {
      const last = await get('/batches?limit=1', headers);
      const [oldest] = waiting.body.results;
      throw new Error(
        `Of ${openCount} open tasks none has ended for ${TASKS_SILENCE_MS} ms.\nThe last batch: ${JSON.stringify(last.body)}\n` +
          `A waiting task: ${JSON.stringify(oldest)}\nOutput:\n${output()}`,
      );
    }
    await pause(POLL_MS);
  }
  return (await get<WirePage<WireTask>>('/tasks?limit=1000', headers)).body.results;
}

/** A launcher that limits the file descriptors of a server. */
export function withDescriptors(count: number): string[] {
  return ['sh', '-c', `ulimit -n ${count}; exec "$@"`, 'sh'];
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A port that is given has a file here with the process that has it: no other process of tests gets it. */
const PORT_FOLDER = join(tmpdir(), 'fossick-ports');
const ownPorts = new Set<number>();
process.once('exit', () => releasePorts(ownPorts));

/**
 * Below the ports that systems assign themselves, from 32,768 on: another server with port 0, or a client, may have one
 * of those by the time that this server starts.
 */
const [PORTS_FROM, PORTS_END] = [10_000, 32_000];

/** A free port of 127.0.0.1 that no other test is given, for a server whose address has to be known before it starts. */
export function freePort(): Promise<number> {
  return freePorts(1);
}

/** The same for several ports in a row. Returns the first of them. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = randomInt(PORTS_FROM, PORTS_END - count);
    const claimed: number[] = [];
    while (claimed.length < count && claimPort(first + claimed.length)) claimed.push(first + claimed.length);
    if (claimed.length === count && (await Promise.all(claimed.map(isFree))).every(Boolean)) return first;
    releasePorts(claimed);
  }
}

/** The same for a server that starts again with its port: nobody else gets it until `releasePorts`, even while the server is down. */
export const keptPort = freePort;

/** The servers with these ports do not start again. */
export function releasePorts(ports: Iterable<number>): void {
  for (const port of ports) {
    ownPorts.delete(port);
    rmSync(join(PORT_FOLDER, String(port)), { force: true });
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Claims a port for this process. Returns whether that worked: another process that is running may have it. */
function claimPort(port: number): boolean {
  mkdirSync(PORT_FOLDER, { recursive: true });
  const file = join(PORT_FOLDER, String(port));
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      ownPorts.add(port);
      return true;
    } catch {
      if (existsSync(file) && isRunning(Number(readFileSync(file, 'utf8')))) return false;
      rmSync(file, { force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Priorities (nice values) of the process's threads, by thread; Linux only. */
export function threadPriorities(pid: number): ReadonlyMap<string, number> {
  const threads = readdirSync(`/proc/${pid}/task`);
  return new Map(
    threads.map((thread) => {
      // the name is in parentheses and may contain blanks; the nice value is the seventeenth field after it
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return [thread, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])];
    }),
  );
}
