import { formatByteSize, type SettingsPatch } from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import { ApiError, apiError, describeError } from '@fossick/base';
import type { EngineWriter } from '@fossick/index';
import type { BatchOperation, OperationOutcome, WriteContext } from '@fossick/index/writer';
import type { RunningBatch } from '../log/running-batches.js';
import type { ExecuteContext, TaskExecutor } from '../run/scheduler-options.js';
import {
  type DocumentAddition,
  type DocumentDeletion,
  type DocumentEdition,
  type SettingsUpdate,
  skipsFaulty,
  type TaskContent,
} from '../task/content.js';
import type { EmbedderRequests, Task, TaskOutcome } from '../task/task.js';
import { toRfc3339 } from '../task/wire.js';
import { measureBatch } from './batch-stats.js';

/** The search rules of the instance, which tasks change. */
export interface RuleChanges {
  /** Removes all rules, and resolves with their number. */
  clear(): Promise<number>;
  /** Applies updates in their order, all at once. Idempotent. */
  apply(updates: readonly RuleUpdate[]): Promise<void>;
}
/** One update: a change without absent members, or null for a deletion. */
interface RuleUpdate {
  readonly ruleUid: string;
  readonly change: JsonObject | null;
  readonly enqueuedAt: string;
}

export interface ExecutorOptions {
  readonly rules: RuleChanges;
  readonly writer: EngineWriter;
  readonly indexExists: (uid: string) => boolean;
  readonly maxIndexingBytes: number;
  /** Whether tasks wait after the running batch. */
  readonly isMoreWaiting: () => boolean;
  /** Does tasks of a kind that an extension adds, which make a batch. */
  readonly runAdded: TaskRunner;
}
/** Returns how each of the tasks ended, in order; an exception fails all of them. */
export type TaskRunner = (tasks: readonly Task[], context: ExecuteContext) => Promise<readonly TaskOutcome[]>;
type DocumentTask = DocumentAddition | DocumentDeletion | DocumentEdition;

const SUCCEEDED: TaskOutcome = { status: 'succeeded' };
const succeeded = (details: JsonObject): TaskOutcome => ({ status: 'succeeded', details });
const failed = (error: { readonly code: string; readonly message: string }): TaskOutcome => ({
  status: 'failed',
  error: { code: error.code, message: error.message },
});
const notFound = (uid: string): TaskOutcome => failed(apiError('index_not_found', 'one', uid));

/** Turns batches of tasks into calls of the engine: it joins the scheduler and the engine. */
export function createExecutor(options: ExecutorOptions): TaskExecutor {
  return new BatchExecutor(options);
}

class BatchExecutor implements TaskExecutor {
  private readonly options: ExecutorOptions;

  constructor(options: ExecutorOptions) {
    this.options = options;
  }

  async execute({ tasks }: RunningBatch, context: ExecuteContext): Promise<readonly TaskOutcome[]> {
    const measured = measureBatch(
      this.options.writer,
      tasks.map(({ content }) => content),
    );
    try {
      return await this.outcomesOf(tasks, context);
    } finally {
      context.addStats(measured());
    }
  }

  private async outcomesOf(tasks: readonly Task[], context: ExecuteContext): Promise<readonly TaskOutcome[]> {
    const last = tasks.at(-1)!.content;
    if (last.type === 'indexDeletion') {
      context.onProgress('deleting the index', 0, 1);
      return this.deleteIndex(last.indexUid, tasks);
    }
    const first = tasks[0]!.content;
    switch (first.type) {
      case 'indexCompaction':
        return [await this.compactIndex(first.indexUid)];
      case 'upgradeDatabase':
        // the stores were upgraded before they were opened
        return tasks.map(() => SUCCEEDED);
      case 'indexCreation':
      case 'indexUpdate':
      case 'indexSwap':
        return [this.changeIndexes(first, idempotencyKeyOf(tasks[0]!), context)];
      case 'documentAdditionOrUpdate':
      case 'documentDeletion':
      case 'documentEdition':
      case 'settingsUpdate':
        return this.changeContents(first.indexUid, tasks, context);
      case 'dsrUpdate':
      case 'dsrClear':
        return this.changeRules(tasks);
      default:
        return this.options.runAdded(tasks, context);
    }
  }

  private async compactIndex(uid: string): Promise<TaskOutcome> {
    if (!this.options.indexExists(uid)) return notFound(uid);
    const { beforeBytes, afterBytes } = await this.options.writer.compactIndex(uid);
    return succeeded({
      preCompactionSize: formatByteSize(beforeBytes),
      postCompactionSize: formatByteSize(afterBytes),
    });
  }

