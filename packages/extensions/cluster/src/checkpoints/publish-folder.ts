import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatabaseFolders, LaunchError, NODE_FOLDER, PENDING_ENTRY } from '@fossick/instance';
import type { ObjectStore } from '@fossick/objects';
import {
  type CommitLog,
  decodeEntry,
  deleteCheckpoint,
  encodeEntry,
  FIRST_FORMAT,
  firstHash,
  hashOfEntry,
  listCheckpoints,
  type SavedLogState,
  TrimmedError,
} from '@fossick/replication';
import { replaceFile } from '@fossick/storage';
import { type PayloadSource, payloadOf } from '@fossick/tasks';
import { NodeStores } from '../node/node-stores.js';
import { SavedLog } from '../node/saved-log.js';
import { PayloadObjects } from '../objects/payload-objects.js';
import { BASE } from '../records/base-record.js';
import { writeSet } from './checkpoint-set.js';
import { writeStores } from './write-set.js';

/** The database is the state of the log after its first entry. */
const POSITION = 1;
/** Between two attempts while the log does not answer, in milliseconds, and their number. */
const [RETRY_MS, ATTEMPTS] = [500, 60] as const;

export interface PublishOptions {
  readonly log: Pick<CommitLog, 'append' | 'read'>;
  readonly objects: ObjectStore;
  readonly logName: string;
  readonly folders: DatabaseFolders;
  readonly clusterId: string;
}

/** Whether a folder was about to become the beginning of a cluster when its server ended. */
export function isPublishing({ dbPath }: DatabaseFolders): boolean {
  return existsSync(join(dbPath, NODE_FOLDER, PENDING_ENTRY));
}

/**
 * Makes the database of a single server, which nothing has open, the beginning of a new cluster: its stores become the
 * first checkpoints, and its folder that of a node. The log decides whether it is the beginning: the first entry is the
 * record `base`, and the set of checkpoints is written after it. Interrupted anywhere, the next start goes on. Throws
 * LaunchError when the log has begun with something else. O(bytes of the database)
 */
export async function publishFolder(options: PublishOptions): Promise<void> {
  const { log, objects, logName, folders, clusterId } = options;
  const folder = join(folders.dbPath, NODE_FOLDER);
  const bytes = await pendingEntry(folder, logName);
  const there = await firstEntry(log);
  if (there !== null && Buffer.compare(there, bytes) !== 0) throw refused(folder, folders.dbPath);
  // what an attempt before has left, unless it is used already
  if (there === null) for await (const name of listCheckpoints(objects, logName)) await deleteCheckpoint(objects, name);
  const stores = new NodeStores({ folders, results: { onTasks: () => undefined, onValues: () => undefined } });
  try {
    stores.indexes.sweep();
    await publishPayloads(stores, objects);
    stores.beginAt({ position: POSITION, count: 1 });
    await stores.flush();
    const written = await writeStores({ objects, logName, stores, position: POSITION, before: [] });
    if (there === null && !(await append(log, bytes))) throw refused(folder, folders.dbPath);
    const state = stateAfter(bytes);
    await writeSet(objects, logName, { state, stores: written, writtenMs: Date.now() });
    const saved = new SavedLog(folder);
    saved.replace(state);
    saved.claim(clusterId);
    await saved.close();
  } finally {
    await stores.close();
  }
  // a start that finds it with the state of a node ignores it
  rmSync(join(folder, PENDING_ENTRY));
}

/** The entry of an earlier attempt, or a new one that is kept for later attempts: in base64, in a file until all is done. */
async function pendingEntry(folder: string, logName: string): Promise<Uint8Array> {
  const file = join(folder, PENDING_ENTRY);
  if (existsSync(file)) return Buffer.from(readFileSync(file, 'utf8'), 'base64');
  const record = { kind: 'data', opId: randomUUID(), name: BASE, epoch: null, body: new Uint8Array() } as const;
  const previous = firstHash(logName);
  const bytes = encodeEntry({
    format: FIRST_FORMAT,
    position: POSITION,
    id: randomUUID(),
    previous,
    records: [record],
  });
  await mkdir(folder, { recursive: true });
  replaceFile(file, Buffer.from(bytes).toString('base64'));
  return bytes;
}

function stateAfter(bytes: Uint8Array): SavedLogState {
  const operations = decodeEntry(bytes).records.flatMap((record) =>
    record.kind === 'data' ? [[record.opId, POSITION] as const] : [],
  );
  return { position: POSITION, hash: hashOfEntry(bytes), epoch: 0, leader: null, format: FIRST_FORMAT, operations };
}

/** Payloads of waiting tasks are in files of this node: the others get them from the store of objects. */
async function publishPayloads({ tasks }: NodeStores, objects: ObjectStore): Promise<void> {
  const payloads = new PayloadObjects(objects);
  const sources = new Map<number, PayloadSource>();
  for (const { uid, content } of tasks.tasks({ statuses: ['enqueued', 'processing'] })) {
    const payload = payloadOf(content);
    // a task whose payload is lost fails, here as there
    if (payload !== undefined && existsSync(payload.payloadFile)) sources.set(uid, await payloads.sourceOf(payload));
  }
  if (sources.size > 0) tasks.notePayloads(sources);
}

/** The bytes of the first entry, null when the log has none. Throws LaunchError when it was trimmed. */
async function firstEntry(log: PublishOptions['log']): Promise<Uint8Array | null> {
  try {
    return (await log.read(POSITION, 1))[0]?.bytes ?? null;
  } catch (error) {
    if (error instanceof TrimmedError) return new Uint8Array();
    throw error;
  }
}

/** Whether the log begins with these bytes now. */
async function append(log: PublishOptions['log'], bytes: Uint8Array): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await log.append(POSITION, bytes).catch(() => 'unknown' as const);
    if (outcome === 'appended') return true;
    const there = await firstEntry(log).catch(() => null);
    if (there !== null) return Buffer.compare(there, bytes) === 0;
    if (attempt === ATTEMPTS) throw new LaunchError('the log of the cluster does not answer');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** The folder is that of a single server again. */
function refused(folder: string, dbPath: string): LaunchError {
  rmSync(folder, { recursive: true, force: true });
  return new LaunchError(
    `the cluster has begun without the database in ${dbPath}: only the first node of a new cluster can bring one. ` +
      'Start this node with an empty folder, and copy the documents with `fossick move`',
  );
}
