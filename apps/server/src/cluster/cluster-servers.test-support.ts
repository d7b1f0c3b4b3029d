import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openLmdbStore } from '@fossick/storage';
import {
  keptPort,
  pause,
  releasePorts,
  type ServerProcess,
  startServerProcess,
  type WireAnswer,
  type WireTask,
} from '../e2e/server-process.test-support.js';

const SECRET = 'a secret of the nodes of tests';
/** An election of tests takes a second, not six or eight. */
const ENVIRONMENT = { FOSSICK_TEST_CLUSTER_SILENCE_MS: '1500' };
/** Nodes that do not agree for so long never will, in milliseconds. */
const AGREED_WITHIN_MS = 60_000;
/** Nodes are at rest when none of them has applied anything for so long, in milliseconds. */
const REST_MS = 1_200;

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
  readonly folder = mkdtempSync(join(tmpdir(), 'fossick-cluster-'));
  private readonly given: ClusterServersOptions;
  /** By name; undefined while it does not run. */
  readonly running = new Map<string, ServerProcess>();
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
    return server;
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
    await server.kill();
  }

  async stop(name: string): Promise<number | null> {
    const server = this.server(name);
    this.running.delete(name);
    return server.stop();
  }

  async status(name: string): Promise<WireClusterStatus> {
    return (await this.server(name).call<WireClusterStatus>('GET', '/_fossick/cluster')).body;
  }

  /** The name of the node that leads, as soon as one does. */
  async leader(): Promise<string> {
    const endMs = Date.now() + AGREED_WITHIN_MS;
    while (Date.now() < endMs) {
      for (const name of this.running.keys()) {
        const status = await this.status(name).catch(() => undefined);
        if (status?.role === 'leader') return name;
      }
      await pause(50);
    }
    throw new Error(`no node leads:\n${this.outputs()}`);
  }

  /** Resolves when no task is open and all nodes are at one position, and stay there. */
  async atRest(): Promise<void> {
    let endMs = Date.now() + AGREED_WITHIN_MS;
    let [last, sinceMs] = ['', Date.now()];
    let fewest = Number.POSITIVE_INFINITY;
    let seen: unknown;
    while (Date.now() < endMs) {
      const names = [...this.running.keys()];
      const positions = await Promise.all(names.map(async (name) => (await this.status(name)).position));
      const open = await this.server(names[0]!).call<{ total: number }>(
        'GET',
        '/tasks?statuses=enqueued,processing&limit=1',
      );
      seen = { names, positions, open: open.body.total };
      // long runs leave thousands of tasks: the time begins again while they become fewer
      if (open.body.total < fewest) [fewest, endMs] = [open.body.total, Date.now() + AGREED_WITHIN_MS];
      const isAgreed = new Set(positions).size === 1 && open.body.total === 0;
      const now = isAgreed ? String(positions[0]) : '';
      if (now !== last || now === '') [last, sinceMs] = [now, Date.now()];
      if (isAgreed && Date.now() - sinceMs >= REST_MS) return;
      await pause(100);
    }
    throw new Error(`the nodes do not come to rest: ${JSON.stringify(seen)}\n${this.outputs()}`);
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
    for (const server of this.running.values()) {
      try {
        process.kill(server.pid, 'SIGCONT');
      } catch {
        // it has ended by itself
      }
      await server.kill();
    }
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
