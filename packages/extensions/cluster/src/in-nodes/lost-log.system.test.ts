/** A leader alone whose log is lost: it takes no write until the log is back, and nothing begins in its place. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeWithVersitygw } from '@fossick/objects/s3/doubles/versitygw.test-support';
import type { WireError } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { ClusterServers, type ClusterServersOptions } from './cluster-servers.test-support.js';
import { INDEX } from './history.test-support.js';

/** Servers of one case, which works beside others: each of them waits long for a log that is away. */
function newServers({ onTestFinished }: TestContext, options: ClusterServersOptions = {}): ClusterServers {
  const servers = new ClusterServers(options);
  onTestFinished(() => servers.end());
  return servers;
}

const ENTRIES = join('log', 'main', 'entries');
const entriesOf = (folder: string): string[] =>
  existsSync(join(folder, ENTRIES)) ? readdirSync(join(folder, ENTRIES)).sort() : [];
/** Without what is unfinished, whose files come and go. */
const copied = (folder: string, kept: string): void =>
  cpSync(folder, kept, { recursive: true, filter: (from) => !basename(from).startsWith('.') });
/** At once: the leader may put a beat there meanwhile. It is in `kept` as well, beside which it goes. */
const removed = (path: string, kept: string): void => {
  const aside = mkdtempSync(join(dirname(kept), 'removed-'));
  renameSync(path, join(aside, 'all'));
};

/** What happens to the folder of objects; what it had is in `kept`. */
const LOSSES: Readonly<Record<string, (folder: string, kept: string) => void>> = {
  renamed: (folder, kept) => renameSync(folder, kept),
  removed: (folder, kept) => {
    copied(folder, kept);
    removed(folder, kept);
  },
  'replaced by an empty one': (folder, kept) => {
    renameSync(folder, kept);
    mkdirSync(folder);
  },
  emptied: (folder, kept) => {
    copied(folder, kept);
    for (const name of readdirSync(folder)) if (!name.startsWith('.')) removed(join(folder, name), kept);
  },
  'without its identity': (folder, kept) => {
    copied(folder, kept);
    rmSync(join(folder, 'cluster.json'));
  },
  'without its log': (folder, kept) => {
    copied(folder, kept);
    removed(join(folder, 'log'), kept);
  },
  'without its entries': (folder, kept) => {
    copied(folder, kept);
    removed(join(folder, ENTRIES), kept);
  },
  'without its last entry': (folder, kept) => {
    copied(folder, kept);
    rmSync(join(folder, ENTRIES, entriesOf(folder).at(-1)!));
  },
};

const add = (servers: ClusterServers, id: number) =>
  servers.server('a').call<WireError & { taskUid: number }>('POST', `/indexes/${INDEX}/documents`, [{ id }]);

/**
 * Loses what the leader shares, expects that it refuses writes, and says so, until everything is back, and that every
 * write that was accepted is found then. `isRefusedAtOnce`: no write is accepted after the loss.
 */
