import type { EngineReader } from '@fossick/engine';
import { isJsonObject } from '@fossick/wire';
import { type QueryMetadata, queryMetadata } from './query-metadata.js';
import { newRequestUid } from './request-uid.js';

/** The queries of a federated search with where they run, as far as metadata tell of it. */
export interface PlacedQueries {
  /** In the order of the request; null when no metadata were asked for. */
  readonly queries:
    | readonly { readonly indexUid: string; readonly q: string | null; readonly position: number }[]
    | null;
  /** Places of the queries that run here. */
  readonly local: readonly number[];
  /** Places of those that each remote runs, in the order in which it got them. */
  readonly remotes: readonly { readonly name: string; readonly positions: readonly number[] }[];
  /** The name of this instance. */
  readonly self: string | null;
  readonly isNetworked: boolean;
}

/** One entry a query, in their order, null when none was asked for; of a query that ran in several places the first that answered. */
export function metadataOf(
  engine: EngineReader,
  { queries, local, remotes, self, isNetworked }: PlacedQueries,
  answered: ReadonlyMap<string, readonly unknown[]>,
): QueryMetadata[] | null {
  if (queries === null) return null;
  const names = new Map<number, { readonly remote: string | null; readonly answered: unknown }>();
  for (const position of local) names.set(position, { remote: self, answered: undefined });
  for (const { name, positions } of remotes) {
    const told = answered.get(name) ?? [];
    positions.forEach((position, i) => {
      const known = names.get(position);
      if (known === undefined || (known.answered === undefined && known.remote !== self))
        names.set(position, { remote: name, answered: told[i] });
    });
  }
  return queries.map(({ indexUid, q, position }) => {
    const { remote = null, answered: told } = names.get(position) ?? {};
    const own: QueryMetadata =
      remote === self || remote === null
        ? queryMetadata(engine, indexUid, q)
        : { ...(q ? { query: q } : {}), queryUid: newRequestUid(), indexUid };
    const entry = { ...own, ...remoteMetadata(told) };
    return isNetworked && remote !== null ? { ...entry, remote } : entry;
  });
}

/** What a remote alone knows of a query; other members are none of its business. */
function remoteMetadata(answered: unknown): Partial<QueryMetadata> {
  const { queryUid, primaryKey } = isJsonObject(answered) ? answered : {};
  return {
    ...(typeof queryUid === 'string' ? { queryUid } : {}),
    ...(typeof primaryKey === 'string' ? { primaryKey } : {}),
  };
}
