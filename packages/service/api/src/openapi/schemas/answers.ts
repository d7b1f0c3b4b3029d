import { z } from 'zod';
import { shownTaskType, TASK_STATUS_NAMES, TASK_TYPE_NAMES } from '../../names/task-names.js';
import { anyObject, count, date, text } from './operation.js';

/** Responses that several operations share. Members that only some requests produce are optional. */
export const errorSchema = z
  .strictObject({
    message: text('For people.'),
    code: text('For programs: see the list of codes.'),
    type: z.enum(['invalid_request', 'auth', 'system', 'internal']),
    link: text('Where the code is explained.'),
  })
  .meta({ id: 'Error', description: 'What was wrong.' });

const taskType = z.enum(TASK_TYPE_NAMES.map(shownTaskType)).meta({ id: 'TaskType', description: 'What a task does.' });
const status = z.enum(TASK_STATUS_NAMES).meta({ id: 'TaskStatus', description: 'Where a task stands.' });

export const summarizedTask = z
  .looseObject({
    taskUid: count('Number of the task: ask `GET /tasks/{uid}` for it.'),
    indexUid: z
      .string()
      .nullable()
      .meta({ description: 'Index that it concerns; null for tasks of the whole instance.' }),
    status: z.literal('enqueued'),
    type: taskType,
    enqueuedAt: date('When it was registered.'),
  })
  .meta({ id: 'SummarizedTask', description: 'A task that was registered and will be done.' });
export const SUMMARIZED_TASK = {
  taskUid: 7,
  indexUid: 'movies',
  status: 'enqueued',
  type: 'documentAdditionOrUpdate',
  enqueuedAt: '2030-01-31T12:00:00.123Z',
};

export const task = z
  .looseObject({
    uid: count('Number of the task.'),
    batchUid: z.int().min(0).nullable().meta({ description: 'Batch it was done in.' }),
    indexUid: z.string().nullable(),
    status,
    type: taskType,
    canceledBy: z.int().min(0).nullable().meta({ description: 'Task that canceled it.' }),
    details: z.record(z.string(), z.unknown()).nullable().optional().meta({ description: 'Depends on the type.' }),
    error: errorSchema.nullable(),
    duration: z
      .string()
      .nullable()
      .meta({ description: 'ISO 8601 duration of its batch.', examples: ['PT0.125S'] }),
    enqueuedAt: date('When it was registered.'),
    startedAt: date('').nullable(),
    finishedAt: date('').nullable(),
  })
  .meta({ id: 'Task', description: 'A piece of work on the instance.' });
export const TASK = {
  uid: 7,
  batchUid: 5,
  indexUid: 'movies',
  status: 'succeeded',
  type: 'documentAdditionOrUpdate',
  canceledBy: null,
  details: { receivedDocuments: 2, indexedDocuments: 2 },
  error: null,
  duration: 'PT0.125S',
  enqueuedAt: '2030-01-31T12:00:00.123Z',
  startedAt: '2030-01-31T12:00:00.130Z',
  finishedAt: '2030-01-31T12:00:00.255Z',
};

export const batch = z
  .looseObject({
    uid: count('Number of the batch.'),
    progress: z
      .looseObject({ steps: z.array(anyObject('A step and how far it is.')), percentage: z.number() })
      .nullable()
      .meta({ description: 'Null once it is done.' }),
    details: anyObject('Of all its tasks.'),
    stats: anyObject('Numbers of its tasks by status, type and index, and what they took.'),
    duration: z.string().nullable(),
    startedAt: date('When it was begun.'),
    finishedAt: date('').nullable(),
    batchStrategy: text('Why it holds these tasks.'),
  })
  .meta({ id: 'Batch', description: 'Tasks that were done together.' });
export const BATCH = {
  uid: 5,
  progress: null,
  details: { receivedDocuments: 2, indexedDocuments: 2 },
  stats: {
    totalNbTasks: 1,
    status: { succeeded: 1 },
    types: { documentAdditionOrUpdate: 1 },
    indexUids: { movies: 1 },
  },
  duration: 'PT0.125S',
  startedAt: '2030-01-31T12:00:00.130Z',
  finishedAt: '2030-01-31T12:00:00.255Z',
  batchStrategy: 'batched all enqueued tasks',
};

