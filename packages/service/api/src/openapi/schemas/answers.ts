import { z } from 'zod';
import { shownTaskType, TASK_STATUS_NAMES, TASK_TYPE_NAMES } from '../../names/task-names.js';
import { type AnswerOf, anyObject, count, date, type Operation, text } from './operation.js';

/** Responses that several operations share. Members that only some requests produce are optional. */
export const errorSchema = z
  .strictObject({
    message: text('For people.'),
    code: text('For programs: see the list of codes.'),
    type: z.enum(['invalid_request', 'auth', 'system', 'internal']),
    link: text('Where the code is explained.'),
  })
  .meta({ id: 'Error', description: 'What was wrong.' });
export type ErrorAnswer = AnswerOf<typeof errorSchema>;

const taskType = z.enum(TASK_TYPE_NAMES.map(shownTaskType)).meta({ id: 'TaskType', description: 'What a task does.' });
const status = z.enum(TASK_STATUS_NAMES).meta({ id: 'TaskStatus', description: 'Where a task stands.' });

const customMetadata = text('As the request named it.').optional();
const summarizedTask = z
  .strictObject({
    taskUid: count('Number of the task: ask `GET /tasks/{uid}` for it.'),
    indexUid: z
      .string()
      .nullable()
      .meta({ description: 'Index that it concerns; null for tasks of the whole instance.' }),
    status: z.literal('enqueued'),
    type: taskType,
    enqueuedAt: date('When it was registered.'),
    customMetadata,
  })
  .meta({ id: 'SummarizedTask', description: 'A task that was registered and will be done.' });
const SUMMARIZED_TASK = {
  taskUid: 7,
  indexUid: 'movies',
  status: 'enqueued',
  type: 'documentAdditionOrUpdate',
  enqueuedAt: '2030-01-31T12:00:00.123Z',
};

/** The answers of an operation that registers a task. */
export const registers = (
  type: string,
  { status = 202, ...example }: { readonly status?: number; readonly indexUid?: null } = {},
): Operation['answers'] => [
  {
    status,
    says: 'The task that does it.',
    schema: summarizedTask,
    example: { ...SUMMARIZED_TASK, ...example, type },
  },
];
export type SummarizedTaskAnswer = AnswerOf<typeof summarizedTask>;

export const task = z
  .strictObject({
    uid: count('Number of the task.'),
    batchUid: z.int().min(0).nullable().meta({ description: 'Batch it was done in.' }),
    indexUid: z.string().nullable(),
    status,
    type: taskType,
    canceledBy: z.int().min(0).nullable().meta({ description: 'Task that canceled it.' }),
    details: z.record(z.string(), z.unknown()).nullable().meta({ description: 'Depends on the type.' }),
    error: errorSchema.nullable(),
    duration: z
      .string()
      .nullable()
      .meta({ description: 'ISO 8601 duration of its batch.', examples: ['PT0.125S'] }),
    enqueuedAt: date('When it was registered.'),
    startedAt: date('').nullable(),
    finishedAt: date('').nullable(),
    network: anyObject('Where else it runs, of an imported task.').optional(),
    customMetadata,
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

export type TaskAnswer = AnswerOf<typeof task>;

const progress = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        currentStep: text('Its name.'),
        finished: count('Parts that are done.'),
        total: count('Parts in all.'),
      }),
    )
    .meta({ description: 'The steps that run, from the outermost on.' }),
  percentage: z.number(),
});
/** The progress of a running batch. */
export type ProgressAnswer = AnswerOf<typeof progress>;
const byName = (says: string) => z.record(z.string(), z.int().min(0)).meta({ description: says });
const batchStats = z.strictObject({
  totalNbTasks: count('Tasks.'),
  status: byName('Tasks by status.'),
  types: byName('Tasks by type.'),
  indexUids: byName('Tasks by index.'),
  progressTrace: z.record(z.string(), z.string()).optional().meta({ description: 'Time of each step, by its path.' }),
  writeChannelCongestion: z.strictObject({
    attempts: count('Frames that passed between the writer and its extraction thread; 0 for batches without one.'),
    blocking_attempts: count('How many of them blocked the writer.'),
    blocking_ratio: z.number().meta({ description: 'Share of blocked attempts, 0 to 1.' }),
    waitedForExtraction: text('Time.', '12.20ms'),
    waitedForDisk: text('Time of writing and flushing commits.', '12.20ms'),
  }),
  internalDatabaseSizes: z
    .record(z.string(), z.string())
    .meta({ description: 'Size of each database and its change.' }),
  embedderRequests: z
    .strictObject({
      total: count('Requests.'),
      failed: count('Failed ones.'),
      lastError: text('Of the last one that failed.').optional(),
    })
    .optional()
    .meta({ description: 'Requests to providers of embeddings, when there were any.' }),
});
export type BatchStatsAnswer = AnswerOf<typeof batchStats>;

