/**
 * The rest of facet searches and listings over the network once every instance has answered, as plain data for any
 * thread.
 */

import { isJsonObject } from '@fossick/api';
import { type ErrorCode, MAX_ANSWER_BYTES, own, sharedError } from '@fossick/base';
import { pruneFields, toJsonText } from '@fossick/documents';
import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import {
  AnswerWriter,
  type DocumentsPage,
  type DocumentsQuery,
  type FacetSearchResponse,
  listDocuments,
  mergeDocuments,
  shownDocument,
} from '@fossick/search';
import { areLargeAnswers, badResponse, failureOf, readParsed } from '../../network/remote-answer.js';
import { asBuffer } from '../../parts/as-buffer.js';
import { found, inThreadIf, type JobKind, type JobResult, placeOfRows } from './job.js';

type Document = Readonly<Record<string, unknown>>;
type FacetHits = FacetSearchResponse['facetHits'];

/** The answer of a remote, or the error of a failed one. */
export type ListAnswer =
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly error: object };
/** How documents are shown. */
export interface DocumentsShown {
  readonly fields: readonly string[] | null;
  readonly retrieveVectors: boolean;
}
export interface NetworkedFacetsJob {
  readonly kind: 'networkedFacets';
  readonly ownHits: FacetHits;
  readonly answers: readonly ListAnswer[];
  readonly isByCount: boolean;
  readonly maxValues: number;
  readonly facetQuery: string | null;
  /** Milliseconds until every instance had answered. */
  readonly waitedMs: number;
  readonly isNetworked: boolean;
}
export interface NetworkedDocumentsJob {
  readonly kind: 'networkedDocuments';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly query: DocumentsQuery;
  readonly shown: DocumentsShown;
  readonly answers: readonly ListAnswer[];
  /** Number of documents requested from each remote. */
  readonly documentCount: number;
}
/** The document with an id on another instance. */
export interface NetworkedDocumentJob {
  readonly kind: 'networkedDocument';
  readonly answers: readonly ListAnswer[];
}

const areLarge = (answers: readonly ListAnswer[]): boolean =>
  areLargeAnswers(answers.flatMap((answer) => ('bytes' in answer ? [answer.bytes] : [])));

export const NETWORKED_FACETS: JobKind<NetworkedFacetsJob, Buffer> = {
  place: ({ answers }) => inThreadIf(areLarge(answers)),
  run: (_engine, job) => answerNetworkedFacets(job),
};

export const NETWORKED_DOCUMENTS: JobKind<NetworkedDocumentsJob, Buffer> = {
  place: (job, sizes) => (areLarge(job.answers) ? 'thread' : placeOfRows(job, sizes)),
  run: answerNetworkedDocuments,
};

export const NETWORKED_DOCUMENT: JobKind<NetworkedDocumentJob, Buffer | null> = {
  place: ({ answers }) => inThreadIf(areLarge(answers)),
  run: (_engine, job) => answerNetworkedDocument(job),
};

/** Sums the counts of equal values. As JSON bytes. */
function answerNetworkedFacets(job: NetworkedFacetsJob): JobResult<Buffer> {
  const startedMs = performance.now();
  const read = readAll(job.answers, facetHitsOf);
  const facetHits = summed([job.ownHits, ...read.values], job.isByCount).slice(0, job.maxValues);
  const answer = {
    facetHits,
    facetQuery: job.facetQuery,
    processingTimeMs: Math.floor(job.waitedMs + performance.now() - startedMs),
    ...(job.isNetworked ? { remoteErrors: read.errors } : {}),
  };
  return found(Buffer.from(toJsonText(answer)), { failedRemotes: read.failed });
}

/**
 * First documents of this instance, then remote by remote in the order of their names, or all of them by `sort`. As
 * JSON bytes. @throws ApiError invalid_document_limit
 * for more than an answer may hold
 */
