import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ACTION_NAMES, readUuid } from '@fossick/api';
import { ApiError, isIndexUid } from '@fossick/base';
import { storePayload } from '@fossick/tasks';
import { linesOf, readJson } from '../format/json-lines.js';
import type { KeyLine } from '../format/layout.js';
import { DUMP_VERSION, paths } from '../format/layout.js';
import { upgradedSettings } from './older-settings.js';
import { type Loose, looseOf, type OlderVersion, olderPaths } from './older-version.js';
import { taskOfEvents } from './task-events.js';
import { creationOfUpdate, type OlderPayload, taskOfUpdate, taskOfUpdateV1, type UpgradedTask } from './updates.js';

/** An index of an older dump: the folder of its files, and the task that gives its creation date. */
interface OlderIndex {
  readonly uid: string;
  /** The id that tasks of V2 and V3 use for it. */
  readonly uuid?: string;
  readonly folder: string;
  readonly creationTask?: unknown;
  /** Of V1, which stores it in a common file; later formats have a file for each index. */
  readonly primaryKey?: unknown;
  createdAt?: string;
}

/**
 * Converts an unpacked dump of V1 to V5 to one of V6, in a folder inside `folder`, which it returns. Documents are
 * moved, not read; tasks and keys are converted line by line. Throws an Error for unreadable contents and invalid
 * names.
 */
export async function upgradeDump(folder: string, version: OlderVersion): Promise<string> {
  const upgraded = join(folder, '.upgraded');
  await mkdir(join(upgraded, paths.payloads), { recursive: true });
  const metadata = await readJson<Loose>(join(folder, paths.metadata));
  const indexes = version === 'V1' ? indexesV1(folder, metadata) : await indexesOf(folder, version);
  const tasks = tasksOf(folder, version, indexes, metadata.dumpDate);
  await writeLines(join(upgraded, paths.tasks), numbered(tasks, join(folder, dirname(olderPaths.updates)), upgraded));
  for (const index of indexes) await upgradeIndex(index, version, upgraded);
  const instanceUid = join(folder, olderPaths.instanceUid);
  if (existsSync(instanceUid)) await copyFile(instanceUid, join(upgraded, paths.instanceUid));
  await writeLines(join(upgraded, paths.keys), keysOf(join(folder, olderPaths.keys)));
  await writeFile(join(upgraded, paths.metadata), JSON.stringify({ ...metadata, dumpVersion: DUMP_VERSION }));
  return upgraded;
}

function indexesV1(folder: string, { indexes }: Loose): OlderIndex[] {
  return (Array.isArray(indexes) ? indexes : []).map((line) => {
    const { uid: name, primaryKey, createdAt } = looseOf(line);
    const uid = checkedUid(name);
    const date = typeof createdAt === 'string' ? { createdAt } : {};
    return { uid, folder: join(folder, uid), primaryKey, ...date };
  });
}

async function indexesOf(folder: string, version: OlderVersion): Promise<OlderIndex[]> {
  const indexes: OlderIndex[] = [];
  for await (const line of linesOf<Loose>(join(folder, olderPaths.indexNames))) {
    const { uuid: metaUuid, creation_task_id: creationTask } = looseOf(line.index_meta);
    const uuid = checkedUuid(metaUuid ?? line.uuid);
    const name = version === 'V2' ? `index-${uuid}` : uuid;
    indexes.push({ uid: checkedUid(line.uid), uuid, folder: join(folder, paths.indexes, name), creationTask });
  }
  return indexes;
}

async function upgradeIndex(index: OlderIndex, version: OlderVersion, upgraded: string): Promise<void> {
  const to = join(upgraded, paths.indexes, index.uid);
  await mkdir(to, { recursive: true });
  const info =
    version === 'V1'
      ? { primary_key: index.primaryKey, settings: await readJson(join(index.folder, paths.settings)) }
      : await readJson<Loose>(join(index.folder, olderPaths.indexInfo));
  const { uid, createdAt } = index;
  const metadata = { uid, primaryKey: info.primary_key ?? null, ...(createdAt === undefined ? {} : { createdAt }) };
  await writeFile(join(to, paths.metadata), JSON.stringify(metadata));
  await writeFile(join(to, paths.settings), JSON.stringify(upgradedSettings(info.settings)));
  const documents = join(index.folder, paths.documents);
  if (existsSync(documents)) await rename(documents, join(to, paths.documents));
}

