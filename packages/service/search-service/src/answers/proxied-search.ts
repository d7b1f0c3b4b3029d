import type { IncomingHttpHeaders } from 'node:http';
import type { Federation, MultiSearchQuery } from '@fossick/api';
import { ApiError, own } from '@fossick/base';
import { parseSort, type SortEntry, SortError } from '@fossick/filter';
import type { Guard } from '@fossick/instance/access';
import { isDisplayedField, type RankingRuleSetting, scoredFields } from '@fossick/settings';
import type { SearchContext } from '../jobs/search-context.js';
import { readNetwork } from '../network/network.js';

/** The context of searches, and of checking their caller. */
interface GuardedContext extends SearchContext {
  readonly guard: Guard;
}

/**
 * Whether the answer is for another instance (`Meili-Proxy-Search: true`), which merges it further and so needs the
 * values that sort and `distinct` compare. Any holder of a search key can send the header: if these values belong to
 * attributes that the index does not display, it is only respected from a member of the network, and else ignored.
 */
export function isProxiedSearch(
  context: GuardedContext,
  { headers }: { readonly headers: IncomingHttpHeaders },
  queries: readonly MultiSearchQuery[],
  federation: Federation,
): boolean {
  if (headers['meili-proxy-search'] !== 'true') return false;
  const hiding = queries.filter(({ indexUid, sort, rankingRules }) => {
    if (context.engine.index(indexUid!) === undefined) return false;
    const settings = context.engine.settings(indexUid!);
    const rules = rankingRules ?? settings.rankingRules;
    return namesOf(rules, indexUid!, sort ?? [], federation).some((name) => !isDisplayedField(name, settings));
  });
  const uids = new Set(hiding.map(({ indexUid }) => indexUid!));
  return uids.size === 0 || isOfNetwork(context, headers.authorization, uids);
}

/** Attributes whose values are added to every hit. */
function namesOf(
  rankingRules: readonly RankingRuleSetting[],
  uid: string,
  sort: readonly string[],
  { distinct, facetsByIndex }: Federation,
): string[] {
  const sorted = [
    ...entriesOf(sort),
    ...rankingRules.flatMap((rule) => (typeof rule === 'string' ? entriesOf([rule]) : [])),
  ];
  const names = [
    ...sorted.map((entry) => (entry.kind === 'geo' ? '_geo' : entry.field)),
    ...scoredFields(rankingRules),
  ];
  if (distinct === null || distinct === undefined) return names;
  return [...names, distinct, ...(facetsByIndex?.get(uid) ?? [])];
}

/** Texts that are no sort entry (a relevancy rule, or a mistake that the search reports) are skipped. */
function entriesOf(texts: readonly string[]): readonly SortEntry[] {
  try {
    return parseSort(texts);
  } catch (error) {
    if (error instanceof SortError) return [];
    throw error;
  }
}

/** By the key that this instance's network object gives to the others, or one that may read the documents anyway. */
function isOfNetwork(context: GuardedContext, authorization: string | undefined, uids: ReadonlySet<string>): boolean {
  const { self, remotes } = readNetwork(context.values);
  const ownKey = self === null ? null : (own(remotes, self)?.searchApiKey ?? null);
  if (ownKey !== null && context.features.isOn('network') && authorization === `Bearer ${ownKey}`) return true;
  try {
    for (const uid of uids) context.guard.authorize(authorization, 'documents.get', uid);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
