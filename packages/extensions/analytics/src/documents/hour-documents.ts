import { createHash } from 'node:crypto';
import type { Counts, QueryCounts } from '../counts/counts.js';
import type { HourCounts } from '../counts/hour-counts.js';
import type { HourDocument } from './port.js';

/** Queries of an hour that are stored: the most searched, and the most searched of those without hits. */
const STORED_QUERIES = 500;
const STORED_EMPTY_QUERIES = 250;
/** Rules and groups of an hour that are stored, those with the most searches. */
const STORED_PARTS = 2_000;

/**
 * The documents of an hour. Their ids follow from hour, node and name: written again, they replace themselves. O(queries log
 * queries)
 */
export function hourDocuments({ hour, indexes, queries }: HourCounts, node: string): HourDocument[] {
  const start = { node, hour, startedAt: new Date(hour * 1000).toISOString() };
  const of = (kind: HourDocument['kind'], index: string, counts: Counts, name: string) => ({
    id: documentId(hour, node, kind, index, name),
    kind,
    ...start,
    index,
    searches: counts.searches,
    withoutHits: counts.withoutHits,
    clicks: counts.clicks,
    clickedSearches: counts.clickedSearches,
    conversions: counts.conversions,
    positionSum: counts.positionSum,
    positionedClicks: counts.positionedClicks,
  });
  const documents: HourDocument[] = [];
  const parts: { kind: 'rule' | 'group'; index: string; name: string; part: Counts }[] = [];
  for (const [index, counts] of indexes) {
    documents.push({
      ...of('index', index, counts, ''),
      requests: counts.requests,
      unlinked: counts.unlinked,
      tookMsSum: Math.round(counts.tookMsSum),
      latencies: counts.latencies,
      positions: counts.positions,
      ...(counts.hasUsers ? { userSketch: counts.users.toText() } : {}),
    });
    for (const kind of ['rule', 'group'] as const)
      for (const [name, part] of counts[`${kind}s`]) parts.push({ kind, index, name, part });
  }
  parts.sort((a, b) => b.part.searches - a.part.searches);
  for (const { kind, index, name, part } of parts.slice(0, STORED_PARTS))
    documents.push({ ...of(kind, index, part, name), name });
  for (const row of storedQueries(queries.values())) {
    const { indexUid, query, hitCount, users } = row;
    documents.push({ ...of('query', indexUid, row, query), query, hitCount, users: users.length });
  }
  return documents;
}

function storedQueries(all: Iterable<QueryCounts>): Set<QueryCounts> {
  const rows = [...all];
  const most = rows.sort((a, b) => b.searches + b.clicks - (a.searches + a.clicks)).slice(0, STORED_QUERIES);
  const empty = rows.filter(({ withoutHits }) => withoutHits > 0).sort((a, b) => b.withoutHits - a.withoutHits);
  return new Set([...most, ...empty.slice(0, STORED_EMPTY_QUERIES)]);
}

function documentId(hour: number, node: string, kind: string, index: string, name: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, index, name]))
    .digest('hex')
    .slice(0, 24);
  return `${hour}-${node}-${digest}`;
}
