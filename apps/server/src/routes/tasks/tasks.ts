import { open } from 'node:fs/promises';
import { pipeline, type Readable, Transform } from 'node:stream';
import {
  type Complete,
  completing,
  isJsonObject,
  type Received,
  readQuery,
  requireFeature,
  TASK_ERRORS_QUERY,
  TASK_FILTER_QUERY,
  type TASK_LIST_QUERY,
  taskFilterQuery,
  taskListQuery,
} from '@fossick/api';
import {
  apiError,
  type ErrorCode,
  type Json,
  type JsonObject,
  MAX_ANSWER_BYTES,
  own,
  sharedError,
} from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import { type DocumentError, ERRORS_PER_PAGE, errorsOfPage } from '@fossick/documents/document-errors';
import { type Access, namesHidden } from '@fossick/instance/access';
import { type SearchContext, TimeSlices } from '@fossick/search-service';
import {
  type Batch,
  maskDetails,
  matchesTask,
  type Page,
  skipsFaulty,
  type Task,
  type TaskFilters,
  taskToJson,
  toBatchJson,
} from '@fossick/tasks';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes, sendJson } from '../../context.js';
import type { Router } from '../../http/router.js';
import { register } from '../../tasks-wire.js';
import { visibleBatch } from './visible-batch.js';

const COMMA = Buffer.from(',');

const [LINE_FEED, OPEN_BRACKET] = [0x0a, 0x5b];

const completeErrors = completing(TASK_ERRORS_QUERY);

/** Tasks and batches. */
export function registerTasks(router: Router, context: ServerContext): void {
  registerTaskDocuments(router, context);
  const listQuery = taskListQuery(addedTypes(context));
  const completeList = completing(listQuery);
  type Shown = (uid: number, access: Access) => object | undefined;
  const list = (path: string, found: 'listUids' | 'listBatchUids', shown: Shown): void =>
    router.on('GET', path, async (request, reply) => {
      const access = authorize(context, request, 'tasks.get');
      const query = readQuery(queryOf(request), listQuery);
      await knowsTasks(context, query.uids);
      const page = context.tasks[found](toFilters(query, access), toPage(completeList(query)));
      return sendBytes(reply, await pageBytes(context, page, (uid) => shown(uid, access)));
    });
  list('/tasks', 'listUids', (uid, access) => {
    const task = context.tasks.get(uid);
    return task && shownTask(context, task, access);
  });
  list('/batches', 'listBatchUids', (uid, access) => {
    const batch = context.tasks.getBatch(uid);
    return batch && batchToJson(context, batch, access);
  });
  router.on('GET', '/tasks/:uid', async (request, reply) => {
    const access = authorize(context, request, 'tasks.get');
    const task = await visibleTask(context, access, pathUid(pathOf<'uid'>(request).uid, 'invalid_task_uids'));
    return sendJson(reply, shownTask(context, task, access));
  });
  router.on('POST', '/tasks/compact', async (request, reply) => {
    authorize(context, request, 'tasks.compact');
    requireFeature(context.features, 'taskQueueCompactionRoute', '/tasks/compact');
    const { isDone, answer } = await context.queueCompaction.run();
    return sendJson(reply, answer, isDone ? 200 : 500);
  });
  router.on('GET', '/batches/:uid', async (request, reply) => {
    const access = authorize(context, request, 'tasks.get');
    const wanted = pathUid(pathOf<'uid'>(request).uid, 'invalid_batch_uids');
    const batch = await known(context, () => context.tasks.getBatch(wanted));
    const isHidden = batch !== undefined && visibleBatch(batch, access, context.tasks).stats.totalNbTasks === 0;
    if (batch === undefined || isHidden) throw apiError('batch_not_found', wanted);
    return sendJson(reply, batchToJson(context, batch, access));
  });
  const select = (
    method: 'POST' | 'DELETE',
    path: string,
    action: string,
    type: 'taskCancelation' | 'taskDeletion',
  ): void =>
    router.on(method, path, async (request, reply) => {
      const access = authorize(context, request, action);
      const query = queryOf(request);
      const filters = selection(context, query, access);
      await context.gateway.caughtUp();
      return register(context, reply, context.tasks.selection(type, filters, `?${query}`), 200);
    });
  select('POST', '/tasks/cancel', 'tasks.cancel', 'taskCancelation');
  select('DELETE', '/tasks', 'tasks.delete', 'taskDeletion');
}

