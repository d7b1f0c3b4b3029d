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

/** Names in lower case. */
export type CarriedHeaders = Readonly<Record<string, string>>;

/** What the caller of a search wants besides the answer. */
export interface AnswerOptions {
  readonly withMetadata: boolean;
  /** Called with each search that was answered. */
  readonly note?: (search: AnsweredSearch) => void;
  /** Headers for the requests to other instances that a request leads to. */
  readonly carried?: CarriedHeaders;
  /** The process asks itself, to have its code compiled: any error may follow. */
  readonly isWarmUp?: boolean;
}

/** A query as its request names it. */
export interface NotedQuery {
  readonly q?: string | null | undefined;
  readonly limit?: number | null | undefined;
  readonly hitsPerPage?: number | null | undefined;
}

/** The answer of a query. */
export interface NotedAnswer {
  readonly indexUid: string;
  readonly facts: SearchFacts | undefined;
  /** Of the performance clock, when the request was checked. */
  readonly startedMs: number;
  /** Of the query in a request of several. */
  readonly position?: number;
}

/** Notes an answered query. A query that asks for no hits counts facets in addition to a search, and is none itself. */
export function noteSearch(
  { note }: Pick<AnswerOptions, 'note'>,
  { q, limit, hitsPerPage }: NotedQuery,
  { indexUid, facts, startedMs, position = 0 }: NotedAnswer,
): void {
  if (note === undefined || facts === undefined || (hitsPerPage ?? limit) === 0) return;
  const { hitCount, rules, queryUids } = facts;
  const tookMs = performance.now() - startedMs;
  note({ indexUid, q: q ?? '', hitCount, rules, queryUid: queryUids[position] ?? null, tookMs });
}