export const batch = z
  .strictObject({
    uid: count('Number of the batch.'),
    progress: progress.nullable().meta({ description: 'Null once it is done.' }),
    details: anyObject('Of all its tasks.'),
    stats: batchStats,
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
    writeChannelCongestion: {
      attempts: 0,
      blocking_attempts: 0,
      blocking_ratio: 0,
      waitedForExtraction: '0.00ns',
      waitedForDisk: '0.52ms',
    },
    internalDatabaseSizes: { documents: '16 KiB (+16 KiB)' },
  },
  duration: 'PT0.125S',
  startedAt: '2030-01-31T12:00:00.130Z',
  finishedAt: '2030-01-31T12:00:00.255Z',
  batchStrategy: 'batched all enqueued tasks',
};

export type BatchAnswer = AnswerOf<typeof batch>;

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
  .record(z.string(), z.strictObject({ min: z.number(), max: z.number() }))
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
const rule = z.strictObject({
  rule: text('The rule, a part of it, or what is sorted by.'),
  starts: count('Buckets of the rules before it that it divided.'),
  divided: count('Documents of these.'),
  buckets: count('Buckets that it made.'),
});
const term = z.strictObject({
  text: z.string(),
  kind: z.enum(['word', 'phrase', 'ngram']),
  isPrefix: z.boolean().meta({ description: 'Whether longer words match that begin with it.' }),
  typos: count('Typos that a word may have.'),
  documents: z.record(z.string(), z.int().min(0)).meta({
    description:
      'Documents found that match it: `exact`, and where there are any `prefix`, `synonym`, `substring`, `oneTypo`, `twoTypos`.',
  }),
});
const plan = z
  .strictObject({
    kind: z.enum(['placeholder', 'keyword', 'semantic', 'hybrid']),
    page: z.strictObject({ from: count('Hits before the page.'), length: count('Hits of it at most.') }),
    needs: z.strictObject({
      ranked: z.int().nullable().meta({ description: 'Documents whose order the answer needs; null: all.' }),
      found: z.int().nullable().meta({ description: 'Documents that have to be found; null: all.' }),
    }),
    filtered: count('Documents that satisfy the filter.'),
    queries: z.array(
      z.strictObject({
        byVector: z.boolean(),
        matchingStrategy: z.enum(['last', 'all', 'frequency']),
        terms: z.array(term),
        found: count('Documents found.'),
        foundAll: z.boolean().meta({ description: 'Whether all documents that match were looked for.' }),
        ranked: count('Documents that the rules start with.'),
        settledRules: z.array(z.string()).meta({ description: 'Rules for which all of these are equal.' }),
        rules: z.array(rule),
      }),
    ),
  })
  .meta({ id: 'SearchPlan', description: 'With `explain`: how the search was planned and what each rule did.' });
const queryVector = z.array(z.number());
const metadata = z
  .strictObject({
    query: z.string().optional(),
    queryUid: text('Name of the query, for events of clicks.'),
    indexUid: z.string(),
    primaryKey: z.string().optional(),
    remote: z.string().optional(),
    inlineRuleConditionOutcomes: anyObject('How the conditions of the rule of the query turned out.').optional(),
  })
  .meta({ id: 'QueryMetadata', description: 'For a request whose header asks for metadata.' });
export const remoteErrors = z
  .record(z.string(), errorSchema)
  .optional()
  .meta({ description: 'Instances that failed, with `useNetwork`.' });
const extras = {
  requestUid: text('Name of the request.').optional(),
  performanceDetails: z.record(z.string(), z.string()).optional().meta({ description: 'Time of each stage.' }),
  remoteErrors,
};
export const searchAnswer = z
  .strictObject({
    hits: z.array(hit),
    query: text('What was searched for.'),
    queryVector: queryVector.optional(),
    processingTimeMs: count('Milliseconds that it took.'),
    ...totals,
    facetDistribution: facetCounts.optional(),
    facetStats: facetStats.optional(),
    groups: groups.optional(),
    aggregations: aggregations.optional(),
    facetLevels: facetLevels.optional(),
    plan: plan.optional(),
    semanticHitCount: count('Hits that were found by meaning.').optional(),
    metadata: metadata.optional(),
    ...extras,
  })
  .meta({ id: 'SearchAnswer', description: 'Hits, best first.' });
export type SearchAnswer = AnswerOf<typeof searchAnswer>;
export const SEARCH_ANSWER = {
  hits: [{ id: 11, title: 'Star Wars', _formatted: { id: '11', title: '<em>Star</em> Wars' } }],
  query: 'star',
  processingTimeMs: 2,
  limit: 20,
  offset: 0,
  estimatedTotalHits: 1,
};
/** An answer among those of other queries. */
export const answerOfIndex = searchAnswer.extend({ indexUid: text('Where it was searched.') });
export const federatedAnswer = z
  .strictObject({
    hits: z.array(hit),
    processingTimeMs: count('Milliseconds that it took.'),
    ...totals,
    facetsByIndex: z
      .record(z.string(), z.strictObject({ distribution: facetCounts, stats: facetStats }))
      .optional()
      .meta({ description: 'Counts and stats of facets of each index.' }),
    facetDistribution: facetCounts.optional(),
    facetStats: facetStats.optional(),
    semanticHitCount: count('Hits that were found by meaning.').optional(),
    queryVectors: z.record(z.string(), queryVector).optional().meta({ description: 'By number of the query.' }),
    metadata: z.array(metadata).optional(),
    ...extras,
  })
  .meta({ id: 'FederatedAnswer', description: 'Hits of all queries in one list, best first.' });
