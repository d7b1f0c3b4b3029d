import { bothFilters, type Federation, type MultiSearchQuery, requireFeature, toSearchRequest } from '@fossick/api';
import { apiError, own } from '@fossick/base';
import { type Access, requireIndex } from '@fossick/instance/access';
import { type FederatedQuery, inQuery } from '@fossick/search';
import type { SearchContext } from '../jobs/search-context.js';
import { type Network, type Remote, readNetwork } from '../network/network.js';
import { checkFederatedQuery } from './federation-misuse.js';
import { ruleBookOf } from './rule-book.js';

/** A query for another instance, as it is sent there. */
export interface RemoteQuery {
  readonly position: number;
  readonly indexUid: string;
  readonly body: object;
}
export interface RemoteGroup {
  readonly name: string;
  readonly remote: Remote;
  readonly queries: RemoteQuery[];
}
export type LocalQuery = FederatedQuery & { readonly media: MultiSearchQuery['media'] };
/** Which queries run here, and which on other instances. */
export interface FederationPlan {
  readonly local: readonly LocalQuery[];
  readonly groups: readonly RemoteGroup[];
  /** The name of this instance in its network. */
  readonly self: string | null;
  /** Whether a query names a remote, or the whole network. */
  readonly isNetworked: boolean;
}

/** Throws unless the key may search in every index of a multi-search; the error names the query. */
export function requireSearched(
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation | null,
): void {
  queries.forEach((query, i) => {
    inQuery(i, () => requireIndex(access, query.indexUid!));
  });
  for (const uid of federation?.facetsByIndex?.keys() ?? []) requireIndex(access, uid);
}

/** Splits the queries by the instance that runs them; invalid members are refused query by query. */
export function planFederation(
  context: SearchContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
): FederationPlan {
  const planner = new Planner(context, access);
  queries.forEach((query, i) => {
    inQuery(i, () => {
      checkFederatedQuery(query, federation);
      planner.add(query, i);
    });
  });
  return planner;
}

class Planner implements FederationPlan {
  private readonly context: SearchContext;
  private readonly access: Access;
  readonly local: LocalQuery[] = [];
  isNetworked = false;
  private readonly network: Network;
  private readonly byName = new Map<string, RemoteGroup>();

  constructor(context: SearchContext, access: Access) {
    this.context = context;
    this.access = access;
    this.network = readNetwork(context.values);
  }
  get self(): string | null {
    return this.network.self;
  }
  get groups(): readonly RemoteGroup[] {
    return [...this.byName.values()];
  }

  add(query: MultiSearchQuery, position: number): void {
    const { features } = this.context;
    const { remote, queryPosition } = query.federationOptions ?? {};
    if (typeof remote === 'string') requireFeature(features, 'network', 'federationOptions.remote');
    if (typeof queryPosition === 'number') requireFeature(features, 'network', 'federationOptions.queryPosition');
    const queryIndex = queryPosition ?? position;
    if (query.useNetwork === true) {
      requireFeature(features, 'network', 'useNetwork');
      const names = Object.keys(this.network.remotes);
      this.isNetworked ||= names.length > 0;
      // this instance belongs to the network even if its list of remotes does not name it
      if (this.network.self === null || !names.includes(this.network.self)) this.addHere(query, queryIndex);
      for (const name of names) this.addFor(query, queryIndex, name);
      return;
    }
    if (typeof remote !== 'string') return this.addHere(query, queryIndex);
    if (remote !== this.network.self && !Object.hasOwn(this.network.remotes, remote))
      throw apiError('invalid_multi_search_remote', remote);
    this.isNetworked = true;
    this.addFor(query, queryIndex, remote);
  }

  private addFor(query: MultiSearchQuery, position: number, name: string): void {
    if (name === this.network.self) return this.addHere(query, position);
    const group = this.byName.get(name) ?? { name, remote: own(this.network.remotes, name)!, queries: [] };
    this.byName.set(name, group);
    // an invalid query would be invalid there too
    this.requestOf(query);
    const { indexUid, federationOptions, filter, ...others } = query;
    const body = {
      ...others,
      indexUid,
      filter: bothFilters(filter ?? null, this.access.tenantFilter(indexUid!)),
      useNetwork: false,
      federationOptions: { weight: federationOptions?.weight ?? 1, queryPosition: position },
    };
    group.queries.push({ position, indexUid: indexUid!, body });
  }

  private addHere(query: MultiSearchQuery, position: number): void {
    const weight = query.federationOptions?.weight ?? 1;
    this.local.push({
      indexUid: query.indexUid!,
      position,
      weight,
      request: this.requestOf(query),
      media: query.media,
      ...(query.inlineRule == null ? {} : { ruleBook: ruleBookOf(this.context, query.inlineRule) }),
    });
  }

  private requestOf({ indexUid, federationOptions: _, ...body }: MultiSearchQuery): FederatedQuery['request'] {
    return toSearchRequest(body, this.access.tenantFilter(indexUid!), this.context.features);
  }
}
