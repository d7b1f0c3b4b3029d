import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  keptPort,
  pause,
  releasePorts,
  type ServerProcess,
  startServerProcess,
  type WireAnswer,
  type WireTask,
} from '@fossick/server/e2e/server-process.test-support';
import { composeKey, openLmdbStore, text } from '@fossick/storage';

const SECRET = 'a secret of the nodes of tests';
/** An election of tests takes a second, not six or eight. */
const ENVIRONMENT = { FOSSICK_TEST_CLUSTER_SILENCE_MS: '1500' };
/** Of tests in which no node falls silent: a busy machine makes no leader lose its lead by chance. */
export const LASTING_LEAD = { FOSSICK_TEST_CLUSTER_SILENCE_MS: '20000' };
/** What does not come for so long never will, in milliseconds: ten times what a quiet machine needs after the worst fault. */
const PATIENCE_MS = 300_000;
/** Between two looks at what a test waits for, in milliseconds. */
const POLL_MS = 50;
const OPEN_TASKS = '/tasks?statuses=enqueued,processing&limit=1';
const STRONG = { 'x-fossick-consistency': 'strong' };

/** The time limit of a test of so many rounds, in milliseconds: longer than the patience of what it waits for. */
export function limitOf(rounds: number): number {
  return 2 * PATIENCE_MS + rounds * PATIENCE_MS;
}

/** A task of a client. */
export type ClusterTask = WireTask & { readonly customMetadata?: string };

interface TaskPage {
  readonly results: readonly ClusterTask[];
  readonly next: number | null;
}

/** What a node says of its cluster, as far as tests read it. */
export interface WireClusterStatus {
  readonly role: 'leader' | 'follower';
  readonly epoch: number;
  readonly leader: string | null;
  readonly position: number;
  readonly failure: string | null;
  readonly nodes: readonly { readonly url: string; readonly position: number; readonly isInContact: boolean }[];
}

export interface ClusterServersOptions {
  /** The log is in the store of objects when absent. */
  readonly logUrl?: string;
  /** The store of objects is a folder when absent. */
  readonly objectsUrl?: string;
  /** Further options of all nodes. */
  readonly more?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Three real servers, or more, over one log. */
export class ClusterServers {
  /** Options and environment of the last start of each node, by name. */
  private readonly starts = new Map<string, readonly [readonly string[], Readonly<Record<string, string>>]>();
  readonly folder = mkdtempSync(join(tmpdir(), 'fossick-cluster-'));
  private readonly given: ClusterServersOptions;
  /** By name; undefined while it does not run. */
  readonly running = new Map<string, ServerProcess>();
  /** All that run: a test takes nodes out of `running` for a while. */
  private readonly started = new Set<ServerProcess>();
  private readonly ports = new Map<string, number>();

  constructor(given: ClusterServersOptions = {}) {
    this.given = given;
  }

  get objectsFolder(): string {
    return join(this.folder, 'shared');
  }

  /** The database folder of a node. */
  folderOf(name: string): string {
    return join(this.folder, name);
  }

  /** `more` and `own`: options and environment of this node; an option that is given again replaces the one before. */
  async start(
    name: string,
    more: readonly string[] = [],
    own: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> {
    const { objectsUrl = pathToFileURL(this.objectsFolder).href, logUrl, environment } = this.given;
    const port = this.ports.get(name) ?? (await keptPort());
    this.ports.set(name, port);
    this.starts.set(name, [more, own]);
    const options = [
      ...['--cluster-objects', objectsUrl],
      ...['--cluster-url', `http://127.0.0.1:${port}`, '--cluster-secret', SECRET],
      ...(logUrl === undefined ? [] : ['--cluster-log', logUrl]),
      ...(this.given.more ?? []),
      ...more,
    ];
    const server = await startServerProcess(this.folderOf(name), options, {
      ...ENVIRONMENT,
      ...environment,
      ...own,
    });
    this.running.set(name, server);
    this.started.add(server);
    return server;
  }

  /** Starts nodes as they were started the last time. */
  async startAgain(...names: readonly string[]): Promise<void> {
    await Promise.all(
      names.map((name) => {
        const [more, own] = this.starts.get(name) ?? [];
        return this.start(name, more, own);
      }),
    );
  }

  async startAll(...names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.start(name)));
  }

  server(name: string): ServerProcess {
    const server = this.running.get(name);
    if (server === undefined) throw new Error(`the node ${name} does not run`);
    return server;
  }

  async kill(name: string): Promise<void> {
    const server = this.server(name);
    this.running.delete(name);
    this.started.delete(server);
    await server.kill();
  }

  async stop(name: string): Promise<number | null> {
    const server = this.server(name);
    this.running.delete(name);
    this.started.delete(server);
    return server.stop();
  }

  async status(name: string): Promise<WireClusterStatus> {
    return (await this.server(name).call<WireClusterStatus>('GET', '/_fossick/cluster')).body;
  }

  /** Resolves when a condition holds. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const endMs = performance.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (performance.now() > endMs) throw new Error(`${what} does not come true:\n${this.outputs()}`);
      await pause(POLL_MS);
    }
  }

  /** The answer to a read, which is asked for again while a node refuses it for now, as clients do. */
  async read<T>(name: string, path: string, headers: Record<string, string> = {}): Promise<WireAnswer<T>> {
    let answer: WireAnswer<T> | undefined;
    await this.until(`an answer to ${path}`, async () => {
      answer = await this.server(name).call<T>('GET', path, undefined, headers);
      return answer.status !== 503;
    });
    return answer!;
  }

