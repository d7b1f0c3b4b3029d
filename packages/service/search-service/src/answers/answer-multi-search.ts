import { type MultiSearchQuery, toSearchRequest } from '@fossick/api';
import { MAX_ANSWER_BYTES } from '@fossick/base';
import type { Access } from '@fossick/instance/access';
import { inQuery, tooLargeAnswer } from '@fossick/search';
import type { AnswerReservation } from '../jobs/answer-account.js';
import type { JobResult } from '../jobs/kinds/job.js';
import type { WordsJob } from '../jobs/kinds/words-job.js';
import { runJobAtOnce } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import { type AnswerOptions, noteSearch } from '../parts/answered-search.js';
import { TimeSlices } from '../queue/time-slices.js';
import { checkFilters, inQueryLater } from './check-filters.js';
import { needsNoEmbedding } from './embedding-need.js';
import { checkSeparateQuery } from './federation-misuse.js';
import { answerNetworkSearch } from './network-search.js';
import { ruleBookOf } from './rule-book.js';

/** The answer of one of several queries. */
export interface SeparateAnswer {
  readonly indexUid: string;
  /** A JSON object. */
  readonly bytes: Buffer;
}

/** The body of a response with these answers, in parts: all of them together may be too large to exist twice. */
export function separateAnswersParts(answers: readonly SeparateAnswer[]): Buffer[] {
  const parts = answers.flatMap(({ indexUid, bytes }, i) => {
    const start = Buffer.from(`${i === 0 ? '{"results":[' : ','}{"indexUid":${JSON.stringify(indexUid)},`);
    return [start, bytes.subarray(1)];
  });
  return [...parts, Buffer.from(answers.length === 0 ? '{"results":[]}' : ']}')];
}

/**
 * Answers each query by itself: the first one that fails ends the request. The results are counted as they accumulate.
 * @throws ApiError
 */
export async function answerSeparately(
  instance: SearchContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  answerOptions: AnswerOptions,
): Promise<readonly SeparateAnswer[]> {
  await checkFilters(instance, queries);
  queries.forEach((query, i) => {
    inQuery(i, () => checkSeparateQuery(query));
  });
  const reservation = instance.answerAccount.reserve();
  try {
    return await instance.searches.run(() => answerAll(instance, access, queries, answerOptions, reservation));
  } finally {
    reservation.release();
  }
}

/**
 * Runs one query after the other; the first one that fails ends the request. Other requests
 * run in between.
 */
async function answerAll(
  instance: SearchContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  answerOptions: AnswerOptions,
  reservation: AnswerReservation,
): Promise<SeparateAnswer[]> {
  const results: SeparateAnswer[] = [];
  const turns = new TimeSlices(instance.searches);
  let byteCount = 0;
  for (const [i, query] of queries.entries()) {
    await turns.yieldIfDue();
    const bytes = await inQueryLater(i, () => answer(instance, access, query, answerOptions, byteCount));
    byteCount += bytes.length;
    if (byteCount > MAX_ANSWER_BYTES) inQuery(i, () => refuse(tooLargeAnswer('invalid_search_limit')));
    reservation.set(byteCount);
    results.push({ indexUid: query.indexUid!, bytes });
  }
  return results;
}

function refuse(error: Error): never {
  throw error;
}

async function answer(
  instance: SearchContext,
  access: Access,
  query: MultiSearchQuery,
  answerOptions: AnswerOptions,
  held: number,
): Promise<Buffer> {
  const { indexUid: requestedUid, federationOptions: _, ...body } = query;
  const indexUid = requestedUid!;
  const startedMs = performance.now();
  const plain = toSearchRequest(body, access.tenantFilter(indexUid), instance.features);
  const extras = {
    withMetadata: answerOptions.withMetadata,
    withPerformanceDetails: body.showPerformanceDetails === true,
    hydrates: instance.features.isOn('foreignKeys'),
    inlineUid: body.inlineRule?.uid ?? null,
  };
  const noted = ({ value, facts }: JobResult<Buffer>): Buffer => {
    noteSearch(answerOptions, body, { indexUid, facts, startedMs });
    return value;
  };
  if (body.useNetwork === true) {
    const options = { ...answerOptions, ...extras };
    return noted(await answerNetworkSearch(instance, access, indexUid, body, options));
  }
  const settings = () => instance.engine.settings(indexUid);
  // all queries share one turn of the queue
  const run = (job: WordsJob): Promise<JobResult<boolean>> => runJobAtOnce(instance, job);
  const isSpared = needsNoEmbedding(instance, access, indexUid, run, body.inlineRule);
  const request = await instance.queryVectors.embedded(plain, body.media, settings, isSpared);
  const ruleBook = ruleBookOf(instance, body.inlineRule);
  const job = { kind: 'search', indexUid, request, extras, ruleBook, scope: access.scope, held } as const;
  return noted(await runJobAtOnce(instance, job));
}