/** A page of tasks or batches, which are listed from a uid on, the newest first. */
export const uidPageOf = (item: z.ZodType): z.ZodObject =>
  z.strictObject({
    results: z.array(item),
    total: count('Results in all.'),
    limit: count('Results asked for.'),
    from: z.int().min(0).nullable().meta({ description: 'Number of the first result.' }),
    next: z.int().min(0).nullable().meta({ description: 'What `from` is for the next page; null at the end.' }),
  });

const facetCounts = z
  .record(z.string(), z.record(z.string(), z.int().min(0)))
  .meta({ description: 'Documents by value, of each facet.' });
const facetStats = z
  .record(z.string(), z.looseObject({ min: z.number(), max: z.number() }))
  .meta({ description: 'Least and greatest number of each facet that has any; of integers of 64 bits all digits.' });
/** A document of an answer, with the members that the request adds to it. */
export const hit = z
  .looseObject({})
  .meta({ id: 'Hit', description: 'A document, and members that begin with `_` as asked for.' });
const totals = {
  offset: count('Hits that were skipped.').optional(),
  limit: count('Hits asked for.').optional(),
  estimatedTotalHits: count('Hits in all, counted up to `maxTotalHits`.').optional(),
  page: count('Number of the page.').optional(),
  hitsPerPage: count('Hits of a page.').optional(),
  totalPages: count('Pages in all.').optional(),
  totalHits: count('Hits in all.').optional(),
};
const numberStats = z.record(z.string(), z.number().nullable()).meta({ description: 'Computed numbers by name.' });
const computed = {
  stats: numberStats.optional(),
  histogram: z.array(z.strictObject({ from: z.number(), to: z.number(), count: z.int().min(0) })).optional(),
};
const groupValue = z.union([z.string(), z.number()]).meta({ description: 'The value of the group.' });
const documentCount = count('Documents found that have the value.');
const groups = z
  .array(z.strictObject({ value: groupValue, documentCount, hits: z.array(hit) }))
  .meta({ description: 'With `group`: groups in the order of their best hits; `hits` is empty, totals count groups.' });
const aggregations = z
  .record(
    z.string(),
    z.strictObject({
      ...computed,
      groups: z.array(z.strictObject({ value: groupValue, documentCount, ...computed })).optional(),
    }),
  )
  .meta({ description: 'What was computed from the numbers of each attribute.' });
const facetLevels = z
  .record(
    z.string(),
    z.array(
      z.strictObject({
        path: text('The whole path.'),
        name: text('Its last step.'),
        count: count('Documents with it or a path below it.'),
        hasChildren: z.boolean().meta({ description: 'Whether documents have paths below it.' }),
      }),
    ),
  )
  .meta({ description: 'Steps of hierarchical facets that were asked for.' });
export const searchAnswer = z
  .looseObject({
    hits: z.array(hit),
    query: text('What was searched for.'),
    processingTimeMs: count('Milliseconds that it took.'),
    ...totals,
    facetDistribution: facetCounts.optional(),
    facetStats: facetStats.optional(),
    groups: groups.optional(),
    aggregations: aggregations.optional(),
    facetLevels: facetLevels.optional(),
    semanticHitCount: count('Hits that were found by meaning.').optional(),
    requestUid: text('Name of the request.').optional(),
  })
  .meta({ id: 'SearchAnswer', description: 'Hits, best first.' });
export const SEARCH_ANSWER = {
  hits: [{ id: 11, title: 'Star Wars', _formatted: { id: '11', title: '<em>Star</em> Wars' } }],
  query: 'star',
  processingTimeMs: 2,
  limit: 20,
  offset: 0,
  estimatedTotalHits: 1,
};
export const federatedAnswer = z
  .looseObject({
    hits: z.array(hit),
    processingTimeMs: count('Milliseconds that it took.'),
    ...totals,
    facetsByIndex: anyObject('Counts and stats of facets of each index.').optional(),
    facetDistribution: facetCounts.optional(),
    facetStats: facetStats.optional(),
    remoteErrors: z.record(z.string(), errorSchema).optional(),
    semanticHitCount: count('Hits that were found by meaning.').optional(),
  })
  .meta({ id: 'FederatedAnswer', description: 'Hits of all queries in one list, best first.' });