function answerNetworkedDocuments(engine: EngineReader, job: NetworkedDocumentsJob): JobResult<Buffer> {
  const { query, shown, scope, indexUid } = job;
  const { offset, limit, sort } = query;
  const end = offset + limit;
  const isSorted = sort !== null && sort.length > 0;
  const read = readAll(job.answers, (answer) => readPage(answer, job.documentCount));
  const wanted = isSorted ? { ...query, offset: 0, limit: end } : query;
  const here = engine.withView(indexUid, (view) => listDocuments(view, wanted), indexAccess(scope));
  const settings = shown.retrieveVectors ? engine.settings(indexUid) : null;
  const show = (document: Document): Document => shownDocument(document, shown.fields, settings);
  const theirs = read.values.map(({ documents }) => documents);
  const total = read.values.reduce((sum, page) => sum + page.total, here.total);
  let documents: readonly Document[];
  if (isSorted) {
    const isOwn = new Set<Document>(here.documents);
    const page = mergeDocuments([here.documents, ...theirs], sort).slice(offset, end);
    documents = page.map((document) => (isOwn.has(document) ? show(document) : pruned(document, shown)));
  } else {
    const from = Math.max(0, offset - here.total);
    documents = [...here.documents.map(show), ...theirs.flat().slice(from, from + limit - here.documents.length)];
  }
  const writer = new AnswerWriter(documents.length, 'invalid_document_limit', MAX_ANSWER_BYTES, 'results');
  for (const document of documents) writer.add(toJsonText(document));
  const rest = toJsonText({ offset, limit, total, remoteErrors: read.errors }).slice(1);
  return found(asBuffer(writer.end(`],${rest}`)), { failedRemotes: read.failed });
}

/**
 * The first document that a remote returned, as JSON bytes; null when no remote has it. @throws ApiError of an invalid
 * answer in that case
 */
function answerNetworkedDocument({ answers }: NetworkedDocumentJob): JobResult<Buffer | null> {
  const read = readAll(answers, (answer) => readPage(answer, 1));
  const document = read.values.flatMap(({ documents }) => documents)[0];
  const [name] = read.failed;
  if (document === undefined && name !== undefined) {
    const { code, message } = own(read.errors, name) as { readonly code: ErrorCode; readonly message: string };
    throw sharedError(code, 'ofRemote', name, message);
  }
  const bytes = document === undefined ? null : Buffer.from(toJsonText(document));
  return found(bytes, { failedRemotes: read.failed });
}

interface ReadAnswers<T> {
  readonly values: readonly T[];
  /** By name of the remote. */
  readonly errors: Readonly<Record<string, object>>;
  /** Names of remotes whose failure was only found here. */
  readonly failed: readonly string[];
}
function readAll<T>(answers: readonly ListAnswer[], read: (answer: unknown) => T): ReadAnswers<T> {
  const values: T[] = [];
  const errors: (readonly [string, object])[] = [];
  const failed: string[] = [];
  for (const answer of answers) {
    if ('error' in answer) {
      errors.push([answer.name, answer.error]);
      continue;
    }
    try {
      values.push(readParsed(answer.bytes, read));
    } catch (error) {
      errors.push([answer.name, failureOf(answer.name, error).error]);
      failed.push(answer.name);
    }
  }
  return { values, errors: Object.fromEntries(errors), failed };
}

function summed(lists: readonly FacetHits[], isByCount: boolean): FacetHits {
  const counts = new Map<string, number>();
  for (const { value, count } of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + count);
  const byValue = [...counts]
    .map(([value, count]) => ({ value, count, bytes: Buffer.from(value) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ value, count }) => ({ value, count }));
  return isByCount ? byValue.reverse().sort((a, b) => b.count - a.count) : byValue;
}

const isCount = (count: unknown): count is number => Number.isSafeInteger(count) && (count as number) >= 0;

/** @throws ApiError remote_bad_response */
export function facetHitsOf(answer: unknown): FacetHits {
  const hits = isJsonObject(answer) ? answer.facetHits : undefined;
  if (!Array.isArray(hits)) throw badResponse('The answer is no facet search: it has no `facetHits`.');
  return hits.map((hit, i) => {
    if (isJsonObject(hit) && typeof hit.value === 'string' && isCount(hit.count))
      return { value: hit.value, count: hit.count };
    throw badResponse(`\`.facetHits[${i}]\` lacks its value or count.`);
  });
}

/** @throws ApiError remote_bad_response */
export function readPage(answer: unknown, limit: number): DocumentsPage {
  const { results, total } = isJsonObject(answer) ? answer : {};
  if (!Array.isArray(results) || !results.every(isJsonObject))
    throw badResponse('The answer is no page of documents: it has no `results`.');
  if (!isCount(total)) throw badResponse('The answer does not count its documents.');
  return { documents: results.slice(0, limit), total };
}

function pruned(document: Document, { fields, retrieveVectors }: DocumentsShown): Document {
  if (fields === null || fields.includes('*')) return document;
  const { _vectors, ...rest } = document;
  const shown = pruneFields(rest, fields);
  return retrieveVectors && _vectors !== undefined ? { ...shown, _vectors } : shown;
}
