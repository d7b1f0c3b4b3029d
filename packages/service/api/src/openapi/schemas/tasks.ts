import { querySchema } from '@fossick/base/contract';
import { z } from 'zod';
import { TASK_ERRORS_QUERY, taskFilterQuery, taskListQuery } from '../../requests/task-fields.js';
import { BATCH, batch, registers, TASK, task, uidPageOf } from './answers.js';
import { codesOf, type Operation, operationsOf, pageOf, shows, text } from './operation.js';

const documentError = z
  .strictObject({
    id: z.string().nullable().meta({ description: 'Id of the document; null when it could not be read.' }),
    line: z.int().min(1).nullable().meta({
      description:
        'Line of NDJSON, row of CSV with its header as row 1, or position in a JSON array, from 1; null for edits.',
    }),
    code: text('Code of the error.'),
    reason: text('What is wrong with the document.'),
  })
  .meta({ id: 'DocumentError', description: 'Why one document of a task was skipped.' });

const tag = 'Tasks';
const FILTER_ERRORS = codesOf('invalid_task_', 'invalid_batch_uids', 'invalid_index_uid');
/** `types`: those that extensions add. */
export const taskOperations = (types: readonly string[]): readonly Operation[] =>
  operationsOf({ tag }, [
    {
      id: 'listTasks',
      route: 'GET /tasks',
      summary: 'Tasks, the newest first',
      action: 'tasks.get',
      query: querySchema(taskListQuery(types)),
      answers: shows('A page of tasks.', uidPageOf(task), {
        results: [TASK],
        total: 1,
        limit: 20,
        from: 7,
        next: null,
      }),
      errors: FILTER_ERRORS,
    },
    {
      id: 'deleteTasks',
      route: 'DELETE /tasks',
      summary: 'Forget finished tasks',
      action: 'tasks.delete',
      query: querySchema(taskFilterQuery(types)),
      answers: registers('taskDeletion', { status: 200, indexUid: null }),
      errors: [...FILTER_ERRORS, 'missing_task_filters'],
    },
    {
      id: 'cancelTasks',
      route: 'POST /tasks/cancel',
      summary: 'Cancel tasks that wait or run',
      action: 'tasks.cancel',
      query: querySchema(taskFilterQuery(types)),
      answers: registers('taskCancelation', { status: 200, indexUid: null }),
      errors: [...FILTER_ERRORS, 'missing_task_filters'],
    },
    {
      id: 'compactTasks',
      route: 'POST /tasks/compact',
      summary: 'Give unused space of the list of tasks back; the server must be restarted',
      action: 'tasks.compact',
      feature: 'taskQueueCompactionRoute',
      answers: [
        {
          status: 200,
          says: 'What it came to.',
          schema: z.strictObject({
            preSize: z.string(),
            postSize: z.string(),
            status: z.literal('succeeded'),
            actionRequired: z.string(),
          }),
          example: {
            preSize: '16 MiB',
            postSize: '2 MiB',
            status: 'succeeded',
            actionRequired: 'Start the server again.',
          },
        },
        {
          status: 500,
          says: 'It failed, and the server goes on as it was.',
          schema: z.strictObject({ status: z.literal('failed'), errorMessage: z.string() }),
        },
      ],
      errors: ['feature_not_enabled'],
    },
    {
      id: 'streamTasks',
      route: 'GET /tasks/stream',
      summary: 'Tasks as they change',
      action: 'tasks.get',
      feature: 'tasksStreamingRoute',
      query: querySchema(taskListQuery(types)),
      answers: shows(
        'A task in each event, whenever its status changes, until the client leaves or its right ends.',
        text('Server-Sent Events.'),
        `data: ${JSON.stringify(TASK)}\n\n`,
        'text/event-stream',
      ),
      errors: [...FILTER_ERRORS, 'feature_not_enabled', 'too_many_search_requests'],
    },
    {
      id: 'getTask',
      route: 'GET /tasks/{taskUid}',
      summary: 'One task',
      action: 'tasks.get',
      answers: shows('The task.', task, TASK),
      errors: ['task_not_found', 'invalid_task_uids'],
    },
    {
      id: 'listTaskErrors',
      route: 'GET /tasks/{taskUid}/errors',
      summary: 'The documents that a task with `onDocumentError=skip` left out',
      action: 'tasks.get',
      query: querySchema(TASK_ERRORS_QUERY),
      answers: shows(
        'A page of errors, in the order of the documents. At most 100,000 are kept for a task.',
        pageOf(documentError),
        {
          results: [
            { id: null, line: 3, code: 'malformed_payload', reason: 'Document 3 of the payload is malformed.' },
          ],
          offset: 0,
          limit: 20,
          total: 1,
        },
      ),
      errors: ['task_not_found', 'invalid_task_uids', 'invalid_task_errors_offset', 'invalid_task_errors_limit'],
    },
    {
      id: 'getTaskDocuments',
      route: 'GET /tasks/{taskUid}/documents',
      summary: 'The documents that a waiting task is to add',
      action: 'tasks.get',
      feature: 'getTaskDocumentsRoute',
      answers: shows('A document a line.', text('NDJSON.'), '{"id":11}\n', 'application/x-ndjson'),
      errors: ['task_not_found', 'task_file_not_found', 'invalid_task_uids', 'feature_not_enabled'],
    },
    {
      id: 'listBatches',
      route: 'GET /batches',
      summary: 'Batches, the newest first',
      action: 'tasks.get',
      query: querySchema(taskListQuery(types)),
      answers: shows('A page of batches.', uidPageOf(batch), {
        results: [BATCH],
        total: 1,
        limit: 20,
        from: 5,
        next: null,
      }),
      errors: FILTER_ERRORS,
    },
    {
      id: 'streamBatches',
      route: 'GET /batches/stream',
      summary: 'Batches as they change',
      action: 'tasks.get',
      feature: 'tasksStreamingRoute',
      query: querySchema(taskListQuery(types)),
      answers: shows(
        'A batch in each event, whenever its status or its progress changes, until the client leaves or its right ends.',
        text('Server-Sent Events.'),
        `data: ${JSON.stringify(BATCH)}\n\n`,
        'text/event-stream',
      ),
      errors: [...FILTER_ERRORS, 'feature_not_enabled', 'too_many_search_requests'],
    },
    {
      id: 'getBatch',
      route: 'GET /batches/{batchUid}',
      summary: 'One batch',
      action: 'tasks.get',
      answers: shows('The batch.', batch, BATCH),
      errors: ['batch_not_found', 'invalid_batch_uids'],
    },
  ]);