/** The tasks of a dump in the order of its files; on the way notes when indexes were created. */
async function* tasksOf(
  folder: string,
  version: OlderVersion,
  indexes: readonly OlderIndex[],
  dumpDate: unknown,
): AsyncGenerator<UpgradedTask | undefined> {
  if (version === 'V1') {
    for (const { uid, folder: indexFolder } of indexes)
      for await (const update of linesOf<Loose>(join(indexFolder, olderPaths.indexUpdates)))
        yield taskOfUpdateV1(update, uid);
    return;
  }
  const file = join(folder, olderPaths.updates);
  if (version === 'V4' || version === 'V5') {
    const byTask = new Map(indexes.map((index) => [index.creationTask, index]));
    for await (const line of linesOf<Loose>(file)) {
      const task = taskOfEvents(line, dumpDate);
      const made = byTask.get(line.id);
      const at = task?.line.enqueuedAt;
      if (made !== undefined && typeof at === 'string') made.createdAt = at;
      yield task;
    }
    return;
  }
  const byUuid = new Map(indexes.map((index) => [index.uuid, index]));
  for await (const { uuid, update } of linesOf<Loose>(file)) {
    const index = byUuid.get(String(uuid));
    // of a deleted index
    if (index === undefined) continue;
    const createdAt = creationOfUpdate(looseOf(update));
    if (createdAt !== undefined) index.createdAt ??= createdAt;
    yield taskOfUpdate(looseOf(update), index.uid);
  }
}

/** Lines of tasks, numbered if their format has no numbers; payloads of waiting tasks are moved to the paths of V6. */
async function* numbered(
  tasks: AsyncIterable<UpgradedTask | undefined>,
  from: string,
  upgraded: string,
): AsyncGenerator<Loose> {
  let next = 0;
  for await (const task of tasks) {
    if (task === undefined) continue;
    const uid = (task.line.uid as number | undefined) ?? next;
    next += 1;
    const error = task.payload && (await takePayload(task.payload, from, join(upgraded, paths.payload(uid))));
    const at = task.line.enqueuedAt;
    const failed = error === undefined ? {} : { status: 'failed', error, startedAt: at, finishedAt: at };
    yield { ...task.line, uid, ...failed };
  }
}

/**
 * Writes a payload to `to` as NDJSON. Returns the error of one that cannot be read: its task fails, as it would have
 * done then.
 */
async function takePayload({ name, format }: OlderPayload, from: string, to: string): Promise<Loose | undefined> {
  const uuid = checkedUuid(name);
  const candidates = [join(from, 'updates_files', uuid), join(from, 'update_files', `update_${uuid}`)];
  const file = candidates.find((indexFolder) => existsSync(indexFolder));
  if (file === undefined) throw new Error('the documents of a waiting task are missing');
  if (format === 'ndjson' && file === candidates[0]) {
    await rename(file, to);
    return undefined;
  }
  try {
    await storePayload(
      createReadStream(file),
      format === 'csv' ? { kind: 'csv', delimiter: ',' } : { kind: format },
      to,
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.message };
  }
}

async function* keysOf(file: string): AsyncGenerator<Loose> {
  for await (const line of linesOf<OlderKeyLine>(file)) {
    const key = upgradedKey(line);
    if (key !== undefined) yield { ...key };
  }
}

async function writeLines(file: string, values: AsyncIterable<Loose>): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const lines = async function* (): AsyncGenerator<string> {
    for await (const value of values) yield `${JSON.stringify(value)}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
}

function checkedUid(uid: unknown): string {
  if (typeof uid === 'string' && isIndexUid(uid)) return uid;
  throw new TypeError(`an index has no uid but ${JSON.stringify(uid) ?? 'none'}`);
}
function checkedUuid(uuid: unknown): string {
  const read = typeof uuid === 'string' ? readUuid(uuid) : undefined;
  if (read !== undefined) return read;
  throw new TypeError(`an index or payload has no UUID but ${JSON.stringify(uuid) ?? 'none'}`);
}

/** A line of `keys` in V4, where the id of a key had eight letters, and in V5. */
interface OlderKeyLine extends Omit<KeyLine, 'uid'> {
  readonly uid?: string;
  readonly id?: readonly number[];
}

/**
 * A key in the form of V6; undefined when none of its actions exist any more. A key of V4 gets a uid derived from its
 * id, the same at each import. The value of a key is derived from uid and master key, so it differs from before.
 */
function upgradedKey(line: OlderKeyLine): KeyLine | undefined {
  const { id, uid, ...others } = line;
  if (!Array.isArray(line.actions)) throw new TypeError('a key has no list of actions');
  const actions = line.actions.filter((name) => ACTION_NAMES.includes(name));
  if (actions.length === 0) return undefined;
  return { ...others, actions, uid: uid ?? uidOfId(id ?? []) };
}

/** A UUID of version 8, which is for custom values. */
function uidOfId(id: readonly number[]): string {
  const digits = createHash('sha256').update('key of a dump V4 ').update(Uint8Array.from(id)).digest('hex');
  return readUuid(`${digits.slice(0, 12)}8${digits.slice(13, 16)}8${digits.slice(17, 32)}`)!;
}
