import { readQuery, requireFeature, taskListQuery } from '@fossick/api';
import { toJsonText } from '@fossick/documents';
import type { Changes } from '@fossick/runtime';
import { matchesTask, type TaskFilters } from '@fossick/tasks';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, queryOf, type ServerContext, sendEvents } from '../../context.js';
import type { Router } from '../../http/router.js';
import { LastingRight } from '../../streams/lasting-right.js';
import { addedTypes, batchToJson, shownTask, toFilters } from './tasks.js';

/** Tasks and batches as they change, as Server-Sent Events. */
export function registerTaskStreams(router: Router, context: ServerContext): void {
  router.on('GET', '/tasks/stream', (request, reply) => streamed(context, request, reply, 'tasks'));
  router.on('GET', '/batches/stream', (request, reply) => streamed(context, request, reply, 'batches'));
}

function streamed(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: keyof Changes,
): FastifyReply {
  const access = authorize(context, request, 'tasks.get');
  // `limit`, `from` and `reverse` are accepted, because lists have them, and mean nothing here
  const filters = toFilters(readQuery(queryOf(request), taskListQuery(addedTypes(context))), access);
  const requireOn = (): void => requireFeature(context.features, 'tasksStreamingRoute', `/${kind}/stream`);
  requireOn();
  const isBatchWanted = batchTest(context, filters);
  const show = (uid: number): object | undefined => {
    if (kind === 'tasks') {
      const task = context.tasks.get(uid);
      return task !== undefined && matchesTask(task, filters) ? shownTask(context, task, access) : undefined;
    }
    const batch = context.tasks.getBatch(uid);
    if (batch === undefined || !isBatchWanted(uid, batch.finishedAt !== null)) return undefined;
    return batchToJson(context, batch, access);
  };
  const stream = context.taskStreams.stream(kind, reply.raw, {
    show: (uid) => {
      const object = show(uid);
      return object && toJsonText(object);
    },
    mayListen: () => right.holds(),
    onFault: (error) => reply.log.error(error),
  });
  const right = new LastingRight(context, {
    authorization: request.headers.authorization,
    check: () => {
      requireOn();
      return [authorize(context, request, 'tasks.get')];
    },
    onLost: () => stream.end(),
  });
  stream.once('close', () => right[Symbol.dispose]());
  sendEvents(reply, stream);
  // the client learns that it listens before anything changes
  reply.raw.flushHeaders();
  return reply;
}

/**
 * Whether a batch has a task that matches. Looked up when a batch starts and when it is finished: its many reports of
 * progress would each read the whole log.
 */
function batchTest({ tasks }: ServerContext, filters: TaskFilters): (uid: number, isFinished: boolean) => boolean {
  let known: { readonly uid: number; readonly isFinished: boolean; readonly isWanted: boolean } | undefined;
  const isUnfiltered = Object.values(filters).every((value) => value === undefined);
  return (uid, isFinished) => {
    if (isUnfiltered) return true;
    if (known?.uid !== uid || known.isFinished !== isFinished)
      known = {
        uid,
        isFinished,
        isWanted: tasks.listBatchUids({ ...filters, batchUids: [uid] }, { limit: 1 }).total > 0,
      };
    return known.isWanted;
  };
}
