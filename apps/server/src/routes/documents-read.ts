import { ApiError, DEFAULT_PAGE_LIMIT, MAX_LISTED_FIELDS, MAX_LISTED_IDS } from '@fossick/base';
import { idText } from '@fossick/documents';
import type { DocumentsQuery } from '@fossick/search';
import type { FastifyReply } from 'fastify';
import type { Access } from '../auth/access.js';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes, sendJson } from '../context.js';
import { shownDocument } from '../documents/shown-document.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';
import { checkFilterGates } from '../search/filter-gates.js';
import { networkDocument, networkDocuments } from '../search/network-documents.js';
import { runJob } from '../search/run-job.js';
import { answerJob, type SearchJob } from '../search/search-jobs.js';
import { requireFeature } from '../search/search-request.js';
import { wrongIdMessage } from '../search/similar-fields.js';
import { optional, type Parser, type Received, readFields, readQuery, wrongType, wrongValue } from '../wire/fields.js';
import { filterValue } from '../wire/filter-value.js';
import { queryBoolean, queryFilter, queryInteger, queryList, queryListOf, querySort } from '../wire/query-values.js';
import { boolean, integer, listOf, names, string } from '../wire/values.js';
import { requireInfo } from './indexes.js';

/** A document id: text, or an integer that stands for its text. Throws for what no document can have as its id. */
const documentId: Parser<string> = (value, where) => {
  if (typeof value !== 'string' && typeof value !== 'number') throw wrongType(where, 'a string or a number', value);
  const id = idText(value);
  if (id === undefined) throw wrongValue(where, wrongIdMessage(value));
  return id;
};
/** Ids in a query: an empty text is an empty list. */
const queryIds: Parser<string[]> = (value, where) => (value === '' ? [] : queryListOf(documentId)(value, where));
export const ONE_QUERY = {
  fields: optional('invalid_document_fields', queryList),
  retrieveVectors: optional('invalid_document_retrieve_vectors', queryBoolean),
  useNetwork: optional('invalid_document_use_network', queryBoolean),
};
export const LIST_QUERY = {
  offset: optional('invalid_document_offset', queryInteger),
  limit: optional('invalid_document_limit', queryInteger),
  fields: optional('invalid_document_fields', queryList),
  retrieveVectors: optional('invalid_document_retrieve_vectors', queryBoolean),
  ids: optional('invalid_document_ids', queryIds),
  filter: optional('invalid_document_filter', queryFilter),
  sort: optional('invalid_document_sort', querySort),
  useNetwork: optional('invalid_document_use_network', queryBoolean),
};
const documentFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  return filterValue(value, where);
};
export const FETCH_BODY = {
  offset: optional('invalid_document_offset', integer),
  limit: optional('invalid_document_limit', integer),
  fields: optional('invalid_document_fields', listOf(string, MAX_LISTED_FIELDS)),
  retrieveVectors: optional('invalid_document_retrieve_vectors', boolean),
  ids: optional('invalid_document_ids', listOf(documentId, MAX_LISTED_IDS)),
  filter: optional('invalid_document_filter', documentFilter),
  sort: optional('invalid_document_sort', names),
  useNetwork: optional('invalid_document_use_network', boolean),
};

/** Reading documents (spec 01 section 2). */
export function registerDocumentsRead(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid/documents';
  router.on('GET', base, (request, reply) => {
    const access = authorize(context, request, 'documents.get');
    const query = readQuery(queryOf(request), LIST_QUERY);
    return sendPage(context, access, reply, pathOf<'indexUid'>(request).indexUid, query);
  });
  router.on('POST', `${base}/fetch`, async (request, reply) => {
    const access = authorize(context, request, 'documents.get');
    const body = readFields(await readJson(request, context.options.readLimitBytes), FETCH_BODY);
    return sendPage(context, access, reply, pathOf<'indexUid'>(request).indexUid, body);
  });
  router.on('GET', `${base}/:documentId`, async (request, reply) => {
    authorize(context, request, 'documents.get');
    const query = readQuery(queryOf(request), ONE_QUERY);
    const { indexUid, documentId } = pathOf<'indexUid' | 'documentId'>(request);
    if (query.useNetwork === true) requireFeature(context.features, 'network', 'useNetwork');
    const { uid } = requireInfo(context.engine, indexUid);
    const document = context.engine.withView(uid, (view) => {
      const docId = view.docIdOf(documentId);
      return docId === undefined ? undefined : view.document(docId);
    });
    // what is no id would be refused elsewhere, and is just not found
    if (document === undefined && query.useNetwork === true && idText(documentId) !== undefined) {
      const shown = { fields: query.fields ?? null, retrieveVectors: query.retrieveVectors === true };
      const elsewhere = await networkDocument(context, uid, documentId, shown, (job) => runJob(context, job));
      if (elsewhere !== undefined) return sendBytes(reply, elsewhere);
    }
    if (document === undefined) throw new ApiError('document_not_found', `Document \`${documentId}\` not found.`);
    const settings = query.retrieveVectors === true ? context.engine.settings(uid) : null;
    return sendJson(reply, shownDocument(document, query.fields ?? null, settings));
  });
}

async function sendPage(
  context: ServerContext,
  access: Access,
  reply: FastifyReply,
  indexUid: string,
  given: Received<typeof FETCH_BODY>,
): Promise<FastifyReply> {
  const query: DocumentsQuery = {
    offset: given.offset ?? 0,
    limit: given.limit ?? DEFAULT_PAGE_LIMIT,
    ids: given.ids ?? null,
    filter: given.filter ?? null,
    sort: given.sort ?? null,
  };
  if (given.useNetwork === true) requireFeature(context.features, 'network', 'useNetwork');
  checkIds(query.ids);
  checkFilterGates(query.filter, context.features);
  const { uid } = requireInfo(context.engine, indexUid);
  const isQueued = !context.features.isOn('disableDocumentsFetchQueue');
  const shown = { fields: given.fields ?? null, retrieveVectors: given.retrieveVectors === true };
  const run = (job: SearchJob): Promise<Buffer> | Buffer =>
    !isQueued && !context.searchers.takes(job) ? answerJob(context.engine, job) : runJob(context, job);
  if (given.useNetwork === true)
    return sendBytes(reply, await networkDocuments(context, { indexUid: uid, query, shown, scope: access.scope }, run));
  const job = { kind: 'documents', indexUid: uid, query, shown, scope: access.scope } as const;
  return sendBytes(reply, await run(job));
}

/** Throws invalid_document_ids for a text that no document can have as its id; ids of no document are passed over. */
function checkIds(ids: readonly string[] | null): void {
  const at = ids?.findIndex((id) => idText(id) === undefined) ?? -1;
  if (at >= 0)
    throw new ApiError('invalid_document_ids', `Invalid value at \`ids[${at}]\`: \`${ids![at]}\` is no document id.`);
}
