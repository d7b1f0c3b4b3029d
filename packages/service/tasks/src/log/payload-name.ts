/**
 * Names of payload files: the log stores only the file name, so that a database folder may be moved or copied with its
 * queue.
 */
import { basename, join } from 'node:path';
import { type DocumentAddition, type IdFile, payloadOf } from '../task/content.js';
import type { Task } from '../task/task.js';

/** The task as the log stores it. */
export function storedTask(task: Task): Task {
  return withPayload(task, basename);
}

/**
 * The task with the full path of its payload in `folder`. Logs of older versions contain full paths: only the file name
 * of these is used, because the folder may belong to another database by now.
 */
export function loadedTask(task: Task, folder: string | null): Task {
  return folder === null ? task : withPayload(task, (file) => join(folder, basename(file)));
}

function withPayload(task: Task, change: (file: string) => string): Task {
  const { content } = task;
  const payload = payloadOf(content);
  if (payload === undefined || payload.payloadFile === '') return task;
  const payloadFile = change(payload.payloadFile);
  if (content.type === 'documentDeletion')
    return { ...task, content: { ...content, target: { ...(content.target as IdFile), payloadFile } } };
  return { ...task, content: { ...(content as DocumentAddition), payloadFile } };
}
