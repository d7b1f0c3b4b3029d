import { parseByteSize, TASK_STATUS_NAMES, type TaskStatus } from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import { isJsonObject } from '@fossick/documents';
import type { Batch, BatchStats, Task, TaskContent } from '@fossick/tasks';
import { fromRoaringBytes } from '@fossick/tasks';
import type { ExportContent } from '../task-kinds.js';
import { microsOf } from './format/dates.js';

/** Payload size of exports that did not give one. */
const PAYLOAD_BYTES_DEFAULT = 20 * 2 ** 20;

/** The payload file of a waiting task, and its size. */
export interface Payload {
  readonly file: string;
  readonly bytes: number;
}
const UID_MAX = 2 ** 32 - 1;
type Loose = Readonly<Record<string, unknown>>;

/** Details that the execution adds; the others follow from the content. */
const RESULT_NAMES = new Set([
  'indexedDocuments',
  'deletedDocuments',
  'editedDocuments',
  'failedDocuments',
  'documentErrors',
  'canceledTasks',
  'deletedTasks',
  'dumpUid',
  'preCompactionSize',
  'postCompactionSize',
  'movedDocuments',
]);

/** A task of a dump; undefined for an unknown type. Throws TypeError when the line is malformed. */
export function taskOfLine(line: Loose, payload: Payload | undefined): Task | undefined {
  const uid = uidOf(line.uid, 'a task');
  const content = contentOf(line, payload);
  if (content === undefined) return undefined;
  const status = TASK_STATUS_NAMES.find((name) => name === line.status) ?? 'enqueued';
  const isOver = status !== 'enqueued' && status !== 'processing';
  const error = line.error as { code: string; message: string } | null | undefined;
  return {
    uid,
    batchUid: isOver && line.batchUid != null ? uidOf(line.batchUid, 'the batch of a task') : null,
    content,
    status: isOver ? status : ('enqueued' satisfies TaskStatus),
    canceledBy: line.canceledBy == null ? null : uidOf(line.canceledBy, 'what canceled a task'),
    resultDetails: isOver ? resultDetailsOf(line.details) : null,
    error: error == null ? null : { code: String(error.code), message: String(error.message) },
    enqueuedAt: microsOf(line.enqueuedAt) ?? 0,
    startedAt: isOver ? microsOf(line.startedAt) : null,
    finishedAt: isOver ? microsOf(line.finishedAt) : null,
    ...(line.network == null ? {} : { network: line.network as JsonObject }),
    ...(typeof line.customMetadata === 'string' ? { customMetadata: line.customMetadata } : {}),
  };
}

/** A batch of a dump. */
export function batchOfLine(line: Loose): Batch {
  const uid = uidOf(line.uid, 'a batch');
  if (!isJsonObject(line.stats)) throw new TypeError(`the batch ${uid} has no statistics`);
  const { totalNbTasks, status, types, indexUids, progressTrace } = line.stats as Loose & BatchStats;
  return {
    uid,
    details: (isJsonObject(line.details) ? line.details : {}) as JsonObject,
    stats: {
      totalNbTasks,
      status,
      types,
      indexUids,
      ...(progressTrace === undefined ? {} : { progressTrace }),
    },
    startedAt: microsOf(line.startedAt) ?? 0,
    finishedAt: microsOf(line.finishedAt) ?? microsOf(line.startedAt) ?? 0,
    strategy: typeof line.stopReason === 'string' ? line.stopReason : 'unspecified',
  };
}

/** A valid uid of the log: an unsigned integer of 32 bits, of which the largest is never assigned. */
function uidOf(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < UID_MAX) return value;
  throw new TypeError(`${what} has no uid but ${JSON.stringify(value) ?? 'none'}`);
}

function resultDetailsOf(details: unknown): JsonObject | null {
  if (typeof details !== 'object' || details === null) return null;
  const [inner] = Object.values(details) as unknown[];
  if (typeof inner !== 'object' || inner === null) return null;
  const camel = (name: string): string => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  const entries = Object.entries(inner).map(([name, value]): [string, unknown] => [camel(name), value]);
  const results = entries.filter(([name, value]) => RESULT_NAMES.has(name) && value !== null);
  return results.length === 0 ? null : (Object.fromEntries(results) as JsonObject);
}

function contentOf(line: Loose, payload: Payload | undefined): TaskContent | undefined {
  const type = line.type;
  const [kind, value] =
    typeof type === 'string' ? [type, {}] : (Object.entries((type ?? {}) as Record<string, Loose>)[0] ?? ['', {}]);
  const members: Loose = value ?? {};
  return typeof line.indexUid === 'string'
    ? indexContentOf(kind, { members, line, indexUid: line.indexUid, payload })
    : globalContentOf(kind, members);
}

interface IndexTaskLine {
  readonly members: Loose;
  readonly line: Loose;
  readonly indexUid: string;
  readonly payload: Payload | undefined;
}

