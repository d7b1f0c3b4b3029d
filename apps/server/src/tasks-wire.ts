import { describeError } from '@fossick/base';
import {
  type EnqueueExtras,
  type JsonObject,
  type Task,
  type TaskContent,
  toSummaryJson,
  toTaskJson,
} from '@fossick/scheduler';
import type { FastifyReply } from 'fastify';
import { type ServerContext, sendJson } from './context.js';
import { maskEmbedders } from './settings/secrets.js';

/** Registers a task, wakes the writer and answers with its summary. */
export async function enqueue(
  context: ServerContext,
  reply: FastifyReply,
  content: TaskContent,
  extras: EnqueueExtras = {},
): Promise<FastifyReply> {
  return answerTask(context, reply, await context.intake.enqueue(content, extras), 202);
}
/** Answers with the summary of a task that was just registered. */
export function answerTask(context: ServerContext, reply: FastifyReply, task: Task, status: number): FastifyReply {
  context.writer.wake();
  return sendJson(reply, toSummaryJson(task), status);
}
/** The task object of the wire, secrets masked. */
export function taskToJson(task: Task): JsonObject {
  const json = toTaskJson(task, (code) => {
    const { type, link } = describeError(code);
    return { type, link };
  });
  return task.content.type === 'settingsUpdate' ? { ...json, details: maskDetails(json.details as JsonObject) } : json;
}
/** Details of a settings task or batch as shown: without the secrets of embedders. */
export function maskDetails(details: JsonObject): JsonObject {
  if (details?.embedders === undefined) return details;
  return { ...details, embedders: maskEmbedders(details.embedders) as JsonObject };
}
