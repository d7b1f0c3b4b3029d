import type { SearchBody } from '@fossick/api';
import { ApiError, foreignText } from '@fossick/base';
import type { Access } from '@fossick/instance/access';
import { facetTest } from '@fossick/settings';
import type { JobResult } from '../jobs/kinds/job.js';
import type { AnswerExtras } from '../jobs/kinds/single-search.js';
import type { SearchContext } from '../jobs/search-context.js';
import type { AnswerOptions } from '../parts/answered-search.js';
import { runFederated } from './answer-federated.js';
import { checkNetworkQuery } from './federation-misuse.js';

/**
 * Answers one search by every instance of the network, as JSON bytes in the form of a single search; its hits keep
 * `_federation`.
 * @throws ApiError for an invalid request
 */
export async function answerNetworkSearch(
  context: SearchContext,
  access: Access,
  indexUid: string,
  body: SearchBody,
  { withMetadata, withPerformanceDetails, carried }: AnswerExtras & Pick<AnswerOptions, 'carried'>,
): Promise<JobResult<Buffer>> {
  checkNetworkQuery(body);
  const { limit, offset, page, hitsPerPage, facets, distinct, personalize, showPerformanceDetails: _, ...query } = body;
  const range = { limit: limit ?? null, offset: offset ?? null, page: page ?? null, hitsPerPage: hitsPerPage ?? null };
  const counted = facets?.length ? countableFacets(context, indexUid, facets) : [];
  const facetsOfIndex = counted.length === 0 ? [] : [[indexUid, counted] as const];
  const federation = {
    ...range,
    distinct: distinct ?? null,
    personalize: personalize ?? null,
    facetsByIndex: new Map(facetsOfIndex),
  };
  const extras = { withMetadata, isProxied: false, ...(carried === undefined ? {} : { carried }) };
  const q = query.q ?? null;
  const shape = { kind: 'single', indexUid, q, range, withPerformanceDetails } as const;
  return withoutPath(() => runFederated(context, access, [{ ...query, indexUid }], federation, { ...extras, shape }));
}

/**
 * Attributes that are not filterable are ignored, as in any single search; an index that exists only on remotes is
 * checked there.
 */
function countableFacets({ engine }: SearchContext, indexUid: string, facets: readonly string[]): string[] {
  return engine.index(indexUid) === undefined ? [...facets] : facets.filter(facetTest(engine.settings(indexUid)));
}

/** There is only one query, so its errors do not name it. */
async function withoutPath<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, foreignText(error.message.replace(/^Inside `\.queries\[0\]`: /, '')));
  }
}
