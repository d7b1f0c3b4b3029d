import type { MessageRows } from './message-row.js';
import { filterableAre, indexAttributes, listedNames, searchableShown } from './shared.js';

/** Messages of errors of searches, by code. */
export const SEARCHES_MESSAGES = {
  search_analytics_off: () =>
    'Search analytics are off. Start the server with `--search-analytics` to count searches and events.',
  invalid_suggestions_index_uid: (uid: string) =>
    `The index \`${uid}\` has other documents than suggestions. Name another one, or delete it.`,
  invalid_analytics_to: {
    beforeFrom: () => '`to` is not later than `from`.',
    tooLong: (days: number) => `The range from \`from\` to \`to\` is longer than ${days} days.`,
  },
  facet_search_disabled: (uid: string) =>
    `Index \`${uid}\`: facet search is switched off by the setting \`facetSearch\`.`,
  invalid_facet_search_facet_name: {
    noRule: (uid: string, facetName: string, patterns: readonly string[]) =>
      `Index \`${uid}\`: \`${facetName}\` is not facet-searchable; ${patterns.length === 0 ? 'no attribute is' : `facet-searchable are: ${listedNames(patterns)}`}; change the setting \`filterableAttributes\`.`,
    ofRule: (uid: string, facetName: string, rule: number) =>
      `Index \`${uid}\`: \`${facetName}\` is not facet-searchable; rule ${rule} of \`filterableAttributes\` decides: set \`"facetSearch": true\` in it, or put such a rule ahead of it.`,
  },
  invalid_multi_search_distinct: () =>
    '`federation.distinct` is set too. Drop `distinct` from the query (which is better left out of a federated search), or drop `federation`.',
  invalid_multi_search_facet_order: (field: string, leftUid: string, leftOrder: string, uid: string, order: string) =>
    `The values of facet \`${field}\` cannot be merged: index \`${leftUid}\` orders them by \`${leftOrder}\`, index \`${uid}\` by \`${order}\`. Drop \`federation.mergeFacets\`, or align the \`faceting.sortFacetValuesBy\` of both.`,
  invalid_multi_search_federation_options: {
    remoteWithNetwork: () =>
      '`federationOptions.remote` asks one remote and `useNetwork` asks all of them: drop one of the two.',
    notFederated: () => '`federationOptions` is for federated searches: drop it, or add `federation` to the body.',
  },
  invalid_multi_search_query_ranking_rules: (
    leftPosition: number,
    rightPosition: number,
    reason: string,
    sides: string,
    notes: string,
  ) =>
    `The results of queries[${leftPosition}] and queries[${rightPosition}] cannot be merged: ${reason}.${sides}${notes}`,
  invalid_multi_search_remote: (remote: string) => `The network knows no remote named \`${remote}\`.`,
  invalid_search_aggregations: {
    notFilterable: (uid: string, field: string, patterns: readonly string[]) =>
      `Index \`${uid}\`: \`${field}\` is not filterable, so nothing is computed from it. Filterable attributes: ${listedNames(patterns) || 'none'}.`,
    tooManyBuckets: (uid: string, field: string, most: number) =>
      `Index \`${uid}\`: the histograms of \`${field}\` have more than ${most} buckets; make the interval wider.`,
  },
  invalid_search_facet_levels: {
    notHierarchical: (uid: string, field: string) =>
      `Index \`${uid}\`: \`${field}\` is not among the setting \`hierarchicalFacets\`, so it has no levels.`,
    notFilterable: (uid: string, field: string) =>
      `Index \`${uid}\`: \`${field}\` is not filterable, so its levels are not counted.`,
  },
  invalid_search_group: {
    notFilterable: (uid: string, field: string, patterns: readonly string[]) =>
      `Index \`${uid}\`: \`${field}\` is not filterable, so hits cannot be grouped by it. Filterable attributes: ${listedNames(patterns) || 'none'}.`,
    withDistinct: () => '`group` and `distinct` exclude each other: drop one of them.',
    tooLarge: (groups: number, hits: number, mostGroups: number, mostHits: number) =>
      `A page of ${groups} groups with up to ${hits} hits each is too large: a page has up to ${mostGroups} groups and ${mostHits} hits in all.`,
  },
  invalid_search_distinct: (uid: string, requested: string, patterns: readonly string[]) =>
    `Index \`${uid}\`: attribute \`${requested}\` is not filterable, so it cannot be \`distinct\`. ${indexAttributes('filterable', patterns)}`,
  invalid_search_facets: {
    noFilterFeature: (uid: string, rule: number, entry: string) =>
      `Index \`${uid}\`: rule ${rule} of \`filterableAttributes\` gives \`${entry}\` no filter feature: switch on one in its \`features.filter\`, or put a more generous rule ahead of it.`,
    notFilterable: (uid: string, entry: string, patterns: readonly string[]) =>
      `Index \`${uid}\`: \`${entry}\` is not filterable; ${filterableAre(patterns)}.`,
  },
  invalid_search_filter: {
    noForeignKey: (uid: string, field: string) => `Index \`${uid}\`: \`foreignKeys\` has no entry for \`${field}\`.`,
    foreignInForeign: (uid: string) =>
      `Index \`${uid}\`: the condition of a \`_foreign\` may not hold another \`_foreign\`.`,
    tooManyForeign: (uid: string, maxCount: number) =>
      `Index \`${uid}\`: the foreign conditions find more than ${maxCount} documents; make them narrower.`,
  },
  invalid_search_hybrid_query: () => '`hybridSemanticRatio` needs `hybridEmbedder`.',
  invalid_search_media_and_vector: () => 'A search takes `media` or `vector`, not both.',
  invalid_search_q: () =>
    'The excluded words and phrases of `q` take too long: they must be found within `searchCutoffMs`. Exclude fewer of them.',
  invalid_search_sort: {
    malformed: (uid: string, reason: string) => `Index \`${uid}\`: ${reason}`,
    notSortable: (uid: string, field: string, sortable: readonly string[]) =>
      `Index \`${uid}\`: attribute \`${field}\` is not sortable. ${indexAttributes('sortable', sortable)}`,
    noSortRule: (uid: string) =>
      `Index \`${uid}\`: \`sort\` has no effect because the rule \`sort\` is missing from \`rankingRules\`.`,
  },
  invalid_vector_dimensions: {
    ofQuery: (uid: string, embedder: string, expected: number, dimCount: number) =>
      `Index \`${uid}\`: the embedder \`${embedder}\` has ${expected} dimensions, but \`vector\` has ${dimCount}.`,
    ofDocument: (externalId: string, dimCount: number, name: string, expectedDimCount: number | null) =>
      `A vector of the document \`${externalId}\` has ${dimCount} dimensions; the embedder \`${name}\` has ${expectedDimCount}.`,
  },
  missing_search_hybrid: () => 'A search by `vector` or `media` needs `hybrid` with the `embedder` to use.',
  not_found_similar_id: (uid: string, id: string) => `Index \`${uid}\` has no document \`${id}\`.`,
  too_many_search_requests: {
    searches: (slots: string) => `${slots} running and no more may wait. Try again in 10 seconds.`,
    conversations: (count: number) =>
      `${count} conversations are under way and no more may be. Try again in 10 seconds.`,
    streams: (count: number) => `${count} streams of tasks and batches are open and no more may be. Close one.`,
    remoteAnswers: () =>
      'Answers of remotes to other requests take all the memory there is for them: ask again later, or for fewer hits.',
    memory: (maxMib: number) =>
      `The search needs more memory than the ${maxMib} MiB that all searches may take. Try again in 10 seconds, or ask for less.`,
  },
  invalid_search_attributes_to_search_on: (
    name: string,
    uid: string,
    searchable: readonly string[],
    isPartial: boolean,
  ) =>
    `attributesToSearchOn names \`${name}\`, which is not a searchable attribute of index \`${uid}\`. Searchable attributes: ${searchableShown(searchable, isPartial)}.`,
  invalid_search_typo_tolerance: {
    wordSizes: (uid: string, oneTypo: number, twoTypos: number) =>
      `Index \`${uid}\`: with the setting, \`minWordSizeForTypos\` has \`oneTypo\` ${oneTypo} above \`twoTypos\` ${twoTypos}. Set both in the request.`,
    numbersApart: (uid: string) =>
      `Index \`${uid}\`: its setting \`typoTolerance.disableOnNumbers\` indexes numbers apart, so a request cannot allow typos in them. Set it to false, and true in requests.`,
  },
  invalid_search_ranking_rules: (uid: string, field: string, sortable: readonly string[]) =>
    `Index \`${uid}\`: attribute \`${field}\` is not sortable, so it cannot be a ranking rule of a request. ${indexAttributes('sortable', sortable)}`,
  invalid_search_attribute_weights: (name: string, uid: string, searchable: readonly string[], isPartial: boolean) =>
    `attributeWeights names \`${name}\`, which is not a searchable attribute of index \`${uid}\`. Searchable attributes: ${searchableShown(searchable, isPartial)}.`,
  invalid_search_boolean_query: {
    misplacedOr: (at: number) =>
      `Boolean query: \`OR\` at character ${at} has nothing in front of it. Write \`a OR b\`, or \`"OR"\` for the word.`,
    closesNothing: (at: number) =>
      `Boolean query: \`)\` at character ${at} closes no bracket. Remove it, or write \`(\` in front of its words.`,
    tooDeep: (maxDepth: number) => `Boolean query: brackets are nested more than ${maxDepth} deep.`,
    tooMany: (maxCount: number) =>
      `Boolean query: its brackets multiply out to more than ${maxCount} alternatives. Use fewer \`OR\`.`,
    tooManyExcluded: (maxCount: number) =>
      `Boolean query: it excludes more than ${maxCount} words. Exclude fewer words, or exclude documents by \`filter\`.`,
    onlyNegative: () =>
      'Boolean query: one of its alternatives has only excluded words. Give each alternative of `OR` a word to search for.',
  },
  vector_embedding_error: {
    wrongDimensions: (name: string, dimCount: number, externalId: string, dimCount2: number) =>
      `The embedder \`${name}\` returned ${dimCount} dimensions for the document \`${externalId}\`; ${dimCount2} are expected.`,
    notEmbedded: (name: string, externalId: string, reason: string) =>
      `The embedder \`${name}\` could not embed the document \`${externalId}\`: ${reason}`,
    unknownDimensions: (name: string, reason: string) =>
      `The embedder \`${name}\` could not be asked for the dimensions of its vectors: ${reason}`,
    fragmentsWithoutDimensions: (name: string) =>
      `The embedder \`${name}\` cannot infer \`dimensions\` from \`indexingFragments\`: set \`dimensions\`.`,
    noQueryVector: () => 'The embedder made no vector of the query.',
    noFragments: () => 'The embedder has no `searchFragments`, which say what becomes of `media`.',
    notOneFragment: (names: readonly string[]) =>
      `One of the \`searchFragments\` has to fit the query, and ${names.length === 0 ? 'none does' : `${listedNames(names, '`')} do`}.`,
    noDimensions: (name: string) => `The embedder \`${name}\` makes vectors of no dimensions.`,
    cannotEmbedQuery: (uid: string, embedder: string) =>
      `Index \`${uid}\`: the embedder \`${embedder}\` cannot make a vector of the query: give it as \`vector\`.`,
    noVectors: (externalId: string, name: string) =>
      `The document \`${externalId}\` has no \`_vectors.${name}\`, and the embedder \`${name}\` makes none itself: give it vectors, or \`null\` for none.`,
    ollamaAddress: (path: string, endings: string, url: string) =>
      `\`${path}.url\`: the address of ollama ends in ${endings}, but it is \`${url}\`.`,
    templateAndFragments: (path: string) =>
      `\`${path}\` has both \`documentTemplate\` and fragments: fragments say what is embedded, so drop the template.`,
    fragmentsOfOneSide: (path: string, has: string | undefined, lacks: string) =>
      `\`${path}\` has \`${has}\` and needs \`${lacks}\` as well.`,
  },
} satisfies MessageRows;
