import type { Readable } from 'node:stream';
import { toJsonText } from '@fossick/documents';
import type { ServerOptions } from '@fossick/instance';
import type { Access, Guard } from '@fossick/instance/access';
import type { Instance, QueueCompaction, SharedLog } from '@fossick/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenExtensions } from './extensions/open-extensions.js';
import type { PartedBytes } from './http/answers/parted-bytes.js';
import type { OwnConnection } from './http/own-connection.js';
import type { LogTap } from './logs/log-tap.js';
import type { InstanceMetrics } from './metrics/instance-metrics.js';
import type { TaskStreams } from './streams/task-streams.js';
import type { UsageReports } from './usage/usage-reports.js';

/** Everything that routes may use. */
export interface ServerContext extends Instance {
  readonly options: ServerOptions;
  readonly guard: Guard;
  readonly logs: LogTap;
  readonly metrics: InstanceMetrics;
  readonly usage: UsageReports;
  readonly extensions: OpenExtensions;
  readonly queueCompaction: QueueCompaction;
  readonly taskStreams: TaskStreams;
  /** Its requests are of the warm-up, and counted nowhere. */
  readonly ownConnection: OwnConnection;
  /** Undefined: the log is the instance's own. */
  readonly sharedLog: SharedLog | undefined;
  /** Bytes of every store of the instance except the engine's. */
  readonly storeSize: () => { readonly diskBytes: number; readonly usedBytes: number };
}

/** Checks the key of the request for an action, on the index in its path if there is one. */
export function authorize(context: ServerContext, request: FastifyRequest, action: string): Access {
  const { indexUid } = request.params as { indexUid?: string };
  return context.guard.authorize(request.headers.authorization, action, indexUid);
}
/** The raw query string, without the question mark. */
export function queryOf(request: FastifyRequest): string {
  const mark = request.url.indexOf('?');
  return mark < 0 ? '' : request.url.slice(mark + 1);
}
export function pathOf<T extends string>(request: FastifyRequest): Readonly<Record<T, string>> {
  return request.params as Record<T, string>;
}
/** Sends bytes that are JSON already. */
export function sendBytes(reply: FastifyReply, bytes: Buffer | string): FastifyReply {
  return reply.code(200).header('content-type', 'application/json').send(bytes);
}
/** Sends an answer that is JSON already, without joining its parts. */
export function sendParts(reply: FastifyReply, answer: PartedBytes): FastifyReply {
  // `registerAnswers` turns the object into bytes; Fastify must not print it as JSON
  const asItIs = (payload: unknown): string => payload as string;
  return reply.serializer(asItIs).code(200).header('content-type', 'application/json').send(answer);
}
/** Sends server-sent events. */
export function sendEvents(reply: FastifyReply, events: Readable): FastifyReply {
  return reply
    .header('content-type', 'text/event-stream')
    .header('cache-control', 'no-cache')
    .header('x-accel-buffering', 'no')
    .send(events);
}
export function sendJson(reply: FastifyReply, value: unknown, status = 200): FastifyReply {
  return reply.code(status).header('content-type', 'application/json').send(toJsonText(value));
}