/** The documents of a waiting task, and those that a task has skipped. */
function registerTaskDocuments(router: Router, context: ServerContext): void {
  router.on('GET', '/tasks/:uid/errors', async (request, reply) => {
    const access = authorize(context, request, 'tasks.get');
    const { offset, limit } = completeErrors(readQuery(queryOf(request), TASK_ERRORS_QUERY));
    const task = await visibleTask(context, access, pathUid(pathOf<'uid'>(request).uid, 'invalid_task_uids'));
    return sendJson(reply, errorsPage(context.tasks.errorPages(task.uid), offset, limit));
  });
  router.on('GET', '/tasks/:uid/documents', async (request, reply) => {
    const access = authorize(context, request, 'tasks.get');
    requireFeature(context.features, 'getTaskDocumentsRoute', '/tasks/{uid}/documents');
    const task = await visibleTask(context, access, pathUid(pathOf<'uid'>(request).uid, 'invalid_task_uids'));
    const isOpen = task.status === 'enqueued' || task.status === 'processing';
    const { content } = task;
    if (!isOpen || content.type !== 'documentAdditionOrUpdate') throw apiError('task_file_not_found', task.uid);
    // once it is open, it is read to its end, also when the task ends meanwhile
    const file = await open(content.payloadFile).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? apiError('task_file_not_found', task.uid) : error;
    });
    const stream = file.createReadStream();
    const documents = skipsFaulty(content) ? documentsOf(stream) : stream;
    return reply.header('content-type', 'application/x-ndjson').send(documents);
  });
}

/** What `read` finds in the log, once this node has everything that another one may have told of. */
async function known<T>({ gateway }: ServerContext, read: () => T | undefined): Promise<T | undefined> {
  const found = read();
  if (found !== undefined) return found;
  await gateway.caughtUp();
  return read();
}

/**
 * A list has every task that any node has acknowledged. While a shared log is away it has those that are known
 * here, unless it names others.
 */
async function knowsTasks(
  { gateway, tasks }: ServerContext,
  uids: Received<typeof TASK_LIST_QUERY>['uids'],
): Promise<void> {
  try {
    await gateway.caughtUp();
  } catch (error) {
    if (Array.isArray(uids) && uids.some((wanted) => wanted >= tasks.taskCountMax())) throw error;
  }
}

/** The task of a path; throws task_not_found also for tasks that the key may not see. */
async function visibleTask(context: ServerContext, access: Access, wanted: number): Promise<Task> {
  const task = await known(context, () => context.tasks.get(wanted));
  if (task === undefined || !matchesTask(task, visibility(access))) throw apiError('task_not_found', wanted);
  return task;
}

/** A task as answers show it to a key. */
export function shownTask({ tasks }: ServerContext, task: Task, access: Access): object {
  return withinSight(taskToJson(task, tasks.kinds), access);
}

/** The types of tasks of extensions. */
export function addedTypes({ tasks }: Pick<ServerContext, 'tasks'>): string[] {
  return tasks.kinds.map(({ type }) => type);
}

/**
 * Swaps and exports belong to no index: what they say by its name about an index that is hidden from the key is left out,
 * in details, progress and its trace.
 */
function withinSight(json: JsonObject, access: Access): JsonObject {
  if (access.hiddenIndexes === null || access.hiddenIndexes.length === 0) return json;
  const isShown = (text: string): boolean => !namesHidden(access, text);
  const shown = (value: Json | undefined): Json | undefined => {
    if (Array.isArray(value)) return value.filter((item) => !namesOf(item).some((text) => !isShown(text)));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value as JsonObject).filter(([name]) => isShown(name)));
  };
  const within = (object: Json | undefined, ...names: readonly string[]): Json | undefined => {
    if (!isJsonObject(object)) return object;
    const members = names
      .filter((name) => own(object, name) !== undefined)
      .map((name) => [name, shown(own(object, name) as Json)]);
    return members.length === 0
      ? (object as JsonObject)
      : { ...(object as JsonObject), ...Object.fromEntries(members) };
  };
  return {
    ...json,
    details: within(json.details, 'swaps', 'indexes')!,
    ...(json.progress === undefined ? {} : { progress: within(json.progress, 'steps')! }),
    ...(json.stats === undefined ? {} : { stats: within(json.stats, 'progressTrace')! }),
  };
}

/** The texts by which an item of a list names indexes: those of a swap, or the step of a progress. */
function namesOf(item: Json): readonly string[] {
  const { indexes = [], currentStep = '' } = item as { readonly indexes?: readonly string[]; currentStep?: string };
  return [...indexes, currentStep];
}

/** A batch as answers show it to a key. */
export function batchToJson(context: ServerContext, batch: Batch, access: Access): object {
  const shown = visibleBatch(batch, access, context.tasks);
  const json = toBatchJson(shown, batch.finishedAt === null ? context.writer.progress(batch.uid) : null);
  return withinSight({ ...json, details: maskDetails(json.details as JsonObject) }, access);
}

