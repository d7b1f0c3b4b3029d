/** A leader alone whose shared folder is lost: it takes no write until the folder is back, and nothing begins anew. */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WireError } from '../e2e/server-process.test-support.js';
import { isBuilt } from '../reliability/launch.test-support.js';
import { ClusterServers } from './cluster-servers.test-support.js';
import { INDEX } from './history.test-support.js';

let servers: ClusterServers;
afterEach(() => servers.end());

const add = (id: number) =>
  servers.server('a').call<WireError & { taskUid: number }>('POST', `/indexes/${INDEX}/documents`, [{ id }]);
const entriesOf = (folder: string): string[] => {
  const entries = join(folder, 'log', 'main', 'entries');
  return existsSync(entries) ? readdirSync(entries).sort() : [];
};

/** What happens to the folder of objects; what it had is in `kept`. */
const LOSSES: Readonly<Record<string, (folder: string, kept: string) => void>> = {
  renamed: (folder, kept) => renameSync(folder, kept),
  removed: (folder, kept) => {
    cpSync(folder, kept, { recursive: true });
    rmSync(folder, { recursive: true });
  },
  'replaced by an empty one': (folder, kept) => {
    renameSync(folder, kept);
    mkdirSync(folder);
  },
  emptied: (folder, kept) => {
    cpSync(folder, kept, { recursive: true });
    for (const name of readdirSync(folder)) if (!name.startsWith('.')) rmSync(join(folder, name), { recursive: true });
  },
  'without its identity': (folder, kept) => {
    cpSync(folder, kept, { recursive: true });
    rmSync(join(folder, 'cluster.json'));
  },
};

describe.skipIf(!isBuilt)('a leader alone', () => {
  it.each(Object.keys(LOSSES))('takes no write while its log is %s', async (how) => {
    servers = new ClusterServers();
    await servers.startAll('a');
    for (let id = 0; id < 3; id++) expect((await add(id)).status).toBe(202);
    await servers.server('a').allTasksDone();
    const kept = `${servers.objectsFolder}.kept`;
    const before = entriesOf(servers.objectsFolder);
    LOSSES[how]!(servers.objectsFolder, kept);
    for (let id = 10; id < 16; id++) {
      const { status, body } = await add(id);
      expect([status, body.code]).toEqual([503, 'cluster_log_unavailable']);
    }
    // nothing was written after a gap
    const there = entriesOf(servers.objectsFolder);
    expect(there.filter((name) => !before.includes(name))).toEqual([]);
    rmSync(servers.objectsFolder, { recursive: true, force: true });
    renameSync(kept, servers.objectsFolder);
    await servers.until('a write', async () => (await add(20)).status === 202);
    await servers.server('a').allTasksDone();
    const found = await servers.server('a').call<{ hits: { id: number }[] }>('POST', `/indexes/${INDEX}/search`, {});
    // of the first write nobody could tell; those after it were refused before they were sent
    const ids = found.body.hits.map(({ id }) => id).filter((id) => id !== 10);
    expect(ids.sort((a, b) => a - b)).toEqual([0, 1, 2, 20]);
  });
});
