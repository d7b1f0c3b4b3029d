import { apiError } from '@fossick/base';
import type { Received } from '@fossick/base/contract';
import {
  completeFacetSearch,
  completeSearch,
  completeSimilar,
  type FacetSearchRequest,
  HYBRID_PARAMETERS,
  type SearchRequest,
  type SIMILAR_PARAMETERS,
  type SimilarRequest,
} from '@fossick/settings/parameters';
import { bothFilters, checkFilterGates, type SearchFeatures } from '../reading/filter-gates.js';
import type { FACET_SEARCH_BODY, SEARCH_QUERY } from './search-fields.js';
import type { SearchBody } from './server-search-fields.js';

type SearchQuery = Received<typeof SEARCH_QUERY>;
type FacetSearchBody = Received<typeof FACET_SEARCH_BODY>;

/** A checked body in the engine's form, with defaults. Throws for members that exclude each other. */
export function toSearchRequest(body: SearchBody, tenantFilter: unknown, features: SearchFeatures): SearchRequest {
  return Object.assign(completeSearch(body), checkedParts(body, tenantFilter, features));
}

/** The same of a facet search. */
export function toFacetSearchRequest(
  body: FacetSearchBody,
  tenantFilter: unknown,
  features: SearchFeatures,
): FacetSearchRequest {
  return Object.assign(completeFacetSearch(body), checkedParts(body, tenantFilter, features));
}

/** The same of a search for similar documents. Throws feature_not_enabled for a filter that needs a feature. */
export function toSimilarRequest(
  body: Received<typeof SIMILAR_PARAMETERS>,
  tenantFilter: unknown,
  features: SearchFeatures,
): SimilarRequest {
  checkFilterGates(body.filter ?? null, features);
  return Object.assign(completeSimilar(body), { tenantFilter: tenantFilter ?? null });
}

/** Members that depend on each other or on the access. */
function checkedParts(
  body: SearchBody,
  tenantFilter: unknown,
  features: SearchFeatures,
): Pick<SearchRequest, 'filter' | 'hasMedia'> {
  const filter = bothFilters(body.filter ?? null, tenantFilter);
  checkGates(body, filter, features);
  checkHybrid(body);
  return isGiven(body.media) ? { filter, hasMedia: true } : { filter };
}

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
  const semanticRatio = hybridSemanticRatio ?? HYBRID_PARAMETERS.semanticRatio.default;
  return { ...same, hybrid: { embedder: hybridEmbedder, semanticRatio } };
}

/** @param filter the request's and the tenant token's: neither may use disabled features */
function checkGates(body: SearchBody, filter: unknown, features: SearchFeatures): void {
  checkFilterGates(filter, features);
  if (body.personalize !== undefined && body.personalize !== null) requirePersonalization();
  if (body.useNetwork === true) requireFeature(features, 'network', 'useNetwork');
  if (isGiven(body.inlineRule)) requireFeature(features, 'dynamicSearchRules', 'inlineRule');
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
  if ((hasVector || hasMedia) && !isGiven(hybrid)) throw apiError('missing_search_hybrid');
}

const isGiven = (member: unknown): boolean => member !== undefined && member !== null;
