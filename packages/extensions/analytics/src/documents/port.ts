/** A document of the index of analytics: the counts of one hour, on one node. */
export interface HourDocument {
  readonly id: string;
  readonly kind: 'index' | 'query' | 'rule' | 'group';
  readonly node: string;
  /** Its start, in seconds since 1970. */
  readonly hour: number;
  /** The same as RFC 3339, for people. */
  readonly startedAt: string;
  /** The searched index; empty where a thousand others have rows of their own. */
  readonly index: string;
  /** Of kind query. */
  readonly query?: string;
  /** The uid of a rule, or the name of a group. */
  readonly name?: string;
  readonly searches: number;
  readonly withoutHits: number;
  readonly clicks: number;
  readonly clickedSearches: number;
  readonly conversions: number;
  readonly positionSum: number;
  readonly positionedClicks: number;
  /** Of kind query: hits of the last search, and distinct users, up to ten. */
  readonly hitCount?: number;
  readonly users?: number;
  /** Of kind index. */
  readonly requests?: number;
  readonly unlinked?: number;
  readonly tookMsSum?: number;
  readonly latencies?: readonly number[];
  readonly positions?: readonly number[];
  /** A UserSketch as text; absent when no request named a user. */
  readonly userSketch?: string;
}

export interface RowsQuery {
  readonly filter: string;
  /** At most. */
  readonly limit: number;
  /** As in a search. */
  readonly sort: readonly string[] | null;
}

/** The index that holds what is counted. Every change is an ordinary task, so in a cluster all nodes get it. */
export interface AnalyticsIndex {
  /** Adds documents or replaces those of the same id; makes the index when there is none. Resolves with the number of the task. */
  put(documents: readonly object[]): Promise<number>;
  /** Deletes the documents that satisfy a filter. */
  remove(filter: string): Promise<void>;
  /** Gives freed space back to the file system. */
  compact(): Promise<void>;
  /** Whether a task succeeded; null while it waits or runs. */
  outcome(task: number): boolean | null;
  /** Bytes on disk; 0 without the index. */
  bytes(): number;
  /** Documents; none without the index. Other requests run while they are read. */
  rows(query: RowsQuery): Promise<readonly HourDocument[]>;
}
