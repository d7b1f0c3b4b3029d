import { existsSync } from 'node:fs';
import type { JsonObject } from '@fossick/base';
import { describeError, unreachable } from '@fossick/base';
import type { IdFile } from '@fossick/documents';
import { withoutOwnResets } from '@fossick/settings';
import {
  type Batch,
  idsInFile,
  type Micros,
  skipsFaulty,
  type Task,
  type TaskContent,
  type TaskKind,
  taskDetails,
  toRfc3339,
  toRoaringBytes,
} from '@fossick/tasks';
import type { ExportContent } from '../task-kinds.js';

/** The name of a kind of task in the details of a dump's line; kinds without one have no details there. */
const DETAILS_NAMES: { readonly [type in TaskContent['type']]?: string } = {
  documentAdditionOrUpdate: 'DocumentAdditionOrUpdate',
  documentEdition: 'DocumentEdition',
  indexCreation: 'IndexInfo',
  indexUpdate: 'IndexInfo',
  indexDeletion: 'ClearAll',
  indexSwap: 'IndexSwap',
  taskCancelation: 'TaskCancelation',
  taskDeletion: 'TaskDeletion',
  dumpCreation: 'Dump',
  export: 'Export',
  indexCompaction: 'IndexCompaction',
};

/** One line of `tasks/queue.jsonl`: a task in the reference engine's format V6. */
export function taskToLine(task: Task, kinds: readonly TaskKind[]): JsonObject {
  const { content, error } = task;
  const details = detailsOf(task, kinds);
  return {
    uid: task.uid,
    batchUid: task.batchUid,
    indexUid: 'indexUid' in content ? content.indexUid : null,
    status: task.status === 'processing' ? 'enqueued' : task.status,
    type: kindOf(content),
    ...(task.canceledBy === null ? {} : { canceledBy: task.canceledBy }),
    ...(details === undefined ? {} : { details }),
    ...(error === null ? {} : { error: errorOf(error) }),
    enqueuedAt: toRfc3339(task.enqueuedAt),
    startedAt: dateOrNull(task.startedAt),
    finishedAt: dateOrNull(task.finishedAt),
    ...(task.network === undefined ? {} : { network: task.network }),
    ...(task.customMetadata === undefined ? {} : { customMetadata: task.customMetadata }),
  };
}

/** When the first and the last task of a batch were registered. */
export interface EnqueuedSpan {
  readonly earliest: Micros;
  readonly latest: Micros;
}
/** One line of `batches/queue.jsonl`. */
export function batchToLine(batch: Batch, span: EnqueuedSpan | undefined): JsonObject {
  const enqueuedAt = span === undefined ? null : { earliest: toRfc3339(span.earliest), oldest: toRfc3339(span.latest) };
  return {
    uid: batch.uid,
    details: batch.details,
    stats: { ...batch.stats },
    startedAt: toRfc3339(batch.startedAt),
    finishedAt: dateOrNull(batch.finishedAt),
    enqueuedAt,
    stopReason: batch.strategy,
  };
}

function dateOrNull(at: Micros | null): string | null {
  return at === null ? null : toRfc3339(at);
}
function errorOf({ code, message }: { readonly code: string; readonly message: string }): JsonObject {
  const { type, link } = describeError(code);
  return { message, code, type, link };
}

function kindOf(content: TaskContent): JsonObject | string {
  switch (content.type) {
    case 'documentAdditionOrUpdate':
      return {
        documentImport: {
          primary_key: content.primaryKey,
          method: content.method === 'replace' ? 'ReplaceDocuments' : 'UpdateDocuments',
          documents_count: content.documentCount,
          allow_index_creation: content.allowIndexCreation,
          ...skipping(content),
        },
      };
    case 'documentEdition': {
      const { filter, context, function: source } = content;
      return { documentEdition: { filter, context, function: source, ...skipping(content) } };
    }
    case 'documentDeletion': {
      const { target } = content;
      if (target.by === 'all') return 'documentClear';
      // the instance that reads it registers another one where it is needed
      if (target.by === 'expiry') return { documentDeletion: { documents_ids: [] } };
      if (target.by === 'filter') return { documentDeletionByFilter: { filter: target.filter } };
      return { documentDeletion: { documents_ids: target.by === 'ids' ? [...target.ids] : idsOfFile(target) } };
    }
    case 'settingsUpdate':
      return {
        settings: {
          settings: withoutOwnResets(content.settings),
          is_deletion: false,
          allow_index_creation: content.allowIndexCreation,
        },
      };
    default:
      return otherKindOf(content);
  }
}

