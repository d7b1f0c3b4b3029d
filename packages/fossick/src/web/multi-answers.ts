import {
  type Federation,
  MULTI_SEARCH_BODY,
  type MultiSearchQuery,
  readFields,
  requireFeature,
  requirePersonalization,
  type SearchFeatures,
  toSearchRequest,
} from '@fossick/api/requests';
import { apiError, utf8Text } from '@fossick/base';
import { WHOLE_ACCESS } from '@fossick/index/memory';
import { answerJson, type FederatedQuery, federatedSearch, inQuery, StageClock } from '@fossick/search';
import { checkFederatedQuery, checkSeparateQuery, paginationOf, rangeOf } from '@fossick/search-service/forms';
import { type AnswerContext, newRequestUid, searchAnswer } from './answers.js';

/**
 * Answers the body of POST /multi-search as an object: a list of answers, or one list of hits when the body has
 * `federation`. There is no other instance here that a query may name. @throws ApiError
 */
export function multiAnswer(context: AnswerContext, body: object): unknown {
  const { queries, federation } = readFields(body, MULTI_SEARCH_BODY);
  return federation === undefined || federation === null
    ? separateAnswers(context, queries!)
    : federatedAnswer(context, queries!, federation);
}

/** The first query that fails ends the request. */
function separateAnswers(context: AnswerContext, queries: readonly MultiSearchQuery[]): readonly object[] {
  for (const [at, query] of queries.entries()) inQuery(at, () => checkSeparateQuery(query));
  return queries.map(({ indexUid, federationOptions: _, ...body }, at) => {
    const bytes = inQuery(at, () => searchAnswer(context, indexUid!, body));
    return { indexUid, ...(JSON.parse(utf8Text(bytes)) as object) };
  });
}

function federatedAnswer(
  { engine, features }: AnswerContext,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
): unknown {
  const startedMs = performance.now();
  const clock = new StageClock();
  const asked = queries.map((query, at) => inQuery(at, () => federatedQuery(query, at, federation, features)));
  if (federation.personalize !== undefined && federation.personalize !== null) requirePersonalization();
  const { hits, total, ...facets } = federatedSearch(engine, {
    queries: asked,
    range: rangeOf(federation),
    facetsByIndex: federation.facetsByIndex ?? new Map(),
    mergeFacets: federation.mergeFacets
      ? { maxValuesPerFacet: federation.mergeFacets.maxValuesPerFacet ?? null }
      : null,
    distinct: federation.distinct ?? null,
    ruleBook: null,
    hydrates: features.isOn('foreignKeys'),
    access: WHOLE_ACCESS,
    marks: { remote: undefined, isProxied: false },
    clock,
  });
  const processingTimeMs = Math.floor(Math.max(0, performance.now() - startedMs));
  const answer = {
    hits,
    processingTimeMs,
    ...paginationOf(federation, total),
    ...facets,
    requestUid: newRequestUid(),
    ...(federation.showPerformanceDetails === true ? { performanceDetails: clock.toJson() } : {}),
  };
  // through its text, so that long numbers look as they do in answers
  return JSON.parse(utf8Text(answerJson(answer)));
}

function federatedQuery(
  query: MultiSearchQuery,
  at: number,
  federation: Federation,
  features: SearchFeatures,
): FederatedQuery {
  checkFederatedQuery(query, federation);
  const { indexUid, federationOptions, ...body } = query;
  const { remote, queryPosition, weight } = federationOptions ?? {};
  if (typeof remote === 'string') {
    requireFeature(features, 'network', 'federationOptions.remote');
    throw apiError('invalid_multi_search_remote', remote);
  }
  if (typeof queryPosition === 'number') requireFeature(features, 'network', 'federationOptions.queryPosition');
  const request = toSearchRequest(body, null, features);
  return { indexUid: indexUid!, position: queryPosition ?? at, weight: weight ?? 1, request };
}
