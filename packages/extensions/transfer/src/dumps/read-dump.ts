import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isIndexUid, setOwn } from '@fossick/base';
import { isJsonObject } from '@fossick/documents';
import { errorsOfPage } from '@fossick/documents/document-errors';
import type { EngineWriter } from '@fossick/index';
import type { WriteContext } from '@fossick/index/writer';
import { openEngineWriter } from '@fossick/index/writer';
import { type DatabaseFolders, InstanceValues, openLocalChanges, VALUE_NAMES } from '@fossick/instance';
import { replaceKeys } from '@fossick/instance/access';
import type { ArchivedValue } from '@fossick/runtime/extension';
import { cleanEmbedder, SETTINGS_TABLE, type SettingsPatch } from '@fossick/settings';
import { openLmdbStore, type Store } from '@fossick/storage';
import { type Batch, openTaskLog, storePayload, type Task, type TaskLog, writeErrors } from '@fossick/tasks';
import { type ArchiveSource, unpackArchive } from './archive.js';
import { linesOf, readJson, taskLinesOf } from './format/json-lines.js';
import { DUMP_VERSION, type IndexMetadata, type KeyLine, keyOfLine, paths } from './format/layout.js';
import { isOlderVersion } from './older/older-version.js';
import { upgradeDump } from './older/upgrade-dump.js';
import { batchOfLine, type Payload, taskOfLine } from './read-task-line.js';
import { importSearchRules } from './search-rules.js';

/** Tasks written in one transaction. */
const TASKS_PER_WRITE = 1_000;

/** Folders of the new database. Sizes in bytes. */
export interface ImportTarget extends DatabaseFolders {
  readonly maxIndexingBytes: number;
  readonly maxSearchBytes: number;
  /** The parts of extensions. */
  readonly archived?: readonly ArchivedValue[];
}

/**
 * Fills an empty database from a dump of format V6, of this server or of the reference engine, or of V1 to V5 of the
 * latter's earlier releases. The caller removes the database when it throws. `scratch` is the folder for the unpacked
 * dump.
 */
export async function readDump(source: ArchiveSource, target: ImportTarget, scratch: string): Promise<void> {
  await unpackArchive(source, scratch, { isFlushed: false });
  const folder = await upgradedFolder(scratch);
  await mkdir(target.payloadFolder, { recursive: true });
  const authStore = openLmdbStore({ folder: target.authFolder });
  try {
    await importInstance(folder, authStore, target.archived ?? []);
    await importSearchRules(authStore, folder);
  } finally {
    await authStore.close();
  }
  await importIndexes(join(folder, paths.indexes), target);
  const taskStore = openLmdbStore({ folder: target.taskFolder });
  try {
    const log = openTaskLog(taskStore, { payloadFolder: target.payloadFolder });
    await importTasks(folder, log, target.payloadFolder);
  } finally {
    await taskStore.close();
  }
}

/** The folder of the dump in format V6. */
async function upgradedFolder(folder: string): Promise<string> {
  if (!existsSync(join(folder, paths.metadata))) throw new Error('it is no dump');
  const { dumpVersion } = await readJson<{ dumpVersion?: unknown }>(join(folder, paths.metadata));
  if (dumpVersion === DUMP_VERSION) return folder;
  if (isOlderVersion(dumpVersion)) return upgradeDump(folder, dumpVersion);
  const shown = typeof dumpVersion === 'string' ? dumpVersion : 'unknown';
  throw new Error(`the dump is of version ${shown}; V1 to ${DUMP_VERSION} can be imported`);
}

async function importInstance(folder: string, store: Store, archived: readonly ArchivedValue[]): Promise<void> {
  const changes = openLocalChanges(store);
  const values = new InstanceValues(store, changes);
  const instanceUid = join(folder, paths.instanceUid);
  if (existsSync(instanceUid)) await values.put(VALUE_NAMES.instanceUid, (await readFile(instanceUid, 'utf8')).trim());
  const copy = async (path: string, name: string): Promise<void> => {
    if (existsSync(join(folder, path))) await values.put(name, await readJson(join(folder, path)));
  };
  for (const { name, file, ofFile } of archived)
    if (existsSync(join(folder, file)))
      await values.put(name, ofFile(await (file.endsWith('/') ? readMembers : readJson)(join(folder, file))));
  const keys = [];
  for await (const line of linesOf<KeyLine>(join(folder, paths.keys))) keys.push(keyOfLine(line));
  await replaceKeys(changes, keys);
  await copy(paths.features, VALUE_NAMES.features);
  await copy(paths.network, VALUE_NAMES.network);
}

/** An object with the contents of each `NAME.json` of a folder. */
async function readMembers(folder: string): Promise<object> {
  const members: Record<string, unknown> = {};
  for (const name of await readdir(folder))
    if (extname(name) === '.json') setOwn(members, basename(name, '.json'), await readJson(join(folder, name)));
  return members;
}

async function importIndexes(folder: string, target: ImportTarget): Promise<void> {
  const writer = openEngineWriter({ rootFolder: target.dbPath, maxSearchBytes: target.maxSearchBytes });
  const context: WriteContext = {
    isCanceled: () => false,
    onProgress: () => undefined,
    maxIndexingBytes: target.maxIndexingBytes,
  };
  try {
    for (const uid of existsSync(folder) ? (await readdir(folder)).sort() : []) {
      if (!isIndexUid(uid)) continue;
      await importIndex(writer, uid, join(folder, uid), context);
    }
  } finally {
    await writer.close();
  }
}

