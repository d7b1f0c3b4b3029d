/** Every read of an index that may take long, as plain data: done by this thread or by a search thread. */

import { MAX_FILTER_CONDITIONS } from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import { readFilter } from '@fossick/filter';
import type { EngineReader, IndexWeight } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import {
  type DocumentsQuery,
  type FacetSearchRequest,
  facetSearch,
  listDocumentBytes,
  type RuleBook,
  type SearchRequest,
  type ShownFields,
  wordsSuffice,
} from '@fossick/search';
import { areLargeAnswers } from '../network/remote-answer.js';
import { chatSearchBytes } from './chat-search.js';
import { answerFederatedJob, type FederatedJob } from './federated-job.js';
import { answerNetworkedJob, hasHeavyRemotes, type NetworkedJob } from './networked-job.js';
import {
  answerNetworkedDocument,
  answerNetworkedDocuments,
  answerNetworkedFacets,
  type NetworkedDocumentJob,
  type NetworkedDocumentsJob,
  type NetworkedFacetsJob,
} from './networked-lists.js';
import { answerRender, type RenderJob } from './render-template.js';
import { answerSimilarJob, type SimilarJob } from './similar-job.js';
import { type AnswerExtras, answerBytes } from './single-search.js';

interface OnIndex {
  readonly indexUid: string;
  readonly scope: IndexScope;
}
export type SearchJob =
  | (OnIndex & {
      readonly kind: 'search';
      readonly request: SearchRequest;
      readonly extras: AnswerExtras;
      readonly ruleBook: RuleBook | null;
    })
  | (OnIndex & {
      /** A search for a conversation: the answer is ChatFindings. */
      readonly kind: 'chat';
      readonly request: SearchRequest;
      /** The most bytes of its texts. */
      readonly textBytes: number;
      readonly ruleBook: RuleBook | null;
    })
  | (OnIndex & {
      /** Whether keywords alone decide a hybrid search: the answer is one byte, 1 or 0. */
      readonly kind: 'words';
      readonly request: SearchRequest;
      readonly ruleBook: RuleBook | null;
    })
  | {
      /** Whether a filter can be parsed: the answer is empty. */
      readonly kind: 'syntax';
      readonly filter: unknown;
    }
  | (OnIndex & { readonly kind: 'facets'; readonly request: FacetSearchRequest })
  | (OnIndex & { readonly kind: 'documents'; readonly query: DocumentsQuery; readonly shown: ShownFields })
  | RenderJob
  | SimilarJob
  | FederatedJob
  | NetworkedJob
  | NetworkedFacetsJob
  | NetworkedDocumentsJob
  | NetworkedDocumentJob;

/** The answer to a job as JSON bytes in a buffer of their own. @throws ApiError for an invalid request */
export function answerJob(engine: EngineReader, job: SearchJob): Buffer {
  switch (job.kind) {
    case 'search':
      return answerBytes(engine, job);
    case 'chat':
      return chatSearchBytes(engine, job);
    case 'words': {
      const isEnough = engine.withView(
        job.indexUid,
        (view) => wordsSuffice(view, job.request, job.ruleBook),
        indexAccess(job.scope),
      );
      // a buffer of its own: it is transferred between threads
      return Buffer.alloc(1, Number(isEnough));
    }
    case 'syntax':
      readFilter(job.filter, 'invalid_search_filter');
      return Buffer.alloc(1);
    case 'facets': {
      const found = engine.withView(job.indexUid, (view) => facetSearch(view, job.request), indexAccess(job.scope));
      return Buffer.from(toJsonText(found));
    }
    case 'documents':
      return engine.withView(
        job.indexUid,
        (view) => listDocumentBytes(view, job.query, job.shown),
        indexAccess(job.scope),
      );
    case 'render':
      return answerRender(engine, job);
    case 'similar':
      return answerSimilarJob(engine, job);
    case 'federated':
      return answerFederatedJob(engine, job);
    case 'networked':
      return answerNetworkedJob(engine, job);
    case 'networkedFacets':
      return answerNetworkedFacets(job);
    case 'networkedDocuments':
      return answerNetworkedDocuments(engine, job);
    case 'networkedDocument':
      return answerNetworkedDocument(job);
  }
}

/**
 * Bytes of documents in an answer above which a search thread makes it: a few milliseconds of work as text, and some
 * 100 ms where they are tens of thousands of nested objects.
 */
const LIGHT_ANSWER_BYTES = 512 * 1024;
/** The same where texts are highlighted, cropped or searched for matches, which takes several times as long. */
const LIGHT_FORMATTED_BYTES = 128 * 1024;
/** Documents of a page, or ids to look up. */
const LIGHT_DOCUMENTS = 1_000;
/** Characters of a filter. */
const LIGHT_FILTER_UNITS = 16_384;
/** Settings beyond this take long to prepare for the first search after a commit. */
const LIGHT_SETTINGS_BYTES = 512 * 1024;
/** Documents whose facet values are searched: normalised forms are computed at the first such search. */
const LIGHT_FACET_DOCUMENTS = 20_000;
/** Queries of a federated search, which runs as one piece: of one commit for each index. */
const LIGHT_QUERIES = 8;
/** Facet values that are counted, formatted and shown: some 5 µs each. */
const LIGHT_FACET_VALUES = 4_000;
/** Number of fields that a pattern among the facets is assumed to match. */
const PATTERN_FIELDS = 20;

