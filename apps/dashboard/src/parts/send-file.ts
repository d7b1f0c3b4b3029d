import { ApiFault, addressOf, authorization, call, faultOf, noteFault } from '../api/client.js';
import { isFinished } from '../api/queries.js';
import type { Batch, Task, TaskReceipt, UidPage } from '../api/types.js';

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
};
export const ACCEPTED_FILES = {
  'application/json': ['.json'],
  'application/x-ndjson': ['.ndjson', '.jsonl'],
  'text/csv': ['.csv'],
};

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

/** Sends a file unchanged; `onSent` is called with the sent share (0 to 1). @throws ApiFault */
export function sendFile(
  file: File,
  { uid, primaryKey, isPartial, skipsFaulty }: Target,
  onSent: (share: number) => void,
): Promise<TaskReceipt> {
  // the only interface of browsers that reports upload progress
  const request = new XMLHttpRequest();
  const query = {
    ...(primaryKey === '' ? {} : { primaryKey }),
    ...(skipsFaulty ? { onDocumentError: 'skip' } : {}),
  };
  request.open(isPartial ? 'PUT' : 'POST', addressOf(`/indexes/${encodeURIComponent(uid)}/documents`, query));
  request.setRequestHeader('content-type', contentTypeOf(file.name) ?? 'application/json');
  for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total);
    request.onerror = () => reject(new ApiFault(0, 'unreachable', 'The server does not answer. Is it running?'));
    request.onload = () => {
      if (request.status === 202) resolve(JSON.parse(request.responseText) as TaskReceipt);
      else reject(noteFault(faultOf(request.status, request.responseText)));
    };
    request.send(file);
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