async function importIndex(writer: EngineWriter, uid: string, folder: string, context: WriteContext): Promise<void> {
  const info = await readJson<Partial<IndexMetadata>>(join(folder, paths.metadata));
  const primaryKey = info.primaryKey ?? null;
  const { createdAt, fieldNames = [] } = info;
  if (!Array.isArray(fieldNames) || !fieldNames.every((name) => typeof name === 'string'))
    throw new Error(`the index ${uid}: \`fieldNames\` is no list of names`);
  writer.createIndex(uid, primaryKey, { createdAt, fieldNames });
  const patch = settingsPatch(await readJson<Record<string, unknown>>(join(folder, paths.settings)));
  await writer.applySettings(uid, [patch], context);
  const documents = join(folder, paths.documents);
  if (!existsSync(documents) || (await stat(documents)).size === 0) return;
  const payloadFile = `${documents}.checked`;
  await storeChecked(documents, payloadFile, `documents of the index ${uid}`);
  const operation = {
    type: 'documentAdditionOrUpdate',
    method: 'replace',
    payloadFile,
    primaryKey,
    skipCreation: false,
    areStored: true,
  } as const;
  const [outcome] = await writer.applyDocuments(uid, [operation], context);
  if (outcome?.error !== undefined) throw new Error(`documents of the index ${uid}: ${outcome.error.message}`);
}

/** The settings that this server knows, each checked like those of a client. Throws ApiError. */
function settingsPatch(received: Readonly<Record<string, unknown>>): SettingsPatch {
  const patch: Record<string, unknown> = {};
  for (const { key, code, parse } of SETTINGS_TABLE) {
    const value = key === 'embedders' ? cleanEmbedders(received[key]) : received[key];
    if (value !== undefined) patch[key] = value === null ? null : parse(value, { code, path: key });
  }
  return patch as SettingsPatch;
}

/** Dumps of older releases contain fields of an embedder's earlier source, which would be refused. */
function cleanEmbedders(received: unknown): unknown {
  if (typeof received !== 'object' || received === null) return received;
  return Object.fromEntries(Object.entries(received).map(([name, stored]) => [name, cleanEmbedder(stored)]));
}

/** Batches and tasks keep their uids and dates; waiting tasks wait again, with their payloads. */
async function importTasks(folder: string, log: TaskLog, payloadFolder: string): Promise<void> {
  const batches: Batch[] = [];
  for await (const line of taskLinesOf(join(folder, paths.batches))) batches.push(batchOfLine(line));
  const nextBatch = batches.reduce((next, { uid }) => Math.max(next, uid + 1), 0);
  log.change([
    ...batches.map((batch) => ({ kind: 'putBatch', batch }) as const),
    { kind: 'skipTo', counter: 'next-batch', uid: nextBatch },
  ]);
  let nextTask = 0;
  let pending: Task[] = [];
  const flush = (): void => {
    log.change(pending.map((task) => ({ kind: 'putTask', task })));
    pending = [];
  };
  for await (const line of taskLinesOf(join(folder, paths.tasks))) {
    const { uid } = line;
    const payload =
      typeof uid === 'number' ? await takePayload(folder, uid, payloadFolder, mayHaveMarks(line)) : undefined;
    const task = taskOfLine(line, payload);
    nextTask = Math.max(nextTask, Number(uid) + 1);
    if (task !== undefined) pending.push(task);
    if (pending.length >= TASKS_PER_WRITE) flush();
  }
  flush();
  await importErrors(folder, log);
  log.change([{ kind: 'skipTo', counter: 'next-task', uid: nextTask }]);
}

/** Errors of skipped documents, a page in each line. */
async function importErrors(folder: string, log: TaskLog): Promise<void> {
  const file = join(folder, paths.documentErrors);
  if (!existsSync(file)) return;
  let of = { uid: -1, pages: [] as Uint8Array[] };
  const flush = (): void => {
    if (of.pages.length > 0) writeErrors(log, new Map([[of.uid, of.pages]]));
  };
  for await (const { uid, page } of linesOf<{ uid: unknown; page: unknown }>(file)) {
    if (typeof uid !== 'number' || typeof page !== 'string') throw new TypeError('a line of errors has no task');
    const bytes = Buffer.from(page, 'base64');
    if (log.get(uid) === undefined) throw new TypeError(`the errors of the task ${uid} belong to no task`);
    errorsOfPage(bytes); // throws when it is none
    if (uid !== of.uid) {
      flush();
      of = { uid, pages: [] };
    }
    of.pages.push(bytes);
  }
  flush();
}

/** Whether the payload of a task may have marks of skipped documents. */
function mayHaveMarks({ type }: Readonly<Record<string, unknown>>): boolean {
  const { documentImport } = (typeof type === 'object' && type !== null ? type : {}) as Record<string, unknown>;
  return isJsonObject(documentImport) && documentImport['on_document_error'] === 'skip';
}

async function takePayload(
  folder: string,
  taskUid: number,
  payloadFolder: string,
  hasMarks: boolean,
): Promise<Payload | undefined> {
  const source = join(folder, paths.payload(taskUid));
  if (!existsSync(source)) return undefined;
  const file = join(payloadFolder, `${randomUUID()}.ndjson`);
  if ((await stat(source)).size === 0) await copyFile(source, file);
  else await storeChecked(source, file, `documents of the task ${taskUid}`, hasMarks);
  return { file, bytes: (await stat(file)).size };
}

/**
 * Documents of a dump are checked like those of a client: nesting, length, syntax. Throws an Error that names the
 * invalid ones.
 */
async function storeChecked(source: string, file: string, what: string, hasMarks = false): Promise<void> {
  try {
    await storePayload(createReadStream(source), { kind: 'ndjson' }, file, { skipsFaulty: hasMarks, hasMarks });
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`);
  }
}
