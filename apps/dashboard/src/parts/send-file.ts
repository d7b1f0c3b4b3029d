import { addressOf, authorization, call, faultOf, noteFault, unreachable } from '../api/client.js';
import { isFinished } from '../api/queries.js';
import type { Batch, Task, TaskReceipt, UidPage } from '../api/types.js';
import { cutFile, type FileKind } from './cut-file.js';

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
};
const KINDS: Readonly<Record<string, FileKind>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
};
export const ACCEPTED_FILES = Object.keys(TYPES)
  .map((ending) => `.${ending}`)
  .join();

/** The content type for a file's name, or null. */
export function contentTypeOf(name: string): string | null {
  return TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? null;
}
/** An index uid made from a file's name. */
export function uidFor(fileName: string): string {
  const stem = fileName
    .replace(/\.[^.]*$/, '')
    .replace(/[^a-zA-Z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return stem === '' ? 'documents' : stem.toLowerCase();
}

export interface Target {
  readonly uid: string;
  readonly primaryKey: string;
  /** Documents keep attributes that the file lacks. */
  readonly isPartial: boolean;
  /** Faulty documents are left out instead of failing the whole file. */
  readonly skipsFaulty: boolean;
}

/** The most bytes of a request, as the server that sent the page says; its default where none did. */
function payloadLimit(): number {
  const given = Number(document.querySelector<HTMLMetaElement>('meta[name="payload-limit"]')?.content);
  return given > 0 ? given : 100 * 1024 * 1024;
}

/**
 * Sends a file, unchanged where it is within the limit of a request, otherwise in parts; `onSent` is called with the sent share (0 to 1). Returns the tasks in
 * their order. @throws ApiFault
 */
export async function sendFile(
  file: File,
  target: Target,
  onSent: (share: number) => void,
): Promise<readonly TaskReceipt[]> {
  const type = contentTypeOf(file.name) ?? 'application/json';
  const parts = await cutFile(file, KINDS[type] ?? 'json', payloadLimit());
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const receipts: TaskReceipt[] = [];
  let sent = 0;
  for (const part of parts) {
    receipts.push(await sendPart(part, type, target, (bytes) => onSent(Math.min(1, (sent + bytes) / total))));
    sent += part.size;
  }
  return receipts;
}

function sendPart(
  part: Blob,
  type: string,
  { uid, primaryKey, isPartial, skipsFaulty }: Target,
  onSent: (bytes: number) => void,
): Promise<TaskReceipt> {
  // the only interface of browsers that reports upload progress
  const request = new XMLHttpRequest();
  const query = {
    ...(primaryKey === '' ? {} : { primaryKey }),
    ...(skipsFaulty ? { onDocumentError: 'skip' } : {}),
  };
  request.open(isPartial ? 'PUT' : 'POST', addressOf(`/indexes/${encodeURIComponent(uid)}/documents`, query));
  request.setRequestHeader('content-type', type);
  for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onerror = () => reject(unreachable());
    request.onload = () => {
      if (request.status === 202) resolve(JSON.parse(request.responseText) as TaskReceipt);
      else reject(noteFault(faultOf(request.status, request.responseText)));
    };
    request.send(part);
  });
}

const POLL_MS = 250;

/** Resolves with the task once it is finished; `onProgress` is called with the percentage of its batch. @throws ApiFault */
export async function followTask(uid: number, onProgress: (percentage: number) => void): Promise<Task> {
  for (;;) {
    const task = await call<Task>('GET', `/tasks/${uid}`);
    if (isFinished(task)) return task;
    if (task.status === 'processing') {
      const { results } = await call<UidPage<Batch>>('GET', '/batches', { query: { uids: uid, limit: 1 } });
      onProgress(results[0]?.progress?.percentage ?? 0);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
