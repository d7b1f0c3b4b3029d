import type { MultiSearchQuery } from '@fossick/api';
import { toSearchRequest } from '@fossick/api';
import { MAX_ANSWER_BYTES } from '@fossick/base';
import type { Access } from '@fossick/instance/access';
import { inQuery, tooLargeAnswer } from '@fossick/search';
import type { AnswerHold } from '../jobs/answer-account.js';
import type { JobResult } from '../jobs/kinds/job.js';
import { runJobAtOnce } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import { type AnswerWishes, noteSearches } from '../parts/answered-search.js';
import { TimeSlices } from '../queue/time-slices.js';
import { checkFilters, inQueryLater } from './check-filters.js';
import { needsNoEmbedding } from './embedding-need.js';
import { checkSeparateQuery } from './federation-misuse.js';
import { answerNetworkSearch } from './network-search.js';
import { ruleBookOf } from './rule-book.js';

const [RESULTS_START, COMMA, RESULTS_END] = [Buffer.from('{"results":['), Buffer.from(','), Buffer.from(']}')];

/**
 * Answers each query by itself, as JSON bytes: the first one that fails ends the request. The results are counted as
 * they accumulate. @throws ApiError
 */
export async function answerSeparately(
  instance: SearchContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  wishes: AnswerWishes,
): Promise<Buffer> {
  await checkFilters(instance, queries);
  queries.forEach((query, i) => {
    inQuery(i, () => checkSeparateQuery(query));
  });
  const hold = instance.answerAccount.hold();
  try {
    const results = await instance.searches.run(() => answerAll(instance, access, queries, wishes, hold));
    return Buffer.concat([RESULTS_START, ...joined(results), RESULTS_END]);
  } finally {
    hold.release();
  }
}

const joined = (answers: readonly Buffer[]): Buffer[] =>
  answers.flatMap((answer, i) => (i === 0 ? [answer] : [COMMA, answer]));

/**
 * Runs one query after the other, each answer as JSON bytes; the first one that fails ends the request. Other requests
 * run in between.
 */
async function answerAll(
  instance: SearchContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  wishes: AnswerWishes,
  hold: AnswerHold,
): Promise<Buffer[]> {
  const results: Buffer[] = [];
  const turns = new TimeSlices(instance.searches);
  let byteCount = 0;
  for (const [i, query] of queries.entries()) {
    await turns.breathe();
    const bytes = await inQueryLater(i, () => answer(instance, access, query, wishes));
    byteCount += bytes.length;
    if (byteCount > MAX_ANSWER_BYTES) inQuery(i, () => refuse(tooLargeAnswer('invalid_search_limit')));
    hold.set(byteCount);
    results.push(bytes);
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
  wishes: AnswerWishes,
): Promise<Buffer> {
  const { indexUid: requestedUid, federationOptions: _, ...body } = query;
  const indexUid = requestedUid!;
  const startedMs = performance.now();
  const plain = toSearchRequest(body, access.tenantFilter(indexUid), instance.features);
  const extras = {
    withMetadata: wishes.withMetadata,
    withPerformanceDetails: body.showPerformanceDetails === true,
    hydrates: instance.features.isOn('foreignKeys'),
  };
  const named = ({ value, facts }: JobResult<Buffer>): Buffer => {
    noteSearches(wishes, [{ ...body, indexUid }], facts, startedMs);
    return Buffer.concat([Buffer.from(`{"indexUid":${JSON.stringify(indexUid)},`), value.subarray(1)]);
  };
  if (body.useNetwork === true) return named(await answerNetworkSearch(instance, access, indexUid, body, extras));
  const settings = () => instance.engine.settings(indexUid);
  // all queries share one turn of the queue
  const isSpared = needsNoEmbedding(instance, access, indexUid, (job) => runJobAtOnce(instance, job));
  const request = await instance.queryVectors.embedded(plain, body.media, settings, isSpared);
  const ruleBook = ruleBookOf(instance);
  const job = { kind: 'search', indexUid, request, extras, ruleBook, scope: access.scope } as const;
  return named(await runJobAtOnce(instance, job));
}