  /** Changes that a clearing undoes are skipped, but their tasks succeed; later updates start from an empty list. */
  private async changeRules(tasks: readonly Task[]): Promise<TaskOutcome[]> {
    const { rules } = this.options;
    const lastClear = tasks.findLastIndex(({ content }) => content.type === 'dsrClear');
    const firstClear = tasks.findIndex(({ content }) => content.type === 'dsrClear');
    const cleared = lastClear < 0 ? 0 : await rules.clear();
    await rules.apply(
      tasks.slice(lastClear + 1).flatMap(({ content, enqueuedAt }) => {
        if (content.type !== 'dsrUpdate') return [];
        return [{ ruleUid: content.ruleUid, change: content.rule, enqueuedAt: toRfc3339(enqueuedAt) }];
      }),
    );
    return tasks.map(({ content }, i) => {
      if (content.type === 'dsrUpdate') return SUCCEEDED;
      return succeeded({ deletedDocuments: i === firstClear ? cleared : 0 });
    });
  }

  private changeIndexes(
    content: Extract<TaskContent, { type: 'indexCreation' | 'indexUpdate' | 'indexSwap' }>,
    idempotencyKey: string,
    context: ExecuteContext,
  ): TaskOutcome {
    const { writer } = this.options;
    try {
      if (content.type === 'indexCreation') {
        context.onProgress('creating the index', 0, 1);
        writer.createIndex(content.indexUid, content.primaryKey, undefined, idempotencyKey);
      } else if (content.type === 'indexSwap') {
        context.onProgress('swapping the indexes', 0, 1);
        const swaps = content.swaps.map(({ indexes: [left, right], rename }) => ({ left, right, rename }));
        writer.swapIndexes(swaps, idempotencyKey);
      } else {
        context.onProgress('updating the index', 0, 1);
        const { primaryKey, newUid } = content;
        const change = primaryKey === undefined ? {} : { primaryKey };
        writer.updateIndex(content.indexUid, newUid === undefined ? change : { ...change, newUid }, idempotencyKey);
      }
      return SUCCEEDED;
    } catch (error) {
      if (error instanceof ApiError) return failed(error);
      throw error;
    }
  }

  /** Tasks batched before an index deletion succeed without being executed. */
  private async deleteIndex(uid: string, tasks: readonly Task[]): Promise<TaskOutcome[]> {
    const { writer, indexExists } = this.options;
    const mayBeCreated = tasks.some(({ content }) => 'allowIndexCreation' in content && content.allowIndexCreation);
    const before = tasks.slice(0, -1).map(({ content }) => {
      if (content.type === 'documentAdditionOrUpdate')
        return succeeded({ indexedDocuments: 0, ...(skipsFaulty(content) ? { failedDocuments: 0 } : {}) });
      return content.type === 'settingsUpdate' ? SUCCEEDED : succeeded({ deletedDocuments: 0 });
    });
    const idempotencyKey = idempotencyKeyOf(tasks.at(-1)!);
    if (indexExists(uid) || writer.hasDone(idempotencyKey))
      return [...before, succeeded({ deletedDocuments: await writer.deleteIndex(uid, idempotencyKey) })];
    if (mayBeCreated) return [...before, succeeded({ deletedDocuments: 0 })];
    return tasks.map(() => notFound(uid));
  }

