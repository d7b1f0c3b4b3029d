import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { API_VERSION, FEATURE_NAMES, TASK_TYPE_NAMES } from '@fossick/api';
import { BatchCanceled } from '@fossick/base';
import { FieldNames, toJsonText } from '@fossick/documents';
import type { EngineReader } from '@fossick/index';
import { InstanceValues, openLocalChanges, VALUE_NAMES } from '@fossick/instance';
import { storedKeys } from '@fossick/instance/access';
import type { ArchivedValue } from '@fossick/runtime/extension';
import { listDocuments } from '@fossick/search';
import { withoutOwnDefaults } from '@fossick/settings';
import type { Store } from '@fossick/storage';
import { type ExecuteContext, type Micros, skipsFaulty, type Task, type TaskLog, toRfc3339 } from '@fossick/tasks';
import { ArchiveUploads } from '../objects/archive-uploads.js';
import type { S3Options } from '../options.js';
import { withWorkspace } from '../workspace.js';
import { packFolder } from './archive.js';
import { DUMP_VERSION, type IndexMetadata, keyToLine, NO_NETWORK, paths } from './format/layout.js';
import { dumpSearchRules } from './search-rules.js';
import { batchToLine, type EnqueuedSpan, taskToLine } from './task-line.js';

/** Documents read from an index at once. */
const DOCUMENTS_PER_PAGE = 1_000;

export interface DumpSources {
  readonly engine: EngineReader;
  readonly tasks: TaskLog;
  /** Contains keys and the instance's values. */
  readonly authStore: Store;
  /** The folder of `<dumpUid>.dump`; created when missing. */
  readonly dumpFolder: string;
  /** With a bucket, the dump is written there as well, as `dumps/<dumpUid>.dump` below the prefix. */
  readonly s3?: S3Options;
  /** Makes sure that the payload files of tasks are there: a node of a shared log gets them when they are needed. */
  readonly preparePayloads?: PreparePayloads | undefined;
  /** The parts of extensions. */
  readonly archived?: readonly ArchivedValue[];
}
export type PreparePayloads = (log: TaskLog, tasks: readonly Task[]) => Promise<void>;

/**
 * Writes the whole instance as `<dumpUid>.dump` in format V6 and returns the uid. Runs in the writer thread, so no
 * index changes meanwhile. Needs disk space for the uncompressed dump in addition; leaves nothing when it throws, which it does
 * as soon as the task is canceled; then nothing of it is in the object store either. Throws ApiError for what that does not do.
 */
export async function writeDump(sources: DumpSources, task: Task, context: ExecuteContext): Promise<string> {
  const startedAt = task.startedAt ?? task.enqueuedAt;
  const dumpUid = toDumpUid(startedAt);
  const { s3 } = sources;
  const uploads = s3 === undefined || s3.bucket === null ? null : new ArchiveUploads(s3, s3.bucket, 'dump');
  const step = (name: string, done = 0, total = 1): void => {
    if (context.isCanceled()) throw new BatchCanceled('the dump was canceled');
    context.onProgress(name, done, total);
  };
  return await withWorkspace(sources.dumpFolder, dumpUid, async (workspace) => {
    const folder = join(workspace, 'content');
    await mkdir(folder);
    step('start the dump creation');
    await writeJson(join(folder, paths.metadata), {
      dumpVersion: DUMP_VERSION,
      dbVersion: API_VERSION,
      dumpDate: toRfc3339(startedAt),
    });
    step('dump the api keys');
    await writeLines(join(folder, paths.keys), storedKeys(sources.authStore).map(keyToLine));
    step('dump the tasks');
    await dumpTasks(sources, { ...task, resultDetails: { dumpUid } }, folder);
    const infos = sources.engine.indexes();
    for (const [i, { uid }] of infos.entries()) {
      step('dump the indexes', i, infos.length);
      await dumpIndex(sources.engine, uid, folder, () => step('dump the indexes', i, infos.length));
    }
    step('dump the experimental features');
    const values = new InstanceValues(sources.authStore, openLocalChanges(sources.authStore));
    await dumpValues(values, folder, sources.archived ?? []);
    step('dump dynamic search rules');
    await dumpSearchRules(sources.authStore, folder);
    step('compress the dump');
    await packFolder(folder, join(sources.dumpFolder, `${dumpUid}.dump`), join(workspace, 'archive'), async (file) => {
      if (uploads === null) return;
      step('upload the dump');
      await uploads.writeFile(dumpUid, file, () => context.isCanceled());
    });
    return dumpUid;
  });
}

