import { apiError } from '@fossick/base';
import type { FacetSearchRequest, HybridRequest, SearchRequest } from '@fossick/search';
import type { Received } from '../reading/fields.js';
import { checkFilterGates, type SearchFeatures } from '../reading/filter-gates.js';
import { bothFilters } from '../reading/filter-value.js';
import { type FACET_SEARCH_BODY, missingHybrid, type SEARCH_BODY, type SEARCH_QUERY } from './search-fields.js';

type SearchBody = Received<typeof SEARCH_BODY>;
type SearchQuery = Received<typeof SEARCH_QUERY>;
type FacetSearchBody = Received<typeof FACET_SEARCH_BODY>;

/** A checked body in the engine's form, with defaults. Throws for members that exclude each other. */
export function toSearchRequest(body: SearchBody, tenantFilter: unknown, features: SearchFeatures): SearchRequest {
  const filter = bothFilters(body.filter ?? null, tenantFilter);
  checkGates(body, filter, features);
  checkHybrid(body);
  return {
    q: body.q ?? null,
    offset: body.offset ?? 0,
    limit: body.limit ?? 20,
    page: body.page ?? null,
    hitsPerPage: body.hitsPerPage ?? null,
    attributesToRetrieve: body.attributesToRetrieve ?? null,
    attributesToCrop: body.attributesToCrop ?? null,
    cropLength: body.cropLength ?? 10,
    cropMarker: markerOf(body.cropMarker, '…'),
    attributesToHighlight: body.attributesToHighlight ?? null,
    highlightPreTag: markerOf(body.highlightPreTag, '<em>'),
    highlightPostTag: markerOf(body.highlightPostTag, '</em>'),
    showMatchesPosition: body.showMatchesPosition ?? false,
    showRankingScore: body.showRankingScore ?? false,
    showRankingScoreDetails: body.showRankingScoreDetails ?? false,
    rankingScoreThreshold: body.rankingScoreThreshold ?? null,
    filter,
    sort: body.sort ?? null,
    facets: body.facets ?? null,
    distinct: body.distinct ?? null,
    matchingStrategy: body.matchingStrategy ?? 'last',
    attributesToSearchOn: body.attributesToSearchOn ?? null,
    locales: body.locales ?? null,
    retrieveVectors: body.retrieveVectors ?? false,
    vector: body.vector ?? null,
    hybrid: body.hybrid ?? null,
    ...(isGiven(body.media) ? { hasMedia: true } : {}),
  };
}

/** The marker: null inserts nothing, only an absent member means the default. */
const markerOf = (given: string | null | undefined, byDefault: string): string =>
  given === undefined ? byDefault : (given ?? '');

/** GET parameters in the shape of a body. */
export function fromSearchQuery(query: SearchQuery): SearchBody {
  const { hybridEmbedder, hybridSemanticRatio, personalizeUserContext, ...others } = query;
  const same: SearchBody =
    typeof personalizeUserContext === 'string'
      ? { ...others, personalize: { userContext: personalizeUserContext } }
      : others;
  if (hybridEmbedder === undefined || hybridEmbedder === null) {
    if (hybridSemanticRatio !== undefined) throw apiError('invalid_search_hybrid_query');
    return same;
  }
  const hybrid: HybridRequest = { embedder: hybridEmbedder, semanticRatio: hybridSemanticRatio ?? 0.5 };
  return { ...same, hybrid };
}

export function toFacetSearchRequest(
  body: FacetSearchBody,
  tenantFilter: unknown,
  features: SearchFeatures,
): FacetSearchRequest {
  const filter = bothFilters(body.filter ?? null, tenantFilter);
  checkGates(body, filter, features);
  checkHybrid(body);
  return {
    facetName: body.facetName!,
    facetQuery: body.facetQuery ?? null,
    q: body.q ?? null,
    filter,
    matchingStrategy: body.matchingStrategy ?? 'last',
    attributesToSearchOn: body.attributesToSearchOn ?? null,
    rankingScoreThreshold: body.rankingScoreThreshold ?? null,
    exhaustiveFacetCount: body.exhaustiveFacetCount ?? false,
    locales: body.locales ?? null,
    vector: body.vector ?? null,
    hybrid: body.hybrid ?? null,
    ...(isGiven(body.media) ? { hasMedia: true } : {}),
  };
}

/** @param filter the request's and the tenant token's: neither may use disabled features */
function checkGates(body: SearchBody, filter: unknown, features: SearchFeatures): void {
  checkFilterGates(filter, features);
  if (body.personalize !== undefined && body.personalize !== null) requirePersonalization();
  if (body.useNetwork === true) requireFeature(features, 'network', 'useNetwork');
  if (isGiven(body.media)) requireFeature(features, 'multimodal', 'media');
}

/** Throws feature_not_enabled: personalisation is done by another service, which this server does not have. */
export function requirePersonalization(): never {
  throw apiError('feature_not_enabled', 'personalization');
}

/** Throws feature_not_enabled when `feature` is off. `what` names the use that needs it. */
export function requireFeature(features: SearchFeatures, feature: string, what: string): void {
  if (features.isOn(feature)) return;
  throw apiError('feature_not_enabled', 'request', what, feature);
}

function checkHybrid({ vector, media, hybrid }: SearchBody): void {
  const hasVector = isGiven(vector);
  const hasMedia = isGiven(media);
  if (hasVector && hasMedia) throw apiError('invalid_search_media_and_vector');
  if ((hasVector || hasMedia) && (hybrid === undefined || hybrid === null)) throw missingHybrid();
}

const isGiven = (member: unknown): boolean => member !== undefined && member !== null;
