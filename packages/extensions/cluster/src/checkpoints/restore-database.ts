import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatabaseFolders, foldersOf, LaunchError, NODE_FOLDER, stageImport } from '@fossick/instance';
import { MissingStoreError, type ObjectStore } from '@fossick/objects';
import {
  type CommitLog,
  DamagedCheckpointError,
  DamagedLogError,
  LogState,
  NewerFormatError,
  type SavedLogState,
  TrimmedError,
} from '@fossick/replication';
import { decodeTaskRecord, payloadOf, type TaskLog, type TaskLogRecord } from '@fossick/tasks';
import { openShared, type SharedOptions } from '../logs/open-shared.js';
import { Applier } from '../node/applier.js';
import { NodeStores } from '../node/node-stores.js';
import { PayloadObjects } from '../objects/payload-objects.js';
import { CheckpointNeededError } from '../records/base-record.js';
import { LargeBodies } from '../records/large-bodies.js';
import { type CheckpointSet, listSets, readSet } from './checkpoint-set.js';
import { entriesFrom, restoreStores } from './restore-set.js';

const LOG_NAME = 'main';
const NO_RESULTS = { onTasks: () => undefined, onValues: () => undefined };

/**
 * The moment to go back to: the end of the log, the state after the entry of a position, or the one before the first
 * entry with a task that was requested, begun or ended after a time, in milliseconds since 1970.
 */
export type RestorePoint =
  | { readonly kind: 'latest' }
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'time'; readonly atMs: number };

export interface Restored {
  /** Of the last entry of the database. */
  readonly position: number;
  /** Whether the log has no entry after that. */
  readonly isEnd: boolean;
}

export interface RestoreOptions {
  readonly log: Pick<CommitLog, 'read'>;
  readonly objects: ObjectStore;
  readonly logName: string;
  /** Where the database is made. */
  readonly dbPath: string;
  readonly point: RestorePoint;
}

/**
 * Makes the database of a single server out of the checkpoints and the log of a cluster, which may go on meanwhile.
 * Killed at any time, it leaves the whole database or none. Throws LaunchError
 * when the log does not reach back so far, and the errors of the log and of the objects. O(bytes of checkpoints and log)
 */
export async function restoreDatabase({ dbPath, ...options }: RestoreOptions): Promise<Restored> {
  const { objects, logName, point } = options;
  const set = await setBefore(objects, logName, point);
  let restored: Restored = { position: set?.state.position ?? 0, isEnd: false };
  await stageImport(dbPath, async (stage) => {
    const folders = foldersOf(stage);
    mkdirSync(folders.payloadFolder, { recursive: true });
    if (set !== null) await restoreStores({ objects, logName, set, folders });
    restored = await replay(options, folders, set?.state);
    rmSync(join(stage, NODE_FOLDER), { recursive: true, force: true });
  });
  return restored;
}

/** The same for the options of a node. What is wrong with the log or the store of objects becomes a LaunchError. */
export async function restoreFromCluster(
  options: SharedOptions,
  dbPath: string,
  point: RestorePoint,
): Promise<Restored> {
  const { log, objects } = await openShared(options, LOG_NAME);
  try {
    return await restoreDatabase({ log, objects, logName: LOG_NAME, dbPath, point });
  } catch (error) {
    if (await isOfShared(error)) throw new LaunchError((error as Error).message, { cause: error });
    throw error;
  } finally {
    await log.close();
  }
}

/** Whether an error tells an operator what the log or the store of objects lacks or refuses. */
async function isOfShared(error: unknown): Promise<boolean> {
  const { S3Error } = await import('@fossick/objects/s3');
  const kinds = [S3Error, MissingStoreError, DamagedLogError, DamagedCheckpointError, NewerFormatError];
  return kinds.some((kind) => error instanceof kind);
}

/** The last set that has nothing from after the point. */
async function setBefore(objects: ObjectStore, logName: string, point: RestorePoint): Promise<CheckpointSet | null> {
  for (const position of (await listSets(objects, logName)).reverse()) {
    if (point.kind === 'position' && position > point.position) continue;
    const set = await readSet(objects, logName, position);
    // a set is written after the last of its entries
    if (set !== null && (point.kind !== 'time' || set.writtenMs <= point.atMs)) return set;
  }
  return null;
}

