import type { SummarizedTaskAnswer } from '@fossick/api';
import { type EnqueueExtras, type TaskContent, toSummaryJson } from '@fossick/tasks';
import type { FastifyReply } from 'fastify';
import { type ServerContext, sendJson } from './context.js';

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
  return sendJson(reply, await registered(context, reply, content, extras), status);
}
/** Registers a task for a request, and resolves with its summary once it is durable. */
export async function registered(
  context: ServerContext,
  { request }: FastifyReply,
  content: TaskContent,
  extras: EnqueueExtras = {},
): Promise<SummarizedTaskAnswer> {
  const task = await context.intake.enqueue(content, extras);
  context.extensions.noteTask(request.raw, task.uid);
  return toSummaryJson(task);
}