/**
 * Whether a job may block its thread for longer than other requests should wait. `isLarge`: the operator's limit for
 * the index's documents.
 */
export function isHeavy(job: SearchJob, weightOf: WeightOf): boolean {
  if (job.kind === 'render') return true;
  if (job.kind === 'syntax') return isLongFilter(job.filter);
  if (job.kind === 'networked' && hasHeavyRemotes(job.remotes)) return true;
  if ('answers' in job && areLargeAnswers(job.answers.flatMap((answer) => ('bytes' in answer ? [answer.bytes] : []))))
    return true;
  if (job.kind === 'networkedFacets' || job.kind === 'networkedDocument') return false;
  if (job.kind === 'federated' || job.kind === 'networked')
    return (
      isManySearches(job) ||
      hasManyValuesByIndex(job.request, weightOf) ||
      job.request.queries.some(
        ({ indexUid, request }) =>
          isHeavyOn(weightOf(indexUid), job.request.window.length, { isFormatted: isFormatted(request) }) ||
          isLongFilter(request.filter),
      )
    );
  const weight = weightOf(job.indexUid);
  if (job.kind === 'documents' || job.kind === 'networkedDocuments') {
    const { limit, ids, filter, sort } = job.query;
    const isLookedThrough = weight.isLarge && (filter !== null || sort !== null);
    return (
      isLookedThrough ||
      Math.min(limit, ids?.length ?? limit) > LIGHT_DOCUMENTS ||
      (ids?.length ?? 0) > LIGHT_DOCUMENTS ||
      (job.shown.fields?.length ?? 0) > LIGHT_DOCUMENTS ||
      isHeavyOn(weight, ids === null ? limit : Math.min(limit, ids.length), { isSearch: false }) ||
      isLongFilter(filter) ||
      (sort !== null && weight.documentCount > LIGHT_FACET_DOCUMENTS)
    );
  }
  if (isLongFilter(job.request.filter)) return true;
  if (job.kind === 'similar') return isLongFilter(job.request.tenantFilter) || isHeavyOn(weight, job.request.limit);
  if (job.kind === 'facets') return isHeavyOn(weight, 0) || weight.documentCount > LIGHT_FACET_DOCUMENTS;
  if (hasManyValues(job.request.facets, weight)) return true;
  return isHeavyOn(weight, job.request.hitsPerPage ?? job.request.limit, { isFormatted: isFormatted(job.request) });
}

/** Whether a job is so long in one piece that others would wait for it: hundreds of queries, and templates, take seconds. */
export function isLong(job: SearchJob): boolean {
  return job.kind === 'render' || isManySearches(job);
}

function isManySearches(job: SearchJob): boolean {
  return (job.kind === 'federated' || job.kind === 'networked') && job.request.queries.length > LIGHT_QUERIES;
}

type WeightOf = (uid: string) => IndexWeight & { readonly isLarge: boolean };

/** Facets of an index without a query count nothing, and the index need not exist. */
function hasManyValuesByIndex({ queries, facetsByIndex }: FederatedJob['request'], weightOf: WeightOf): boolean {
  const uids = [...facetsByIndex.keys()].filter((uid) => queries.some(({ indexUid }) => indexUid === uid));
  return uids.some((uid) => hasManyValues(facetsByIndex.get(uid)!, weightOf(uid)));
}

/**
 * Whether the facets may show many values: without a look each document is assumed to have at least one value of a
 * field.
 */
function hasManyValues(facets: readonly string[] | null, { documentCount, facetValuesMax }: IndexWeight): boolean {
  if (facets === null || facets.length === 0) return false;
  const valueCount = Math.min(facetValuesMax, documentCount);
  // so many entries cannot all be names of fields
  const entries = facets.slice(0, LIGHT_FACET_VALUES);
  const fieldCount = entries.reduce((count, entry) => count + (entry.includes('*') ? PATTERN_FIELDS : 1), 0);
  return fieldCount * valueCount > LIGHT_FACET_VALUES;
}

function isFormatted({ attributesToHighlight, attributesToCrop, showMatchesPosition }: SearchRequest): boolean {
  return attributesToHighlight !== null || attributesToCrop !== null || showMatchesPosition;
}

function isHeavyOn(
  { isLarge, documentCount, documentBytes, settingsBytes }: IndexWeight & { readonly isLarge: boolean },
  limit: number,
  { isSearch = true, isFormatted = false }: { readonly isSearch?: boolean; readonly isFormatted?: boolean } = {},
): boolean {
  const shownBytes = documentCount === 0 ? 0 : (Math.min(limit, documentCount) * documentBytes) / documentCount;
  const lightBytes = isFormatted ? LIGHT_FORMATTED_BYTES : LIGHT_ANSWER_BYTES;
  return (isLarge && isSearch) || settingsBytes > LIGHT_SETTINGS_BYTES || shownBytes > lightBytes;
}

function isLongFilter(filter: unknown): boolean {
  if (typeof filter === 'string') return filter.length > LIGHT_FILTER_UNITS;
  if (!Array.isArray(filter)) return false;
  if (filter.length > MAX_FILTER_CONDITIONS) return false; // it will be refused at once
  let units = 0;
  for (const item of filter) {
    const texts: readonly unknown[] = Array.isArray(item) ? item.slice(0, LIGHT_FILTER_UNITS) : [item];
    for (const text of texts) units += typeof text === 'string' ? text.length + 1 : 1;
    if (units > LIGHT_FILTER_UNITS) return true;
  }
  return false;
}