  private async changeContents(uid: string, tasks: readonly Task[], context: ExecuteContext): Promise<TaskOutcome[]> {
    const { writer, indexExists, maxIndexingBytes, isMoreWaiting } = this.options;
    const writing: WriteContext = {
      isCanceled: () => context.isCanceled(),
      onProgress: (step, done, total) => context.onProgress(step, done, total),
      maxIndexingBytes,
      isMoreWaiting,
      onEmbedderRequest: countRequests(context),
    };
    const isOfSettings = tasks[0]!.content.type === 'settingsUpdate';
    context.onProgress(isOfSettings ? 'retrieving and merging the settings' : 'retrieving config', 0, 1);
    const exists = indexExists(uid);
    const mayCreate = tasks.some(({ content }) => 'allowIndexCreation' in content && content.allowIndexCreation);
    if (!exists && !mayCreate) return tasks.map(() => notFound(uid));
    const outcomes = new Map<Task, TaskOutcome>();
    const documentTasks = tasks.filter((task) => isDocumentTask(task.content));
    const settingsTasks = tasks.filter(({ content }) => content.type === 'settingsUpdate');
    // A clearing stands for the additions before it, one of which would have created the index.
    if (!exists && documentTasks.some(({ content }) => isClear(content))) writer.createIndex(uid, null);
    if (documentTasks.length > 0) {
      const results = await applyDocuments(writer, uid, documentTasks, writing);
      for (const [i, task] of documentTasks.entries()) outcomes.set(task, results[i]!);
    }
    if (settingsTasks.length > 0) {
      const patches = settingsTasks.map(({ content }) => (content as SettingsUpdate).settings as SettingsPatch);
      let outcome = SUCCEEDED;
      try {
        await writer.applySettings(uid, patches, writing);
      } catch (error) {
        // the clearing before them is committed
        if (documentTasks.length === 0 || !isRefusal(error)) throw error;
        outcome = failed(error);
      }
      for (const task of settingsTasks) outcomes.set(task, outcome);
    }
    return tasks.map((task) => outcomes.get(task)!);
  }
}

/** Adds the requests to embedding providers to the stats of the batch. */
function countRequests(context: ExecuteContext): NonNullable<WriteContext['onEmbedderRequest']> {
  let requests: EmbedderRequests = { total: 0, failed: 0 };
  return ({ isSuccess, fault }) => {
    const { total, failed, lastError = fault } = requests;
    const last = isSuccess ? lastError : (fault ?? lastError);
    requests = {
      total: total + 1,
      failed: failed + (isSuccess ? 0 : 1),
      ...(last === undefined ? {} : { lastError: last }),
    };
    context.addStats({ embedderRequests: requests });
  };
}

/**
 * The idempotency key of a task. Within one task log the uid would suffice; the date distinguishes it from a task of
 * another log, for example if the queue of a database was lost.
 */
function idempotencyKeyOf(task: Task): string {
  return `${task.uid}@${task.enqueuedAt}`;
}
/** Whether the error is about what a task asks for. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && describeError(error.code).type === 'invalid_request';
}
function isDocumentTask(content: TaskContent): content is DocumentTask {
  return content.type.startsWith('document');
}
function isClear(content: TaskContent): boolean {
  return content.type === 'documentDeletion' && content.target.by === 'all';
}

async function applyDocuments(
  writer: EngineWriter,
  uid: string,
  tasks: readonly Task[],
  context: WriteContext,
): Promise<TaskOutcome[]> {
  const firstClear = tasks.findIndex(({ content }) => isClear(content));
  if (firstClear >= 0) {
    // a clearing absorbs its neighbours, whose details stay unfinished
    const [outcome] = await writer.applyDocuments(uid, [operationOf(tasks[firstClear]!)], context);
    return tasks.map(({ content }, i) => {
      if (!isClear(content)) return SUCCEEDED;
      return i === firstClear ? toOutcome(content, outcome!) : succeeded({ deletedDocuments: 0 });
    });
  }
  const outcomes = await writer.applyDocuments(uid, tasks.map(operationOf), context);
  return tasks.map(({ content }, i) => toOutcome(content, outcomes[i]!));
}

function operationOf(task: Task): BatchOperation {
  return { ...(task.content as DocumentTask), idempotencyKey: idempotencyKeyOf(task) };
}

function toOutcome(content: TaskContent, outcome: OperationOutcome): TaskOutcome {
  if (outcome.error !== undefined) return failed(outcome.error);
  if (content.type === 'documentAdditionOrUpdate')
    return withErrors({ indexedDocuments: outcome.indexedDocuments ?? 0 }, outcome);
  if (content.type !== 'documentEdition') return succeeded({ deletedDocuments: outcome.deletedDocuments ?? 0 });
  return withErrors(
    { deletedDocuments: outcome.deletedDocuments ?? 0, editedDocuments: outcome.editedDocuments ?? 0 },
    outcome,
  );
}

/** The outcome of a task that may have skipped documents. */
function withErrors(details: JsonObject, { documentErrors }: OperationOutcome): TaskOutcome {
  if (documentErrors === undefined) return succeeded(details);
  const { count, first, pages } = documentErrors;
  return {
    status: 'succeeded',
    details: { ...details, failedDocuments: count, documentErrors: first.map((error) => ({ ...error })) },
    errorPages: pages.map((page) => Buffer.from(page, 'base64')),
  };
}
