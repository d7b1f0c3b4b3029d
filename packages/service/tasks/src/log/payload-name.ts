/**
 * Names of payload files: the log stores only the file name, so that a database folder may be moved or copied with its
 * queue.
 */
import { basename, join } from 'node:path';
import type { IdFile } from '@fossick/documents';
import { type DocumentAddition, payloadOf, type TaskContent } from '../task/content.js';
import type { Task } from '../task/task.js';

/** The task as the log stores it. */
export function storedTask(task: Task): Task {
  return withContent(task, storedContent(task.content));
}

/**
 * The task with the full path of its payload in `folder`. Logs of older versions contain full paths: only the file name
 * of these is used, because the folder may belong to another database by now.
 */
export function loadedTask(task: Task, folder: string | null): Task {
  if (folder === null) return task;
  return withContent(
    task,
    withPayload(task.content, (file) => join(folder, basename(file))),
  );
}

/** The content with the file name of its payload only. */
export function storedContent(content: TaskContent): TaskContent {
  return withPayload(content, basename);
}

function withContent(task: Task, content: TaskContent): Task {
  return content === task.content ? task : { ...task, content };
}

function withPayload(content: TaskContent, change: (file: string) => string): TaskContent {
  const payload = payloadOf(content);
  if (payload === undefined || payload.payloadFile === '') return content;
  const payloadFile = change(payload.payloadFile);
  if (content.type === 'documentDeletion')
    return { ...content, target: { ...(content.target as IdFile), payloadFile } };
  return { ...(content as DocumentAddition), payloadFile };
}