async function expectRefusals(
  servers: ClusterServers,
  folder: string,
  isRefusedAtOnce: boolean,
  lose: (kept: string) => void,
): Promise<void> {
  await servers.startAll('a');
  const accepted: number[] = [];
  for (let id = 0; id < 3; id++) {
    expect((await add(servers, id)).status).toBe(202);
    accepted.push(id);
  }
  await servers.server('a').allTasksDone();
  await servers.atRest();
  // the leader looks for its last entry with each beat: what no look has found yet, none can miss
  const beat = (): string => readFileSync(join(folder, dirname(ENTRIES), 'beat'), 'utf8');
  for (let seen = 0; seen < 2; seen++) {
    const last = beat();
    await servers.until('a beat', async () => beat() !== last);
  }
  const kept = join(servers.folder, 'kept');
  const before = entriesOf(folder);
  lose(kept);
  let [id, refusals] = [10, 0];
  await servers.until('that writes are refused', async () => {
    const { status, body } = await add(servers, id);
    if (status === 202 && !isRefusedAtOnce) accepted.push(id);
    else {
      expect([status, body.code]).toEqual([503, 'cluster_log_unavailable']);
      refusals += 1;
    }
    id += 1;
    return refusals === 4;
  });
  const firstRefused = id - refusals;
  await servers.until('that the node says why', async () => (await servers.status('a')).failure !== null);
  await servers.withoutContact(500);
  const found = await servers.server('a').call<{ hits: unknown[] }>('POST', `/indexes/${INDEX}/search`, {});
  expect(found.status).toBe(200);
  // nothing was written after a gap
  if (isRefusedAtOnce) expect(entriesOf(folder).filter((name) => !before.includes(name))).toEqual([]);
  if (existsSync(folder)) cpSync(kept, folder, { recursive: true });
  else renameSync(kept, folder);
  await servers.until('a write', async () => (await add(servers, 100)).status === 202);
  accepted.push(100);
  await servers.server('a').allTasksDone();
  expect((await servers.status('a')).failure).toBe(null);
  // the state of a node is published a moment later
  const isFresh = async () => (await servers.server('a').call('GET', '/health?fresh=5s')).status === 200;
  await servers.until('that the node is healthy', isFresh);
  const all = await servers.server('a').call<{ results: { id: number }[] }>('GET', `/indexes/${INDEX}/documents`);
  // of a write that was on its way nobody could tell; those after it were refused before they were sent
  const ids = all.body.results.map((one) => one.id).filter((one) => one !== firstRefused);
  expect(ids.sort((a, b) => a - b)).toEqual(accepted);
  // another node gets all of it
  await servers.start('b');
  await servers.atRest();
  const others = await servers.server('b').call<{ total: number }>('GET', `/indexes/${INDEX}/documents?limit=0`);
  expect(others.body.total).toBe(all.body.results.length);
}

describe.skipIf(!isBuilt)('a leader alone', () => {
  it.concurrent.for(Object.keys(LOSSES))('takes no write while its folder is %s', async (how, context) => {
    const servers = newServers(context);
    const folder = servers.objectsFolder;
    await expectRefusals(servers, folder, true, (kept) => LOSSES[how]!(folder, kept));
  });

  it.concurrent('begins no other cluster where its own was lost', async (context) => {
    const servers = newServers(context);
    await servers.startAll('a');
    await add(servers, 1);
    await servers.server('a').allTasksDone();
    await servers.kill('a');
    const kept = join(servers.folder, 'kept');
    renameSync(servers.objectsFolder, kept);
    await expect(servers.start('a')).rejects.toThrow(/cluster\.json is missing in the store of objects, .* bring its/);
    expect(existsSync(servers.objectsFolder)).toBe(false);
    // nor does a new node beside a log that has begun
    renameSync(kept, servers.objectsFolder);
    renameSync(join(servers.objectsFolder, 'cluster.json'), kept);
    await expect(servers.start('b')).rejects.toThrow(/cluster\.json is missing in the store of objects, .* bring its/);
    expect(existsSync(join(servers.objectsFolder, 'cluster.json'))).toBe(false);
    renameSync(kept, join(servers.objectsFolder, 'cluster.json'));
    await servers.startAll('a', 'b');
    await servers.atRest();
  });

  describeWithVersitygw('over a store of S3', (s3) => {
    beforeAll(() => s3.create());
    afterAll(() => s3.remove());

    it.concurrent.for([
      'all of it',
      'its log',
      'its identity',
    ])('takes no write soon after %s is removed', async (what, context) => {
      const prefix = `cluster-${what.replaceAll(' ', '-')}`;
      const keys = { AWS_ACCESS_KEY_ID: 'versity', AWS_SECRET_ACCESS_KEY: 'versity-secret' };
      const servers = newServers(context, { objectsUrl: s3.url(prefix), environment: keys });
      const folder = join(s3.bucketFolder, prefix);
      const part = what === 'its log' ? 'log' : what === 'its identity' ? 'cluster.json' : '';
      await expectRefusals(servers, folder, false, (kept) => {
        copied(folder, kept);
        removed(join(folder, part), kept);
      });
    });
  });
});
