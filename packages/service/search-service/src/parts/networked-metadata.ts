import { isJsonObject } from '@fossick/api';
import type { EngineReader } from '@fossick/index';
import { newRequestUid, type QueryMetadata, queryMetadata } from './query-metadata.js';

/** The queries of a federated search and where they run, as metadata show them. */
export interface QueryLocations {
  /** In the order of the request; null when metadata were not requested. */
  readonly queries:
    | readonly {
        readonly indexUid: string;
        readonly q: string | null;
        readonly position: number;
        /** Of the rule that the query has, where it runs here. */
        readonly outcomes: object | null;
      }[]
    | null;
  /** Positions of the queries that run here. */
  readonly local: readonly number[];
  /** Positions of the queries that each remote runs, in the order in which it got them. */
  readonly remotes: readonly { readonly name: string; readonly positions: readonly number[] }[];
  /** The name of this instance. */
  readonly self: string | null;
  readonly isNetworked: boolean;
}

/**
 * One entry per query, in their order; null when not requested. A query that ran on several instances has the metadata
 * of the first that answered.
 */
export function metadataOf(
  engine: EngineReader,
  { queries, local, remotes, self, isNetworked }: QueryLocations,
  answered: ReadonlyMap<string, readonly unknown[]>,
): QueryMetadata[] | null {
  if (queries === null) return null;
  const names = new Map<number, { readonly remote: string | null; readonly answered: unknown }>();
  for (const position of local) names.set(position, { remote: self, answered: undefined });
  for (const { name, positions } of remotes) {
    const metadata = answered.get(name) ?? [];
    positions.forEach((position, i) => {
      const known = names.get(position);
      if (known === undefined || (known.answered === undefined && known.remote !== self))
        names.set(position, { remote: name, answered: metadata[i] });
    });
  }
  return queries.map(({ indexUid, q, position, outcomes }) => {
    const { remote = null, answered: metadata } = names.get(position) ?? {};
    const own: QueryMetadata =
      remote === self || remote === null
        ? queryMetadata(engine, indexUid, q, outcomes)
        : { ...(q ? { query: q } : {}), queryUid: newRequestUid(), indexUid };
    const entry = { ...own, ...remoteMetadata(metadata) };
    return isNetworked && remote !== null ? { ...entry, remote } : entry;
  });
}

/** The metadata that only a remote knows; its other members are ignored. */
function remoteMetadata(answered: unknown): Partial<QueryMetadata> {
  const { queryUid, primaryKey, inlineRuleConditionOutcomes: outcomes } = isJsonObject(answered) ? answered : {};
  return {
    ...(typeof queryUid === 'string' ? { queryUid } : {}),
    ...(typeof primaryKey === 'string' ? { primaryKey } : {}),
    ...(isJsonObject(outcomes) ? { inlineRuleConditionOutcomes: outcomes } : {}),
  };
}