/** The filters of a cancelation or deletion, at least one of which is required; `*` counts. */
function selection(context: ServerContext, query: string, access: Access): TaskFilters {
  const given = readQuery(query, taskFilterQuery(addedTypes(context)));
  if (Object.keys(given).length === 0)
    throw apiError(
      'missing_task_filters',
      Object.keys(TASK_FILTER_QUERY)
        .map((name) => `\`${name}\``)
        .join(', '),
    );
  return toFilters(given, access);
}

function toPage({ limit, from, reverse }: Complete<typeof TASK_LIST_QUERY>): {
  limit: number;
  from?: number;
  reverse: boolean;
} {
  return { limit, ...(from === null ? {} : { from }), reverse };
}

/** `*` and absent parameters do not restrict. */
export function toFilters(query: Received<typeof TASK_FILTER_QUERY>, access: Access): TaskFilters {
  const given = Object.entries(query).filter(
    ([name, value]) => name in TASK_FILTER_QUERY && value !== null && value !== undefined,
  );
  return { ...(Object.fromEntries(given) as TaskFilters), ...visibility(access) };
}
function visibility({ hiddenIndexes, allowsIndex }: Access): TaskFilters {
  if (hiddenIndexes === null) return { isIndexVisible: allowsIndex };
  return hiddenIndexes.length === 0 ? {} : { hiddenIndexUids: hiddenIndexes };
}

function pathUid(text: string, code: ErrorCode): number {
  if (!/^\d+$/.test(text) || Number(text) > 0xffff_ffff) throw sharedError(code, 'notUid', text);
  return Number(text);
}

/** A page of the errors of a task, as the API answers it. `pages`: as the log has them. O(limit), at most three of its pages are read. */
function errorsPage(pages: readonly Uint8Array[], offset: number, limit: number) {
  const last = pages.at(-1);
  const total = last === undefined ? 0 : (pages.length - 1) * ERRORS_PER_PAGE + errorsOfPage(last).length;
  const results: DocumentError[] = [];
  const end = Math.min(total, offset + limit);
  for (let at = offset; at < end; ) {
    const page = Math.floor(at / ERRORS_PER_PAGE);
    const first = page * ERRORS_PER_PAGE;
    results.push(...errorsOfPage(pages[page]!).slice(at - first, end - first));
    at = first + ERRORS_PER_PAGE;
  }
  return { results, offset, limit, total };
}

/** The lines of a payload that are documents: its marks of skipped ones begin with a bracket. */
function documentsOf(payload: Readable): Readable {
  // an error of the payload is that of the result
  return pipeline(payload, withoutMarks(), () => undefined) as Transform;
}

function withoutMarks(): Transform {
  let isAtStart = true;
  let isMark = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let from = 0; from < chunk.length; ) {
        if (isAtStart) isMark = chunk[from] === OPEN_BRACKET;
        const end = chunk.indexOf(LINE_FEED, from);
        const to = end < 0 ? chunk.length : end + 1;
        if (!isMark) this.push(chunk.subarray(from, to));
        isAtStart = end >= 0;
        from = to;
      }
      done();
    },
  });
}

/**
 * A page of tasks or batches as JSON bytes. One item may be megabytes, so they are read and written one by one, other
 * requests run in between, and the answer has a limit. Items deleted meanwhile are left out. @throws ApiError
 * invalid_task_limit for more than MAX_ANSWER_BYTES, too_many_answers
 */
export async function pageBytes(
  { searches, answerAccount }: Pick<SearchContext, 'searches' | 'answerAccount'>,
  page: Page<number>,
  shown: (uid: number) => object | undefined,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<Buffer> {
  const turns = new TimeSlices(searches);
  const pieces: Buffer[] = [];
  const reservation = answerAccount.reserve();
  let byteCount = 0;
  try {
    for (const uid of page.results) {
      await turns.yieldIfDue();
      const item = shown(uid);
      if (item === undefined) continue;
      const piece = Buffer.from(toJsonText(item));
      byteCount += piece.length + 1;
      if (byteCount > maxBytes) throw apiError('invalid_task_limit', maxBytes / 2 ** 20);
      reservation.set(byteCount);
      if (pieces.length > 0) pieces.push(COMMA);
      pieces.push(piece);
    }
    const { results: _, ...rest } = page;
    return Buffer.concat([Buffer.from('{"results":['), ...pieces, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)]);
  } finally {
    reservation.release();
  }
}