/** `YYYYMMDD-HHMMSSmmm` in UTC. */
export function toDumpUid(at: Micros): string {
  const digits = new Date(Math.floor(at / 1000)).toISOString().replace(/\D/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** Tasks, payloads of waiting tasks, and batches. The dump's own task is written as succeeded, without its batch. */
async function dumpTasks({ tasks: log, preparePayloads }: DumpSources, own: Task, folder: string): Promise<void> {
  await mkdir(join(folder, paths.payloads), { recursive: true });
  await mkdir(join(folder, paths.batchFolder));
  const spans = new Map<number, EnqueuedSpan>();
  const lines = function* (): Generator<object> {
    // the format has no lines for other kinds of extensions
    for (const task of log.tasks({ types: TASK_TYPE_NAMES })) {
      if (task.uid === own.uid) {
        yield taskToLine({ ...own, batchUid: null, status: 'succeeded', finishedAt: Date.now() * 1000 }, log.kinds);
        continue;
      }
      if (task.batchUid !== null) spans.set(task.batchUid, widened(spans.get(task.batchUid), task.enqueuedAt));
      yield taskToLine(task, log.kinds);
    }
  };
  await writeLines(join(folder, paths.tasks), lines());
  const waiting = [...log.tasks({ statuses: ['enqueued'], types: ['documentAdditionOrUpdate'] })];
  await preparePayloads?.(log, waiting);
  for (const task of waiting) {
    const { content } = task;
    if (content.type !== 'documentAdditionOrUpdate') continue;
    await copyFile(content.payloadFile, join(folder, paths.payload(task.uid)));
  }
  const errors = function* (): Generator<object> {
    for (const { uid, content } of log.tasks({ types: ['documentAdditionOrUpdate', 'documentEdition'] })) {
      const pages = skipsFaulty(content) ? log.errorPages(uid) : [];
      for (const page of pages) yield { uid, page: Buffer.from(page).toString('base64') };
    }
  };
  await writeLines(join(folder, paths.documentErrors), errors());
  const batches = function* (): Generator<object> {
    let from: number | null = 0;
    while (from !== null) {
      const page = log.listBatches({}, { limit: 1_000, from, reverse: true });
      for (const batch of page.results)
        if (batch.uid !== own.batchUid && batch.finishedAt !== null) yield batchToLine(batch, spans.get(batch.uid));
      from = page.next;
    }
  };
  await writeLines(join(folder, paths.batches), batches());
}
function widened(span: EnqueuedSpan | undefined, at: Micros): EnqueuedSpan {
  if (span === undefined) return { earliest: at, latest: at };
  return { earliest: Math.min(span.earliest, at), latest: Math.max(span.latest, at) };
}

async function dumpIndex(engine: EngineReader, uid: string, folder: string, onPage: () => void): Promise<void> {
  const index = join(folder, paths.indexes, uid);
  await mkdir(index, { recursive: true });
  await writeJson(join(index, paths.settings), withoutOwnDefaults(engine.settings(uid)));
  const used = new FieldNames([]);
  const documents = function* (): Generator<object> {
    for (let offset = 0; ; offset += DOCUMENTS_PER_PAGE) {
      const query = { offset, limit: DOCUMENTS_PER_PAGE, ids: null, filter: null, sort: null };
      const page = engine.withView(uid, (view) => listDocuments(view, query).documents);
      for (const document of page) {
        used.addDocument(document);
        yield document;
      }
      if (page.length < DOCUMENTS_PER_PAGE) return;
      onPage();
    }
  };
  await writeLines(join(index, paths.documents), documents());
  const { primaryKey, createdAt, updatedAt } = engine.index(uid)!;
  // hits show their fields in the order in which the index met them, which need not be that of the remaining documents
  const fieldNames = engine.withView(uid, (view) => view.fieldNames).filter((name) => used.idOf(name) !== undefined);
  const metadata: IndexMetadata = { uid, primaryKey, createdAt, updatedAt, fieldNames };
  await writeJson(join(index, paths.metadata), metadata);
}

async function dumpValues(values: InstanceValues, folder: string, archived: readonly ArchivedValue[]): Promise<void> {
  const features = (values.get(VALUE_NAMES.features) ?? {}) as Record<string, boolean>;
  const all = Object.fromEntries(FEATURE_NAMES.map((name) => [name, features[name] ?? false]));
  await writeJson(join(folder, paths.features), all);
  await writeJson(join(folder, paths.network), values.get(VALUE_NAMES.network) ?? NO_NETWORK);
  for (const { name, file, toFile } of archived) {
    const contents = toFile(values.get(name));
    if (!file.endsWith('/')) await writeJson(join(folder, file), contents);
    else {
      await mkdir(join(folder, file));
      for (const [member, value] of Object.entries(contents as object))
        await writeJson(join(folder, file, `${member}.json`), value);
    }
  }
  const instanceUid = values.get(VALUE_NAMES.instanceUid);
  if (typeof instanceUid === 'string') await writeFile(join(folder, paths.instanceUid), instanceUid);
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(file, toJsonText(value));
}
/** One JSON text per line; consumes the values only as fast as the disk takes the lines. */
async function writeLines(file: string, values: Iterable<unknown>): Promise<void> {
  const out = createWriteStream(file);
  const ended = finished(out);
  for (const value of values) if (!out.write(`${toJsonText(value)}\n`)) await Promise.race([once(out, 'drain'), ended]);
  out.end();
  await ended;
}
