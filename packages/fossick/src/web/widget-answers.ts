/** Requests and answers of InstantSearch. They are loaded with the first request: a page without widgets needs none of it. */
import type { FacetStats, SearchAnswer } from '../search-types.js';
import type { SearchableIndex } from './readable-index.js';

/** What a widget asks for, as far as it is used. */
export interface WidgetParameters {
  readonly query?: string | undefined;
  readonly page?: number | undefined;
  readonly hitsPerPage?: number | undefined;
  readonly facets?: readonly string[] | string | undefined;
  readonly facetFilters?: FacetFilters | undefined;
  readonly numericFilters?: FacetFilters | undefined;
  readonly filters?: string | undefined;
  readonly attributesToRetrieve?: readonly string[] | undefined;
  readonly attributesToHighlight?: readonly string[] | undefined;
  readonly attributesToSnippet?: readonly string[] | undefined;
  readonly highlightPreTag?: string | undefined;
  readonly highlightPostTag?: string | undefined;
  readonly facetName?: string | undefined;
  readonly facetQuery?: string | undefined;
}
type FacetFilters = string | readonly (string | readonly string[])[];

/** The marks that InstantSearch replaces by its own after escaping a hit. */
const PRE_TAG = '__ais-highlight__';
const POST_TAG = '__/ais-highlight__';
const SNIPPET_WORDS = 10;
const DEFAULT_HITS_PER_PAGE = 20;
/** Answers one request of a widget. */
export async function answered(
  index: SearchableIndex,
  indexName: string,
  sort: readonly string[],
  params: WidgetParameters,
): Promise<object> {
  const { query = '', page = 0, hitsPerPage = DEFAULT_HITS_PER_PAGE } = params;
  const facets = typeof params.facets === 'string' ? [params.facets] : (params.facets ?? []);
  const snippets = (params.attributesToSnippet ?? []).map((entry) => entry.split(':')[0]!);
  const answer: object = await index.search(query, {
    page: page + 1,
    hitsPerPage,
    facets,
    filter: filterOf(params) as never,
    ...(sort.length === 0 ? {} : { sort }),
    ...(params.attributesToRetrieve === undefined ? {} : { attributesToRetrieve: params.attributesToRetrieve }),
    attributesToHighlight: params.attributesToHighlight ?? ['*'],
    attributesToCrop: snippets,
    cropLength: SNIPPET_WORDS,
    highlightPreTag: params.highlightPreTag ?? PRE_TAG,
    highlightPostTag: params.highlightPostTag ?? POST_TAG,
  } as never);
  const found = answer as SearchAnswer<Readonly<Record<string, unknown>>, { readonly page: number }>;
  return {
    index: indexName,
    query,
    params: '',
    page,
    hitsPerPage,
    nbHits: found.totalHits,
    nbPages: found.totalPages,
    exhaustiveNbHits: true,
    processingTimeMS: found.processingTimeMs,
    facets: found.facetDistribution ?? {},
    facets_stats: statsOf(found.facetStats ?? {}),
    hits: found.hits.map((hit) => shownHit(hit, new Set(snippets))),
  };
}

/** Answers the search of a widget for values of a facet. */
export async function facetValues(index: SearchableIndex, params: WidgetParameters): Promise<object> {
  const found = await index.facetSearch(params.facetName ?? '', params.facetQuery ?? '', {
    ...(params.query === undefined ? {} : { q: params.query }),
    filter: filterOf(params) as never,
  });
  const facetHits = found.facetHits.map(({ value, count }) => ({ value, highlighted: value, count }));
  return { facetHits, exhaustiveFacetsCount: true, processingTimeMS: found.processingTimeMs };
}

function statsOf(stats: FacetStats): object {
  return Object.fromEntries(Object.entries(stats).map(([name, { min, max }]) => [name, { min, max, avg: 0, sum: 0 }]));
}

function shownHit({ _formatted: formatted, ...hit }: Readonly<Record<string, unknown>>, snippets: ReadonlySet<string>) {
  const entries = Object.entries((formatted ?? {}) as object);
  return {
    ...hit,
    objectID: String(hit['id'] ?? hit['objectID'] ?? ''),
    _highlightResult: Object.fromEntries(entries.map(([name, value]) => [name, marked(value)])),
    _snippetResult: Object.fromEntries(
      entries.filter(([name]) => snippets.has(name)).map(([name, value]) => [name, marked(value)]),
    ),
  };
}

/** Each text as InstantSearch expects it, in the same arrays and objects. */
function marked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, marked(member)]));
  const text = String(value);
  return { value: text, matchLevel: text.includes(PRE_TAG) ? 'full' : 'none', matchedWords: [] };
}

/** The filters of widgets as one filter: lists in a list are alternatives in both. */
function filterOf({
  filters,
  facetFilters,
  numericFilters,
}: WidgetParameters): readonly (string | readonly string[])[] {
  const facetLists = listsOf(facetFilters).map((entry) =>
    typeof entry === 'string' ? facetCondition(entry) : entry.map(facetCondition),
  );
  return [...(filters === undefined || filters === '' ? [] : [filters]), ...facetLists, ...listsOf(numericFilters)];
}

function listsOf(filters: FacetFilters | undefined): readonly (string | readonly string[])[] {
  return typeof filters === 'string' ? [filters] : (filters ?? []);
}

/** `genres:Drama`, or `genres:-Drama` for the others. */
function facetCondition(entry: string): string {
  const at = entry.indexOf(':');
  const [name, value] = [entry.slice(0, at), entry.slice(at + 1)];
  const isNegated = value.startsWith('-');
  return `${quoted(name)} ${isNegated ? '!=' : '='} ${quoted(isNegated ? value.slice(1) : value)}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
