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

/** Registers a task and answers with its summary once it is durable. */
export function enqueue(
  context: ServerContext,
  reply: FastifyReply,
  content: TaskContent,
  extras: EnqueueExtras = {},
): Promise<FastifyReply> {
  return register(context, reply, content, 202, extras);
}
/** The same with another status. */
export async function register(
  context: ServerContext,
  reply: FastifyReply,
  content: TaskContent,
  status: number,
  extras: EnqueueExtras = {},
): Promise<FastifyReply> {
  return sendJson(reply, toSummaryJson(await context.intake.enqueue(content, extras)), status);
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
