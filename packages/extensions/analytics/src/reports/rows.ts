import type { HourCounts } from '../counts/hour-counts.js';
import { hourDocuments } from '../documents/hour-documents.js';
import type { AnalyticsIndex, HourDocument } from '../documents/port.js';

/** Rows of indexes, rules and groups that a report reads: a month of forty indexes has about as many. */
const SUMS_MAX = 30_000;
/** Rows of queries that a report reads, those with the most searches first. */
const QUERIES_MAX = 20_000;

export interface RowsOf {
  readonly index: AnalyticsIndex;
  /** Hours that are not known to be stored, and the name of this node. */
  readonly live: readonly HourCounts[];
  readonly node: string;
}

/** The rows of a range of hours, and whether some were left out. */
export interface Rows {
  readonly rows: readonly HourDocument[];
  readonly isPartial: boolean;
}

/** Stored rows and those in memory, which replace stored ones of the same hour and node. `indexUid`: null for all. */
export async function readRows(
  { index, live, node }: RowsOf,
  { from, to, indexUid }: { readonly from: number; readonly to: number; readonly indexUid: string | null },
): Promise<Rows> {
  const ofIndex = indexUid === null ? '' : ` AND index = "${indexUid}"`;
  const range = `hour >= ${from} AND hour < ${to}${ofIndex}`;
  const sums = await index.rows({ filter: `kind != query AND ${range}`, sort: null, limit: SUMS_MAX });
  const sort = ['searches:desc'];
  const queries = await index.rows({ filter: `kind = query AND ${range}`, sort, limit: QUERIES_MAX });
  const recent = live.filter(({ hour }) => hour >= from && hour < to);
  const hours = new Set(recent.map(({ hour }) => hour));
  const stored = [...sums, ...queries].filter((row) => row.node !== node || !hours.has(row.hour));
  const unstored = recent.flatMap((counts) => hourDocuments(counts, node));
  return {
    rows: [...stored, ...unstored.filter((row) => indexUid === null || row.index === indexUid)],
    isPartial: sums.length === SUMS_MAX || queries.length === QUERIES_MAX,
  };
}
