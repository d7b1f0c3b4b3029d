import { MAX_DOCUMENT_ID_BYTES } from '@fossick/base';
import { idText } from '@fossick/documents';
import type { SimilarRequest } from '@fossick/search';
import { optional, type Parser, type Received, required, wrongValue } from '../reading/fields.js';
import { checkFilterGates, type SearchFeatures } from '../reading/filter-gates.js';
import { filterValue } from '../reading/filter-value.js';
import { queryBoolean, queryFilter, queryInteger, queryList, queryShare, queryText } from '../reading/query-values.js';
import { boolean, integer, names, share, string } from '../reading/values.js';

/** A document id: its text, or an integer that stands for it. */
const documentId: Parser<string> = (value, where) => {
  const text = idText(value);
  if (text === undefined) throw wrongValue(where, wrongIdMessage(value));
  return text;
};
/** The error message for a value that idText does not accept. */
export function wrongIdMessage(value: unknown): string {
  const text = JSON.stringify(value);
  return (
    `${text.length > 80 ? `${text.slice(0, 80)}…` : text} is no document id: an integer, or up to ${MAX_DOCUMENT_ID_BYTES} of the ` +
    'characters a-z, A-Z, 0-9, `-` and `_`.'
  );
}

/** Body of POST similar. */
export const SIMILAR_BODY = {
  id: required('invalid_similar_id', documentId, 'bad_request'),
  embedder: required('invalid_similar_embedder', string, 'bad_request'),
  offset: optional('invalid_similar_offset', integer),
  limit: optional('invalid_similar_limit', integer),
  filter: optional<unknown>('invalid_similar_filter', filterValue),
  attributesToRetrieve: optional('invalid_similar_attributes_to_retrieve', names),
  retrieveVectors: optional('invalid_similar_retrieve_vectors', boolean),
  showRankingScore: optional('invalid_similar_show_ranking_score', boolean),
  showRankingScoreDetails: optional('invalid_similar_show_ranking_score_details', boolean),
  showPerformanceDetails: optional('invalid_similar_show_performance_details', boolean),
  rankingScoreThreshold: optional('invalid_similar_ranking_score_threshold', share),
};

/** Query parameters of GET similar, where `embedder` has a default. */
export const SIMILAR_QUERY = {
  id: required('invalid_similar_id', documentId, 'bad_request'),
  embedder: optional('invalid_similar_embedder', queryText),
  offset: optional('invalid_similar_offset', queryInteger),
  limit: optional('invalid_similar_limit', queryInteger),
  filter: optional('invalid_similar_filter', queryFilter),
  attributesToRetrieve: optional('invalid_similar_attributes_to_retrieve', queryList),
  retrieveVectors: optional('invalid_similar_retrieve_vectors', queryBoolean),
  showRankingScore: optional('invalid_similar_show_ranking_score', queryBoolean),
  showRankingScoreDetails: optional('invalid_similar_show_ranking_score_details', queryBoolean),
  showPerformanceDetails: optional('invalid_similar_show_performance_details', queryBoolean),
  rankingScoreThreshold: optional('invalid_similar_ranking_score_threshold', queryShare),
};

/** A checked body in the engine's form. Throws feature_not_enabled for a filter that needs a feature. */
export function toSimilarRequest(
  body: Received<typeof SIMILAR_BODY>,
  tenantFilter: unknown,
  features: SearchFeatures,
): SimilarRequest {
  checkFilterGates(body.filter ?? null, features);
  return {
    id: body.id!,
    embedder: body.embedder!,
    offset: body.offset ?? 0,
    limit: body.limit ?? 20,
    filter: body.filter ?? null,
    tenantFilter: tenantFilter ?? null,
    attributesToRetrieve: body.attributesToRetrieve ?? null,
    retrieveVectors: body.retrieveVectors ?? false,
    showRankingScore: body.showRankingScore ?? false,
    showRankingScoreDetails: body.showRankingScoreDetails ?? false,
    rankingScoreThreshold: body.rankingScoreThreshold ?? null,
  };
}