/** Applies the entries from a state to the point, and gets the payloads of the tasks that wait then. */
async function replay(
  { log, objects, logName, point }: Omit<RestoreOptions, 'dbPath'>,
  folders: DatabaseFolders,
  saved: SavedLogState | undefined,
): Promise<Restored> {
  const stores = new NodeStores({ folders, results: NO_RESULTS });
  try {
    const bodies = new LargeBodies({ objects, logName, inlineBytesMax: 0 });
    // a store of objects that does not answer ends the command
    const applier = new Applier({
      stores,
      bodies,
      bridge: () => undefined,
      isEnding: () => true,
      pause: async () => undefined,
    });
    const state = new LogState({ logName, ...(saved === undefined ? {} : { saved }) });
    let isThere = saved !== undefined;
    // without checkpoints, nothing is known of the time before the first task
    let hasDated = isThere;
    for await (const stored of entriesFrom(log, state.position + 1)) {
      isThere = true;
      if (point.kind === 'position' && stored.position > point.position) return await ended(state.position, false);
      const position = state.position;
      const entry = state.accept(stored);
      const bodiesOf = entry.records.flatMap(({ record }) => (record.kind === 'data' ? [record] : []));
      if (point.kind === 'time') {
        const loaded = await Promise.all(
          bodiesOf.filter(({ name }) => isOfTasks(name)).map((one) => bodies.loaded(one)),
        );
        const lastMs = Math.max(0, ...loaded.map(({ name, body }) => lastTimeMs(name, body)));
        if (lastMs > point.atMs && !hasDated)
          throw new LaunchError(`the cluster has nothing of that time: the earliest is ${timeOf(lastMs)}`);
        if (lastMs > point.atMs) return await ended(position, false);
        hasDated ||= lastMs > 0;
      }
      await applier.apply(entry);
    }
    if (!isThere) throw new LaunchError('no cluster is there: neither checkpoints nor a log');
    if (point.kind === 'position' && state.position < point.position)
      throw new LaunchError(`the log ends at position ${state.position}`);
    return await ended(state.position, true);
  } catch (error) {
    if (error instanceof TrimmedError || error instanceof CheckpointNeededError)
      throw new LaunchError(
        error instanceof TrimmedError
          ? `the log begins at position ${error.floor}, and there is no checkpoint from before the given moment${await earliest()}`
          : `the cluster began with a database, whose checkpoints are from a later moment${await earliest()}`,
      );
    throw error;
  } finally {
    await stores.close();
  }

  async function earliest(): Promise<string> {
    const [first] = await listSets(objects, logName);
    const set = first === undefined ? null : await readSet(objects, logName, first);
    return set === null ? '' : `: the earliest is position ${set.state.position}, or ${timeOf(set.writtenMs)}`;
  }

  async function ended(position: number, isEnd: boolean): Promise<Restored> {
    await fetchPayloads(stores.tasks, new PayloadObjects(objects));
    await stores.flush();
    return { position, isEnd };
  }
}

/** The first millisecond that is not before a time, as `--at` takes it. */
function timeOf(ms: number): string {
  return new Date(Math.ceil(ms)).toISOString();
}

async function fetchPayloads(tasks: TaskLog, payloads: PayloadObjects): Promise<void> {
  for (const { uid, content } of tasks.tasks({ statuses: ['enqueued', 'processing'] })) {
    const file = payloadOf(content)?.payloadFile;
    const source = file === undefined || existsSync(file) ? undefined : tasks.payloadSource(uid);
    if (source?.kind === 'inline') await writeFile(file!, source.bytes);
    else if (source !== undefined) await payloads.fetch(source.key, file!);
  }
}

function isOfTasks(name: string): boolean {
  return name === 'tasks' || name === 'task-changes';
}

/** The latest time in a record of the task log, in milliseconds since 1970. */
function lastTimeMs(name: string, body: Uint8Array): number {
  const record = decodeTaskRecord(name as TaskLogRecord['kind'], body);
  const times =
    record.kind === 'tasks'
      ? record.entries.map(({ enqueuedAt }) => enqueuedAt)
      : record.operations.flatMap((operation) => {
          const dated =
            operation.kind === 'putTask' ? operation.task : operation.kind === 'changeTasks' ? operation.change : {};
          return [dated.startedAt ?? 0, dated.finishedAt ?? 0];
        });
  return Math.max(0, ...times) / 1_000;
}
