import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldersOf } from '@fossick/instance';
import { MemoryObjects } from '@fossick/objects';
import type { MonotonicClock } from '@fossick/replication';
import { MemoryLog } from '@fossick/replication/logs/memory-log.test-support';
import { openLmdbStore, type Store } from '@fossick/storage';
import { openTaskLog } from '@fossick/tasks';
import { ClusterNode, type ClusterNodeOptions } from './cluster-node.js';

/** The greatest step of the clock between two looks at it, in milliseconds. */
const STEP_MS_MAX = 20;
let [passedMs, lookedMs] = [0, performance.now()];

/** A clock that stands still while this process does: a leader that had to wait for the machine has not been silent. */
export const clock: MonotonicClock = {
  nowMs: () => {
    const nowMs = performance.now();
    passedMs += Math.min(nowMs - lookedMs, STEP_MS_MAX);
    lookedMs = nowMs;
    return passedMs;
  },
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
const TIMING = { beatMs: 20, silenceMs: 200, spreadMs: 20, vacancySpreadMs: 10, pollMs: 20, lingerMs: 0 };

/** Nodes of one process over a log in memory, each with a folder of its own. */
export class TestCluster {
  readonly log = new MemoryLog();
  readonly objects = new MemoryObjects();
  private readonly folder = mkdtempSync(join(tmpdir(), 'fossick-nodes-'));
  private readonly nodes = new Set<ClusterNode>();

  /** Starts a node over the folder of this name. */
  start(name: string, more: Partial<ClusterNodeOptions> = {}): ClusterNode {
    const folders = this.folders(name);
    mkdirSync(folders.payloadFolder, { recursive: true });
    const node = new ClusterNode({
      folders,
      stateFolder: join(folders.dbPath, 'cluster'),
      log: this.log,
      logName: 'main',
      objects: this.objects,
      inlineBytesMax: 1_024,
      node: { id: randomUUID(), address: '' },
      mayLead: true,
      timing: TIMING,
      clock,
      ...more,
    });
    this.nodes.add(node);
    node.start();
    return node;
  }

  folders(name: string) {
    return foldersOf(join(this.folder, name));
  }

  async stop(node: ClusterNode): Promise<void> {
    this.nodes.delete(node);
    await node.close();
  }

  async end(): Promise<void> {
    for (const node of this.nodes) await node.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The tasks of a node as another thread of it reads them. */
  async tasks(name: string) {
    const { taskFolder, payloadFolder } = this.folders(name);
    return this.reading(taskFolder, (store) => [...openTaskLog(store, { payloadFolder }).tasks({})]);
  }

  /** Where a node gets the payload of a task. */
  async payload(name: string, uid: number) {
    const { taskFolder, payloadFolder } = this.folders(name);
    return this.reading(taskFolder, (store) => openTaskLog(store, { payloadFolder }).payloadSource(uid));
  }

  /** All rows of a store of a node, as text. */
  async rows(name: string, store: string): Promise<string[]> {
    return this.reading(join(this.folders(name).dbPath, store), (open) =>
      open.snapshot((snapshot) =>
        snapshot.tableNames.flatMap((table) =>
          [...snapshot.table(table).range({})].map(
            ({ key, value }) => `${table} ${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`,
          ),
        ),
      ),
    );
  }

  private async reading<T>(folder: string, read: (store: Store) => T): Promise<T> {
    const store = openLmdbStore({ folder });
    try {
      return read(store);
    } finally {
      await store.close();
    }
  }
}

/** Resolves when a node leads. */
export async function leading(...nodes: readonly ClusterNode[]): Promise<ClusterNode> {
  for (;;) {
    const leader = nodes.find(({ role }) => role.kind === 'leader');
    if (leader !== undefined) return leader;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
