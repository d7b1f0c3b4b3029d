import { microsOf } from '../format/dates.js';
import { upgradedError } from './older-error.js';
import { settingsOfChange } from './older-settings.js';
import { type Loose, looseOf, variantOf } from './older-version.js';
import { additionKind, clearKind, deletionKind, settingsKind, type TaskKind } from './task-kinds.js';

/** The format of the payload of a waiting addition, and the name of its file. */
export interface OlderPayload {
  readonly name: string;
  readonly format: 'ndjson' | 'json' | 'csv';
}
/** A task of an older dump: its line in V6 without the uid. */
export interface UpgradedTask {
  readonly line: Loose;
  readonly payload?: OlderPayload;
}

const STATUSES: ReadonlyMap<unknown, string> = new Map([
  ['processed', 'succeeded'],
  ['failed', 'failed'],
  ['aborted', 'canceled'],
]);
/** Formats of payloads by V2's names. */
const FORMATS: ReadonlyMap<unknown, OlderPayload['format']> = new Map([
  ['Json', 'json'],
  ['Csv', 'csv'],
  ['JsonStream', 'ndjson'],
]);

/** An update of V1, which stores no payloads: undefined when it has not run or is of a kind that changed nothing. */
export function taskOfUpdateV1(update: Loose, indexUid: string): UpgradedTask | undefined {
  const status = STATUSES.get(update.status);
  const kind = kindV1(looseOf(update.type));
  if (status === undefined || kind === undefined) return undefined;
  const { enqueuedAt, processedAt, duration, error, errorCode } = update;
  return {
    line: {
      ...lineOf(kind, indexUid, status, enqueuedAt),
      startedAt: before(processedAt, Number(duration ?? 0)),
      finishedAt: processedAt ?? null,
      ...(status === 'failed' ? { error: upgradedError(errorCode, error) } : {}),
    },
  };
}

function kindV1(type: Loose): TaskKind | undefined {
  const count = Number(type.number ?? 0);
  switch (type.name) {
    case 'DocumentsAddition':
      return additionKind({}, count, count);
    case 'DocumentsPartial':
      return additionKind({ method: 'UpdateDocuments' }, count, count);
    case 'DocumentsDeletion':
      return deletionKind([], count);
    case 'ClearAll':
      return clearKind(undefined);
    case 'Settings':
      return settingsKind(settingsOfChange(type.settings));
    default:
      return undefined;
  }
}

/** The date this many seconds before another, both RFC 3339; the other one itself when it is invalid. */
function before(date: unknown, seconds: number): unknown {
  const micros = microsOf(date);
  if (micros === null || !Number.isFinite(seconds)) return date ?? null;
  const began = micros - Math.round(seconds * 1e6);
  const whole = Math.floor(began / 1e6);
  return `${new Date(whole * 1000).toISOString().slice(0, 19)}.${String(began - whole * 1e6).padStart(6, '0')}Z`;
}

/** An update of V2 or V3. One that was waiting or running waits again, with its payload. */
export function taskOfUpdate(update: Loose, indexUid: string): UpgradedTask | undefined {
  const { status: given, meta, success, content, enqueuedAt, startedProcessingAt } = update;
  const status = STATUSES.get(given) ?? 'enqueued';
  const [name, value] = kindName(meta);
  const kind = kindOf(name, value, variantOf(success)[1]);
  if (kind === undefined) return undefined;
  const line = lineOf(kind, indexUid, status, enqueuedAt);
  if (status === 'enqueued') {
    const payload = payloadOf(looseOf(value), content);
    return { line, ...(payload === undefined ? {} : { payload }) };
  }
  const error = looseOf(update.error);
  return {
    line: {
      ...line,
      startedAt: startedProcessingAt ?? null,
      finishedAt: update.processedAt ?? update.failedAt ?? update.abortedAt ?? null,
      ...(status === 'failed'
        ? { error: upgradedError(update.code ?? error.errorCode, update.msg ?? error.message) }
        : {}),
    },
  };
}

/** V2 has the kind among the members, V3 as the variant around them. */
function kindName(meta: unknown): readonly [string, unknown] {
  const { type } = looseOf(meta);
  return typeof type === 'string' ? [type, meta] : variantOf(meta);
}

function kindOf(name: string, value: unknown, result: unknown): TaskKind | undefined {
  const members = looseOf(value);
  const { nb_documents: indexed, deleted } = looseOf(result);
  const deletedCount = typeof deleted === 'number' ? deleted : undefined;
  switch (name) {
    case 'DocumentAddition':
    case 'DocumentsAddition':
      return additionKind(members, 0, typeof indexed === 'number' ? indexed : undefined);
    case 'DeleteDocuments':
      return deletionKind(idsOf(Array.isArray(value) ? value : members.ids), deletedCount);
    case 'ClearDocuments':
      return clearKind(deletedCount);
    case 'Settings': {
      const { type: _type, ...settings } = members;
      return settingsKind(settings);
    }
    default:
      return undefined;
  }
}
function idsOf(ids: unknown): readonly unknown[] {
  return Array.isArray(ids) ? ids : [];
}

function payloadOf(members: Loose, content: unknown): OlderPayload | undefined {
  if (typeof members.content_uuid === 'string') return { name: members.content_uuid, format: 'ndjson' };
  if (typeof content !== 'string') return undefined;
  return { name: content, format: FORMATS.get(members.format) ?? 'json' };
}

function lineOf({ type, details }: TaskKind, indexUid: string, status: string, enqueuedAt: unknown): Loose {
  const given = details === undefined ? {} : { details };
  return { batchUid: null, indexUid, status, type, ...given, enqueuedAt };
}

/** When an update created its index, if it did: those that succeeded, and those that failed late enough. */
export function creationOfUpdate({ meta, processedAt, failedAt }: Loose): string | undefined {
  const [name] = kindName(meta);
  const at = processedAt ?? failedAt;
  return /^(Documents?Addition|Settings)$/.test(name) && typeof at === 'string' ? at : undefined;
}
