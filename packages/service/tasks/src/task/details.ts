import { shownTaskType, withoutOwnResets } from '@fossick/api';
import type { Json, JsonObject } from '@fossick/base';
import { own, setOwn } from '@fossick/base';
import { skipsFaulty, type TaskContent } from './content.js';
import { textOf } from './long-contents.js';
import type { Batch, BatchStats, Task } from './task.js';
import { addedDetails, type TaskKind } from './task-kind.js';

/** Details of a task in the API's form, before and after it ran; null when its type has none. `kinds`: those of extensions. */
export function taskDetails(task: Task, kinds: readonly TaskKind[] = []): JsonObject | null {
  const initial = initialDetails(task.content, kinds);
  if (initial === null) return null;
  const didNotHappen = task.status === 'failed' || task.status === 'canceled';
  return { ...initial, ...(didNotHappen ? zeroCounters(task.content) : task.resultDetails) };
}

function initialDetails(content: TaskContent, kinds: readonly TaskKind[]): JsonObject | null {
  switch (content.type) {
    case 'documentAdditionOrUpdate':
      return { receivedDocuments: content.documentCount, indexedDocuments: null, ...uncounted(content) };
    case 'documentEdition':
      return {
        deletedDocuments: null,
        editedDocuments: null,
        originalFilter: content.filter === null ? null : JSON.stringify(content.filter),
        context: content.contextText === undefined ? content.context : textOf(content.contextText),
        function: content.function,
        ...uncounted(content),
      };
    case 'documentDeletion':
      return deletionDetails(content.target);
    case 'settingsUpdate':
      return withoutOwnResets(content.settings);
    case 'indexCreation':
      return { primaryKey: content.primaryKey };
    case 'indexDeletion':
      return { deletedDocuments: null };
    case 'indexUpdate': {
      const { newUid, primaryKey = null, indexUid, askedUid = indexUid } = content;
      return { primaryKey, ...(newUid === undefined ? {} : { oldIndexUid: askedUid, newIndexUid: newUid }) };
    }
    case 'indexSwap':
      return { swaps: content.swaps.map((swap) => ({ indexes: [...swap.indexes], rename: swap.rename })) };
    case 'taskCancelation':
      return { matchedTasks: content.taskUids.length, canceledTasks: null, originalFilter: content.originalFilter };
    case 'taskDeletion':
      return { matchedTasks: content.taskUids.length, deletedTasks: null, originalFilter: content.originalFilter };
    case 'upgradeDatabase':
      return { upgradeFrom: content.from, upgradeTo: content.to };
    case 'indexCompaction':
      return {};
    case 'networkTopologyChange':
      return { movedDocuments: null, message: content.message };
    case 'dsrUpdate':
      return content.rule === null ? { updatedRules: 1 } : { rule: content.rule, updatedRules: 1 };
    case 'dsrClear':
      return { deletedDocuments: null };
    default:
      return addedDetails(content, kinds);
  }
}

/** The counter of skipped documents, only where they are skipped: other details are those of the reference. */
function uncounted(content: TaskContent): JsonObject {
  return skipsFaulty(content) ? { failedDocuments: null } : {};
}

type DeletionTarget = Extract<TaskContent, { type: 'documentDeletion' }>['target'];

function deletionDetails(target: DeletionTarget): JsonObject {
  if (target.by === 'all') return { deletedDocuments: null };
  if (target.by === 'expiry')
    return {
      providedIds: 0,
      deletedDocuments: null,
      originalFilter: null,
      expiredAt: new Date(target.untilMs).toISOString(),
    };
  const filter = target.by === 'filter' ? JSON.stringify(target.filter) : null;
  const providedIds = target.by === 'ids' ? target.ids.length : target.by === 'idFile' ? target.idCount : 0;
  return { providedIds, deletedDocuments: null, originalFilter: filter };
}

/** Counters of work that was not done. Absent keys keep their initial value. */
function zeroCounters(content: TaskContent): JsonObject {
  switch (content.type) {
    case 'documentAdditionOrUpdate':
      return { indexedDocuments: 0, ...(skipsFaulty(content) ? { failedDocuments: 0 } : {}) };
    case 'documentEdition':
      return { editedDocuments: 0, ...(skipsFaulty(content) ? { failedDocuments: 0 } : {}) };
    case 'documentDeletion':
    case 'indexDeletion':
    case 'dsrClear':
      return { deletedDocuments: 0 };
    case 'taskCancelation':
      return { canceledTasks: 0 };
    case 'taskDeletion':
      return { deletedTasks: 0 };
    default:
      return {};
  }
}

const SUMMED = new Set([
  'receivedDocuments',
  'indexedDocuments',
  'editedDocuments',
  'failedDocuments',
  'deletedDocuments',
  'providedIds',
  'matchedTasks',
  'canceledTasks',
  'deletedTasks',
  'updatedRules',
  'movedDocuments',
]);

/** Details and stats of a batch over its tasks: counters summed, settings merged (last wins), swaps concatenated. */
export function summarize(tasks: readonly Task[], kinds: readonly TaskKind[]): Pick<Batch, 'details' | 'stats'> {
  const details: Record<string, Json> = {};
  const stats = { totalNbTasks: tasks.length, status: {}, types: {}, indexUids: {} };
  for (const task of tasks) {
    const isSettings = task.content.type === 'settingsUpdate';
    for (const [name, value] of Object.entries(taskDetails(task, kinds) ?? {}))
      addDetail(details, name, value, isSettings);
    count(stats.status, task.status);
    count(stats.types, shownTaskType(task.content.type));
    if ('indexUid' in task.content) count(stats.indexUids, task.content.indexUid);
  }
  return { details, stats: stats satisfies BatchStats };
}

function addDetail(details: Record<string, Json>, name: string, value: Json, isSettings: boolean): void {
  // the errors of one task say nothing of its batch
  if (name === 'documentErrors' && !isSettings) return;
  const before = own(details, name);
  if (isSettings) {
    const areMaps = name === 'embedders' && isObject(before) && isObject(value);
    setOwn(details, name, areMaps ? { ...before, ...value } : value);
  } else if (value === null) {
    return;
  } else if (before === undefined) {
    setOwn(details, name, value);
  } else if (SUMMED.has(name) && typeof before === 'number' && typeof value === 'number') {
    setOwn(details, name, before + value);
  } else if (name === 'swaps' && Array.isArray(before) && Array.isArray(value)) {
    details[name] = [...before, ...value];
  } else if (name === 'originalFilter') {
    details[name] = `${before}&${value}`;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function count(counts: Record<string, number>, name: string): void {
  setOwn(counts, name, (own(counts, name) ?? 0) + 1);
}
