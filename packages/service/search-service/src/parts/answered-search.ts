/** What is counted of a search, besides its answer. */
export interface SearchFacts {
  /** The number of hits that the answer names. */
  readonly hitCount: number;
  /** The uids of the search rules whose conditions held. */
  readonly rules: readonly string[];
  /** The uid of each query, where its metadata were requested. */
  readonly queryUids: readonly string[];
}

/** A search of one index that was answered. */
export interface AnsweredSearch {
  readonly indexUid: string;
  /** Empty for a placeholder search. */
  readonly q: string;
  /** The number of hits that the answer names. A federated search has one number for all its queries. */
  readonly hitCount: number;
  /** The uids of the search rules whose conditions held. */
  readonly rules: readonly string[];
  /** Null when its metadata were not requested. */
  readonly queryUid: string | null;
  /** From the checked request to the bytes of its answer, waiting included. */
  readonly tookMs: number;
}

/** What the caller of a search wants besides the answer. */
export interface AnswerWishes {
  readonly withMetadata: boolean;
  /** Called with each search that was answered. */
  readonly note?: (search: AnsweredSearch) => void;
}

/** A query as its request names it. */
export interface NotedQuery {
  readonly indexUid: string;
  readonly q?: string | null | undefined;
  readonly limit?: number | null | undefined;
  readonly hitsPerPage?: number | null | undefined;
}

/** Notes the queries of one answer. A query that asks for no hits counts facets in addition to a search, and is none itself. */
export function noteSearches(
  { note }: Pick<AnswerWishes, 'note'>,
  queries: readonly NotedQuery[],
  facts: SearchFacts | undefined,
  startedMs: number,
): void {
  if (note === undefined || facts === undefined) return;
  const tookMs = performance.now() - startedMs;
  const { hitCount, rules, queryUids } = facts;
  for (const [i, { indexUid, q, limit, hitsPerPage }] of queries.entries())
    if ((hitsPerPage ?? limit) !== 0)
      note({ indexUid, q: q ?? '', hitCount, rules, queryUid: queryUids[i] ?? null, tookMs });
}
