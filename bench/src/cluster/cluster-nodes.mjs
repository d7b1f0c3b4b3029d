/** Nodes of a cluster as child processes, for the bench of clusters. */
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { callApi } from '../../../tools/run/http-api.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';

const START_TIMEOUT_MS = 600_000;
const STOP_GRACE_MS = 60_000;
/** The first version of control groups: a group of this name limits one process to a share of a core. */
const CPU_GROUPS = '/sys/fs/cgroup/cpu';
const PERIOD_US = 100_000;
const PROBE = 'probe';

export class Nodes {
  /** By name: its address and process; those that run. */
  running = new Map();
  #ports = new Map();

  /**
   * `log`: a URL of `--cluster-log`; `objects`: of `--cluster-objects`; both a folder when null. `environment`: of the nodes, in
   * addition to that of this process.
   */
  constructor({ folder, log = null, objects = null, environment = {} }) {
    this.folder = folder;
    this.environment = { ...process.env, ...environment };
    this.log = log;
    this.objects = objects ?? pathToFileURL(join(folder, 'shared')).href;
  }

  /** Starts a node. `share`: of one core, by a control group. */
  async start(name, { share } = {}) {
    if (!this.#ports.has(name)) this.#ports.set(name, await findFreePort());
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const child = spawnServer(
      [
        ...[
          '--db-path',
          join(this.folder, name),
          '--http-addr',
          url.slice(7),
          '--no-analytics',
          '--log-level',
          'ERROR',
        ],
        ...['--cluster-objects', this.objects, '--cluster-url', `http://127.0.0.1:${this.#ports.get(name)}`],
        ...['--cluster-secret', 'the secret of nodes of the bench'],
        ...(this.log === null ? [] : ['--cluster-log', this.log]),
      ],
      ['ignore', 'ignore', 'inherit'],
      this.environment,
    );
    if (share !== undefined) limitProcess(child.pid, name, share);
    await waitForHealth(url, child, START_TIMEOUT_MS);
    this.running.set(name, { url, child });
    return url;
  }

  url(name) {
    return this.running.get(name).url;
  }

  async status(name) {
    return callApi(this.url(name), 'GET', '/_fossick/cluster');
  }

  /** The name of the node that leads, as soon as one does. */
  async leader() {
    for (;;) {
      for (const name of this.running.keys()) {
        const status = await this.status(name).catch(() => undefined);
        if (status?.role === 'leader') return name;
      }
      await sleep(20);
    }
  }

  async kill(name) {
    const { child } = this.running.get(name);
    this.running.delete(name);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async stop(name) {
    const { child } = this.running.get(name);
    this.running.delete(name);
    await stopServer(child, STOP_GRACE_MS);
  }

  /** Resolves when no task is open and all nodes are at one position. */
  async atRest() {
    for (;;) {
      const names = [...this.running.keys()];
      const { total } = await callApi(this.url(names[0]), 'GET', '/tasks?statuses=enqueued,processing&limit=1');
      const positions = await Promise.all(names.map(async (name) => (await this.status(name)).position));
      if (total === 0 && new Set(positions).size === 1) return positions[0];
      await sleep(100);
    }
  }

  /** Bytes and objects below a prefix of a store of objects in a folder; null for any other store. */
  stored(prefix) {
    const folder = join(this.folder, 'shared', prefix);
    if (!existsSync(folder)) return null;
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    return { count: files.length, bytes };
  }

  async end() {
    await Promise.all([...this.running.keys()].map((name) => this.stop(name)));
    for (const name of [...this.#ports.keys(), PROBE]) {
      const group = join(CPU_GROUPS, groupOf(name));
      if (existsSync(group)) rmdirSync(group);
    }
  }
}

/** Whether this machine lets a process have a share of a core. */
export function canLimit() {
  try {
    mkdirSync(join(CPU_GROUPS, groupOf(PROBE)), { recursive: true });
    writeFileSync(join(CPU_GROUPS, groupOf(PROBE), 'cpu.cfs_quota_us'), String(PERIOD_US));
    return true;
  } catch {
    return false;
  }
}

function limitProcess(pid, name, share) {
  const group = join(CPU_GROUPS, groupOf(name));
  mkdirSync(group, { recursive: true });
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(share * PERIOD_US)));
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
}

function groupOf(name) {
  return `fossick-bench-${process.pid}-${name}`;
}