function indexContentOf(kind: string, { members, line, indexUid, payload }: IndexTaskLine): TaskContent | undefined {
  const primaryKey = (members.primary_key as string | null | undefined) ?? null;
  const allowIndexCreation = members.allow_index_creation === true;
  switch (kind) {
    case 'documentImport':
      return {
        type: 'documentAdditionOrUpdate',
        indexUid,
        method: members.method === 'UpdateDocuments' ? 'update' : 'replace',
        primaryKey,
        payloadFile: payload?.file ?? '',
        payloadBytes: payload?.bytes ?? 0,
        documentCount: Number(members.documents_count ?? 0),
        allowIndexCreation,
        skipCreation: false,
        ...skipping(members),
      };
    case 'documentEdition': {
      const { function: source, filter, context } = members as Record<string, JsonObject | null | undefined>;
      return {
        type: 'documentEdition',
        indexUid,
        function: String(source),
        filter: filter ?? null,
        context: context ?? null,
        ...skipping(members),
      };
    }
    case 'documentDeletion':
      return deletion(indexUid, idsOfLine(members, line.details));
    case 'documentDeletionByFilter':
      return deletion(indexUid, { by: 'filter', filter: members.filter as JsonObject });
    case 'documentClear':
      return deletion(indexUid, { by: 'all' });
    case 'settings':
      return { type: 'settingsUpdate', indexUid, settings: members.settings as JsonObject, allowIndexCreation };
    case 'indexCreation':
      return { type: 'indexCreation', indexUid, primaryKey };
    case 'indexDeletion':
      return { type: 'indexDeletion', indexUid };
    case 'indexUpdate': {
      const newUid = members.uid ?? members.new_index_uid;
      const rename = typeof newUid === 'string' ? { newUid } : {};
      return { type: 'indexUpdate', indexUid, ...(primaryKey === null ? {} : { primaryKey }), ...rename };
    }
    case 'indexCompaction':
      return { type: 'indexCompaction', indexUid };
    default:
      return undefined;
  }
}
function skipping(members: Loose): { readonly onDocumentError?: 'skip' } {
  return members.on_document_error === 'skip' ? { onDocumentError: 'skip' } : {};
}
/** Of a finished task whose ids were in a file only their number is stored. */
function idsOfLine(members: Loose, details: unknown): Deletion['target'] {
  const ids = (members.documents_ids as string[] | undefined) ?? [];
  const { provided_ids: idCount } = ((details as Loose | null | undefined)?.DocumentDeletion ?? {}) as Loose;
  if (ids.length > 0 || typeof idCount !== 'number' || idCount === 0) return { by: 'ids', ids };
  return { by: 'idFile', payloadFile: '', payloadBytes: 0, idCount };
}

type Deletion = Extract<TaskContent, { type: 'documentDeletion' }>;
function deletion(indexUid: string, target: Deletion['target']): Deletion {
  return { type: 'documentDeletion', indexUid, target };
}

function globalContentOf(kind: string, members: Loose): TaskContent | undefined {
  switch (kind) {
    case 'indexSwap': {
      const swaps = members.swaps as { indexes: [string, string]; rename?: boolean }[];
      return { type: 'indexSwap', swaps: swaps.map(({ indexes, rename }) => ({ indexes, rename: rename ?? false })) };
    }
    case 'taskCancelation':
    case 'taskDeletion': {
      const taskUids = fromRoaringBytes(members.tasks as number[]);
      return { type: kind, taskUids, originalFilter: String(members.query) };
    }
    case 'dumpCreation':
      return { type: 'dumpCreation' };
    case 'snapshotCreation':
      return { type: 'snapshotCreation' };
    case 'dsrClear':
      return { type: kind };
    case 'export': {
      const { url, api_key: apiKey, payload_size: payloadSize, indexes, scope } = members;
      const exported: ExportContent = {
        type: 'export',
        url: String(url),
        apiKey: (apiKey as string | null | undefined) ?? null,
        shownApiKey: typeof apiKey === 'string' ? `${apiKey.slice(0, 2)}XXX...` : null,
        payloadSize: payloadSize == null ? null : String(payloadSize),
        payloadBytes: parseByteSize(String(payloadSize)) ?? PAYLOAD_BYTES_DEFAULT,
        indexes: (indexes ?? {}) as { [pattern: string]: JsonObject },
        ...(scope == null ? {} : { scope: scope as JsonObject }),
      };
      return exported;
    }
    case 'upgradeDatabase': {
      const version = `v${(members.from as number[]).join('.')}`;
      return { type: 'upgradeDatabase', from: version, to: version };
    }
    case 'networkTopologyChange':
      return { type: 'networkTopologyChange', message: String(members.message ?? '') };
    case 'dsrUpdate':
      return { ...members, type: kind } as TaskContent;
    default:
      return undefined;
  }
}
