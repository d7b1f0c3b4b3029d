/** The hits of a search, made from its ranked documents. */
import type { DocId } from '@fossick/base';
import { liveDocument } from '@fossick/columns';
import { toJsonText } from '@fossick/documents';
import type { IndexView } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import { shownVectors } from '@fossick/vectors';
import { buildHit, createHitFormatter, type FormatHit, type FormattedHit } from './highlight/hit-formatter.js';
import type { RankedSearch } from './ranked/ranked-search.js';
import type { RankedDocument } from './ranking/bucket-sort.js';
import { scoreDetailsJson, shownScore } from './ranking/rules/score-details.js';
import type { SearchHit } from './request/search-response.js';
import { losslessHit } from './wire/lossless-answer.js';

/** Makes hits of the ranked documents of a request. O(fields + terms) once, then O(document) each. */
export function hitMaker(
  view: IndexView,
  request: SearchRequest,
  { terms }: Pick<RankedSearch, 'terms'>,
  deadlineMs?: number,
): (ranking: RankedDocument) => SearchHit {
  return makerBy(view, request, formatterOf(view, request, terms, deadlineMs));
}

/** The same as JSON texts. */
export function hitTextMaker(
  view: IndexView,
  request: SearchRequest,
  { terms }: Pick<RankedSearch, 'terms'>,
  deadlineMs: number,
): (ranking: RankedDocument) => string {
  const make = makerBy(view, request, formatterOf(view, request, terms, deadlineMs));
  return (ranking) => toJsonText(losslessHit(make(ranking)));
}

/** The JSON text of a plain hit, made from its object. */
export function plainTextMaker(view: IndexView, request: SearchRequest): (docId: DocId) => string {
  return (docId) => toJsonText(makerBy(view, request, plainFormat(view, request)!)({ docId, details: [] }));
}

function formatterOf(
  view: IndexView,
  params: SearchRequest,
  terms: RankedSearch['terms'],
  deadlineMs = Number.POSITIVE_INFINITY,
): FormatHit {
  const { fieldNames, settings, formattingTokenizer: tokenizer } = view;
  return (
    plainFormat(view, params) ??
    createHitFormatter({
      fieldNames,
      settings,
      tokenizer,
      deadlineMs,
      get terms() {
        return terms(deadlineMs);
      },
      params,
    })
  );
}

/** The formatter of requests that change nothing of their hits: one for each view. */
const plainFormats = new WeakMap<IndexView, FormatHit>();

/** The formatter of hits that are the unchanged documents; null when the request or the settings change them. */
export function plainFormat(view: IndexView, params: SearchRequest): FormatHit | null {
  if (!needsNoHits(params)) return null;
  let format = plainFormats.get(view);
  if (format === undefined) {
    const { fieldNames, settings, formattingTokenizer: tokenizer } = view;
    format = createHitFormatter({ fieldNames, settings, tokenizer, terms: [], params });
    plainFormats.set(view, format);
  }
  return format.isPlain ? format : null;
}

const needsNoHits = (request: SearchRequest): boolean =>
  request.attributesToRetrieve === null &&
  !isFormatted(request) &&
  !request.showRankingScore &&
  !request.showRankingScoreDetails &&
  !request.retrieveVectors &&
  (request.sort === null || !request.sort.some((entry) => entry.includes('_geo')));

const isFormatted = (request: SearchRequest): boolean =>
  request.attributesToCrop !== null || request.attributesToHighlight !== null || request.showMatchesPosition;

function makerBy(view: IndexView, request: SearchRequest, format: FormatHit): (ranking: RankedDocument) => SearchHit {
  // formatted hits show vectors that no embedder owns
  const isVectorless = !request.retrieveVectors && !isFormatted(request);
  const seen = isVectorless
    ? { uid: view.uid, document: (docId: DocId): Record<string, unknown> | undefined => view.documentFields(docId) }
    : view;
  return (ranking) => {
    const document = liveDocument(seen, ranking.docId);
    const vectors = request.retrieveVectors ? shownVectors(document, view.settings) : undefined;
    return decorate(request, format(document, vectors), ranking);
  };
}

function decorate(request: SearchRequest, parts: FormattedHit, { details }: RankedDocument): SearchHit {
  const hit: SearchHit = buildHit(parts);
  if (request.showRankingScore) hit._rankingScore = shownScore(details);
  if (request.showRankingScoreDetails) hit._rankingScoreDetails = scoreDetailsJson(details);
  return hit;
}