/** The reference does not know this member, and ignores it. */
function skipping(content: TaskContent): JsonObject {
  return skipsFaulty(content) ? { on_document_error: 'skip' } : {};
}

/** Ids in a file, which is removed when its task ends. */
function idsOfFile(target: IdFile): string[] {
  return existsSync(target.payloadFile) ? [...idsInFile(target)] : [];
}

type DocumentsOrSettings = 'documentAdditionOrUpdate' | 'documentEdition' | 'documentDeletion' | 'settingsUpdate';
type OtherContent = Exclude<TaskContent, { readonly type: DocumentsOrSettings }>;

function otherKindOf(content: OtherContent): JsonObject | string {
  switch (content.type) {
    case 'indexCreation':
      return { indexCreation: { primary_key: content.primaryKey } };
    case 'indexUpdate':
      return { indexUpdate: { primary_key: content.primaryKey ?? null, uid: content.newUid ?? null } };
    case 'indexSwap':
      return { indexSwap: { swaps: content.swaps.map(({ indexes, rename }) => ({ indexes: [...indexes], rename })) } };
    case 'taskCancelation':
    case 'taskDeletion':
      return { [content.type]: { query: content.originalFilter, tasks: toRoaringBytes(content.taskUids) } };
    case 'dumpCreation':
      return { dumpCreation: { keys: [], instance_uid: null } };
    case 'export': {
      const { url, apiKey, payloadSize, indexes, scope } = content as ExportContent;
      // the reference does not know the last member, and ignores it
      const within = scope === undefined ? {} : { scope };
      return { export: { url, api_key: apiKey, payload_size: payloadSize, indexes, ...within } };
    }
    case 'upgradeDatabase':
      return { upgradeDatabase: { from: versionNumbers(content.from) } };
    case 'indexCompaction':
      return { indexCompaction: { index_uid: content.indexUid } };
    case 'networkTopologyChange':
      return { networkTopologyChange: { message: content.message } };
    case 'dsrUpdate': {
      const { type, ...members } = content;
      return { [type]: members };
    }
    case 'indexDeletion':
    case 'snapshotCreation':
    case 'dsrClear':
      return content.type;
    default:
      return unreachable(content);
  }
}
function versionNumbers(text: string): number[] {
  return text.replace(/^v/, '').split('.').map(Number);
}

function detailsOf(task: Task, kinds: readonly TaskKind[]): JsonObject | undefined {
  const { content } = task;
  const details = taskDetails(task, kinds);
  if (details === null) return undefined;
  if (content.type === 'settingsUpdate') return { SettingsUpdate: { settings: withoutOwnResets(content.settings) } };
  if (content.type === 'documentDeletion') {
    if (content.target.by === 'all') return { ClearAll: snakeKeys(details) };
    const { providedIds, originalFilter, deletedDocuments } = details;
    return content.target.by !== 'filter'
      ? { DocumentDeletion: { provided_ids: providedIds!, deleted_documents: deletedDocuments! } }
      : { DocumentDeletionByFilter: { original_filter: originalFilter!, deleted_documents: deletedDocuments! } };
  }
  const name = DETAILS_NAMES[content.type];
  return name === undefined ? undefined : { [name]: snakeKeys(details) };
}
function snakeKeys(object: JsonObject): JsonObject {
  const rename = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
}
