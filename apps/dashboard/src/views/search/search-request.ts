import type { GivenSearch } from '@fossick/api';
import { ApiFault } from '../../api/client.js';
import type { SearchAnswer } from '../../api/types.js';
import { countOf } from '../../parts/figures/numbers.js';
import { hitParametersOf, parametersOf } from '../../parts/search-options.js';
import type { SearchState } from './search-state.js';

export const HITS_PER_PAGE = 20;
/** Marks around matches. Private characters: documents do not contain them, and nothing is parsed as HTML. */
export const [MARK_START, MARK_END] = ['\uE000', '\uE001'];
const CROP_WORDS = 45;
/** The most frequent values, of however many there are. */
const BY_COUNT = { facetOrder: 'count' } as const;

export type Query = GivenSearch & { readonly indexUid: string };

/** The filter of all conditions except those on `exceptFor`: an AND of ORs. */
export function filterOf({ picked, ranges, under, options }: SearchState, exceptFor?: string): (string | string[])[] {
  const conditions: (string | string[])[] = [];
  for (const [attribute, values] of Object.entries(picked))
    if (attribute !== exceptFor) conditions.push(values.map((value) => `${quoted(attribute)} = ${quoted(value)}`));
  for (const [attribute, [lowest, highest]] of Object.entries(ranges))
    if (attribute !== exceptFor) conditions.push(`${quoted(attribute)} ${lowest} TO ${highest}`);
  for (const [attribute, path] of Object.entries(under))
    if (attribute !== exceptFor) conditions.push(`${quoted(attribute)} UNDER ${quoted(path)}`);
  if (options.filter.trim() !== '') conditions.push(options.filter);
  return conditions;
}
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** The attributes with conditions. */
export function filteredAttributes({ picked, ranges }: SearchState): string[] {
  return [...new Set([...Object.keys(picked), ...Object.keys(ranges)])];
}

/**
 * The queries of one page of hits: the hits, and for each filtered attribute a query without its own condition, so that its other values
 * keep their counts.
 * @param levels attributes whose values are paths: the steps right below the chosen path are counted
 */
export function queriesOf(
  uid: string,
  state: SearchState,
  facets: readonly string[],
  levels: readonly string[] = [],
): Query[] {
  const { q, page, sort, embedder, semanticRatio } = state;
  const shared = {
    indexUid: uid,
    q,
    ...(embedder === null ? {} : { hybrid: { embedder, semanticRatio } }),
    ...parametersOf(state.options),
  };
  const hits = {
    ...shared,
    ...{ page, hitsPerPage: HITS_PER_PAGE, filter: filterOf(state) },
    ...(facets.length === 0 ? {} : { facets, ...BY_COUNT }),
    ...(sort === null ? {} : { sort: [sort] }),
    ...{ attributesToHighlight: ['*'], highlightPreTag: MARK_START, highlightPostTag: MARK_END },
    ...{ attributesToCrop: ['*'], cropLength: CROP_WORDS },
    ...{ showRankingScore: true, showRankingScoreDetails: true },
    ...(levels.length === 0 ? {} : { facetLevels: levelsBelow(state, levels) }),
    ...hitParametersOf(state.options),
  };
  const others = filteredAttributes(state).map((attribute) => ({
    ...shared,
    ...{ filter: filterOf(state, attribute), facets: [attribute], ...BY_COUNT, page: 1, hitsPerPage: 0 },
  }));
  return [hits, ...others];
}

/** `1,000+ hits`: a count that reaches the most that the index counts may be of more. */
export function countOfHits({ totalHits = 0, groups }: SearchAnswer, maxTotalHits: number): string {
  const isCapped = groups === undefined && totalHits > 0 && totalHits >= maxTotalHits;
  return countOf(totalHits, groups === undefined ? 'hit' : 'group', isCapped ? '+' : '');
}

const levelsBelow = ({ under }: SearchState, levels: readonly string[]) =>
  Object.fromEntries(levels.map((attribute) => [attribute, { under: under[attribute] ?? null }]));

/** The embedders that make vectors of the words of a query: of the others, users bring the vectors themselves. */
export function textEmbedders(embedders: unknown): string[] {
  return Object.entries((embedders ?? {}) as Record<string, EmbedderShape>)
    .filter(([, { source, searchEmbedder }]) => (searchEmbedder?.source ?? source) !== 'userProvided')
    .map(([name]) => name);
}
interface EmbedderShape {
  readonly source?: string;
  /** Of a composite embedder: the one for queries. */
  readonly searchEmbedder?: { readonly source?: string };
}

/** Combines the answers to `queriesOf`: hits of the first, counts of each filtered attribute from its own. */
export function mergeAnswers(state: SearchState, [hits, ...others]: readonly SearchAnswer[]): SearchAnswer {
  if (hits === undefined) throw new Error('a search without an answer');
  const facetDistribution = { ...hits.facetDistribution };
  const facetStats = { ...hits.facetStats };
  for (const [at, attribute] of filteredAttributes(state).entries()) {
    const counts = others[at]?.facetDistribution?.[attribute];
    const stats = others[at]?.facetStats?.[attribute];
    if (counts !== undefined) facetDistribution[attribute] = counts;
    if (stats !== undefined) facetStats[attribute] = stats;
  }
  return { ...hits, facetDistribution, facetStats };
}

/** What is wrong with a search, without its place among the queries of the request: users have written one. */
export function faultOfSearch(fault: unknown): unknown {
  if (!(fault instanceof ApiFault)) return fault;
  const { status, code, message, link } = fault;
  return new ApiFault(status, code, message.replace(/^Inside `\.queries\[\d+\]`[^:]*: /, ''), link);
}
