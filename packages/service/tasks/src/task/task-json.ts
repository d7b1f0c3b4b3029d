import { shownEmbedders, type TaskAnswer } from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import { describeError } from '@fossick/base';
import { JsonText, toJsonText } from '@fossick/documents';
import type { Task } from './task.js';
import type { TaskKind } from './task-kind.js';
import { type DescribeError, toTaskJson } from './wire.js';

/** The task object of the API, with masked secrets. `kinds`: those of extensions. */
export function taskToJson(task: Task, kinds: readonly TaskKind[]): TaskAnswer {
  const describe: DescribeError = (code) => {
    const { type, link } = describeError(code);
    return { type, link };
  };
  const json = toTaskJson(task, describe, kinds);
  return task.content.type === 'settingsUpdate' ? { ...json, details: maskDetails(json.details as JsonObject) } : json;
}
/** Its JSON text. */
export const taskText = (task: Task, kinds: readonly TaskKind[]): string => toJsonText(taskToJson(task, kinds));
/** Details of a settings task or batch as shown: without the secrets of embedders; details stored as text stay text. */
export function maskDetails(details: JsonObject): JsonObject {
  if (details instanceof JsonText || details?.embedders === undefined) return details;
  return { ...details, embedders: shownEmbedders(details.embedders) as JsonObject };
}