  /** The name of the node that leads, as soon as one does: of several that say so, the last that was elected. */
  async leader(): Promise<string> {
    let found: { readonly name: string; readonly epoch: number } | undefined;
    await this.until('that a node leads', async () => {
      for (const name of this.running.keys()) {
        const status = await this.status(name).catch(() => undefined);
        if (status?.role === 'leader' && status.epoch > (found?.epoch ?? -1)) found = { name, epoch: status.epoch };
      }
      return found !== undefined;
    });
    return found!.name;
  }

  /** Resolves when all other nodes are in contact with the one that leads. */
  async inContact(): Promise<void> {
    await this.until('that all nodes are in contact with their leader', async () => {
      const { nodes } = await this.status(await this.leader());
      return nodes.filter(({ isInContact }) => isInContact).length === this.running.size - 1;
    });
  }

  /** Resolves when all nodes say that neither the log nor a leader has answered for so long, in milliseconds. */
  async withoutContact(silentMs: number): Promise<void> {
    await this.until('that no node has contact', async () => {
      const names = [...this.running.keys()];
      const asked = names.map((name) => this.server(name).call('GET', `/health?fresh=${silentMs}ms`));
      return (await Promise.all(asked)).every(({ status }) => status === 503);
    });
  }

  /**
   * Resolves with the position of all nodes when each has everything that the log has, no task is open, and that was so
   * twice, one after the other. A request that nobody waits for any more, or an election, may still change that.
   */
  async atRest(): Promise<number> {
    let endMs = performance.now() + PATIENCE_MS;
    let last: number | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (;;) {
      const names = [...this.running.keys()];
      const open = await Promise.all(
        names.map((name) => this.server(name).call<{ readonly total?: number }>('GET', OPEN_TASKS, undefined, STRONG)),
      );
      const positions = await Promise.all(names.map(async (name) => (await this.status(name)).position));
      const totals = open.map(({ body }) => body.total ?? Number.POSITIVE_INFINITY);
      const most = Math.max(...totals);
      // long runs leave thousands of tasks: the time begins again while they become fewer
      if (most < fewest) [fewest, endMs] = [most, performance.now() + PATIENCE_MS];
      const agreed = new Set(positions).size === 1 && most === 0 ? positions[0] : undefined;
      if (agreed !== undefined && agreed === last) return agreed;
      last = agreed;
      if (performance.now() > endMs)
        throw new Error(`no rest: ${JSON.stringify({ names, positions, totals })}\n${this.outputs()}`);
      await pause(POLL_MS);
    }
  }

  /** All tasks of a node, oldest first. */
  async tasks(name: string): Promise<readonly ClusterTask[]> {
    const all: ClusterTask[] = [];
    let from: number | null = 0;
    while (from !== null) {
      const page: WireAnswer<TaskPage> = await this.server(name).call(
        'GET',
        `/tasks?reverse=true&limit=1000&from=${from}`,
      );
      all.push(...page.body.results);
      from = page.body.next;
    }
    return all;
  }

  /** The position up to which a node that does not run has everything in its stores. */
  async savedPosition(name: string): Promise<number> {
    const store = openLmdbStore({ folder: join(this.folderOf(name), 'cluster') });
    try {
      const row = store.table('log-state').get(composeKey(text('last')));
      return (JSON.parse(Buffer.from(row!).toString('utf8')) as { readonly position: number }).position;
    } finally {
      await store.close();
    }
  }

  /** A hash of the rows of each store of a node that does not run. */
  async storeHashes(name: string): Promise<Record<string, string>> {
    const root = join(this.folder, name);
    const indexes = readdirSync(join(root, 'indexes')).map((folder) => `indexes/${folder}`);
    const hashes: Record<string, string> = {};
    for (const store of ['tasks', 'auth', 'instance', ...indexes.sort()]) {
      if (!existsSync(join(root, store, 'data.mdb'))) continue;
      hashes[store] = await hashOfRows(join(root, store));
    }
    return hashes;
  }

  outputs(): string {
    return [...this.running].map(([name, server]) => `${name}: ${server.output()}`).join('\n');
  }

  async end(): Promise<void> {
    for (const server of this.started) {
      try {
        process.kill(server.pid, 'SIGCONT');
      } catch {
        // it has ended by itself
      }
      await server.kill();
    }
    this.started.clear();
    this.running.clear();
    releasePorts(this.ports.values());
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function hashOfRows(folder: string): Promise<string> {
  const store = openLmdbStore({ folder });
  try {
    return store.snapshot((snapshot) => {
      const hash = createHash('sha256');
      for (const table of snapshot.tableNames) {
        hash.update(`table ${table}\n`);
        for (const { key, value } of snapshot.table(table).range({})) {
          hash.update(`${key.length} ${value.length}\n`);
          hash.update(key);
          hash.update(value);
        }
      }
      return hash.digest('hex').slice(0, 16);
    });
  } finally {
    await store.close();
  }
}
