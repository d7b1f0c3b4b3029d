import { shownEmbedders, type TaskAnswer } from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import { describeError } from '@fossick/base';
import { JsonText, toJsonText } from '@fossick/documents';
import type { Task } from './task.js';
import { toTaskJson } from './wire.js';

/** The task object of the API, with masked secrets. */
export function taskToJson(task: Task): TaskAnswer {
  const json = toTaskJson(task, (code) => {
    const { type, link } = describeError(code);
    return { type, link };
  });
  return task.content.type === 'settingsUpdate' ? { ...json, details: maskDetails(json.details as JsonObject) } : json;
}
/** Its JSON text. */
export const taskText = (task: Task): string => toJsonText(taskToJson(task));
/** Details of a settings task or batch as shown: without the secrets of embedders; details stored as text stay text. */
export function maskDetails(details: JsonObject): JsonObject {
  if (details instanceof JsonText || details?.embedders === undefined) return details;
  return { ...details, embedders: shownEmbedders(details.embedders) as JsonObject };
}
