import { checkFilterGates, type FETCH_BODY, type ONE_QUERY, type Received, requireFeature } from '@fossick/api';
import { type ApiError, apiError, DEFAULT_PAGE_LIMIT, type ErrorCode, sharedError } from '@fossick/base';
import { idText } from '@fossick/documents';
import { type Access, callerHeaders, type IndexScope } from '@fossick/instance/access';
import type { DocumentsQuery } from '@fossick/search';
import { requireInfo } from '../indexes/index-info.js';
import { type DocumentsShown, type ListAnswer, readPage } from '../jobs/kinds/networked-lists.js';
import { type RunJob, runJob, runJobAtOnce } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import type { AnswerReservation } from '../network/answer-memory.js';
import type { CarriedHeaders } from '../parts/answered-search.js';
import { askOthers, settledValue } from './other-instances.js';

/** Answers a page of documents as JSON bytes. @throws ApiError for an invalid request */
export async function answerDocuments(
  instance: SearchContext,
  access: Access,
  indexUid: string,
  given: Received<typeof FETCH_BODY>,
  carried?: CarriedHeaders,
): Promise<Buffer> {
  const { engine, features } = instance;
  const query: DocumentsQuery = {
    offset: given.offset ?? 0,
    limit: given.limit ?? DEFAULT_PAGE_LIMIT,
    ids: given.ids ?? null,
    filter: given.filter ?? null,
    sort: given.sort ?? null,
  };
  if (given.useNetwork === true) requireFeature(features, 'network', 'useNetwork');
  checkIds(query.ids);
  checkFilterGates(query.filter, features);
  const { uid } = requireInfo(engine, indexUid);
  const isQueued = !features.isOn('disableDocumentsFetchQueue');
  const shown = { fields: given.fields ?? null, retrieveVectors: given.retrieveVectors === true };
  const run = isQueued ? runJob : runJobAtOnce;
  if (given.useNetwork === true)
    return networkDocuments(instance, { indexUid: uid, query, shown, scope: access.scope, carried }, run);
  return (await run(instance, { kind: 'documents', indexUid: uid, query, shown, scope: access.scope })).value;
}

/** Answers one document as JSON. @throws ApiError document_not_found among others */
export async function answerDocument(
  instance: SearchContext,
  access: Access,
  { indexUid, documentId }: { readonly indexUid: string; readonly documentId: string },
  query: Received<typeof ONE_QUERY>,
  carried?: CarriedHeaders,
): Promise<Buffer> {
  const { engine, features } = instance;
  if (query.useNetwork === true) requireFeature(features, 'network', 'useNetwork');
  const { uid } = requireInfo(engine, indexUid);
  const shown = { fields: query.fields ?? null, retrieveVectors: query.retrieveVectors === true };
  const asked = { indexUid: uid, id: documentId, shown, scope: access.scope };
  const { value } = await runJobAtOnce(instance, { kind: 'document', ...asked });
  if (value !== null) return value;
  // an invalid id would be refused elsewhere; here it is just not found
  if (query.useNetwork === true && idText(documentId) !== undefined) {
    const elsewhere = await networkDocument(instance, { ...asked, carried });
    if (elsewhere !== undefined) return elsewhere;
  }
  throw apiError('document_not_found', documentId);
}

/** Throws invalid_document_ids for a text that cannot be a document id; ids without a document are ignored. */
function checkIds(ids: readonly string[] | null): void {
  const at = ids?.findIndex((id) => idText(id) === undefined) ?? -1;
  if (at >= 0) throw apiError('invalid_document_ids', at, ids![at]);
}

/** Which documents are requested, and how they are shown. */
interface NetworkDocuments {
  readonly indexUid: string;
  readonly query: DocumentsQuery;
  readonly shown: DocumentsShown;
  readonly scope: IndexScope;
  readonly carried: CarriedHeaders | undefined;
}

/** One document, by its id. */
type NetworkDocument = Omit<NetworkDocuments, 'query'> & { readonly id: string };

/**
 * Reads documents of the index on every instance, as the JSON bytes of a page: first those of this instance, then
 * remote by remote in the order of their names, or all of them by `sort`. A failed instance is left out and named in
 * `remoteErrors`. The key of the network must allow `documents.get` there.
 */
async function networkDocuments(
  context: SearchContext,
  { indexUid, query, shown, scope, carried }: NetworkDocuments,
  run: RunJob,
): Promise<Buffer> {
  const { offset, limit, sort } = query;
  const isSorted = sort !== null && sort.length > 0;
  const count = {
    kind: 'documents',
    indexUid,
    query: { ...query, offset: 0, limit: 0, sort: null },
    shown,
    scope,
  } as const;
  const { total } = JSON.parse((await run(context, count)).value.toString('utf8')) as { readonly total: number };
  // without a sort, documents of remotes come after all of this instance
  const documentCount = isSorted ? offset + limit : Math.max(0, offset + limit - total);
  const fields = isSorted ? null : shown.fields;
  return context.remotes.holding(async (reservation) => {
    const answers = await requestLists(
      context,
      { indexUid, query: { ...query, offset: 0, limit: documentCount }, shown: { ...shown, fields }, scope, carried },
      reservation,
    );
    const job = { kind: 'networkedDocuments', indexUid, scope, query, shown, answers, documentCount } as const;
    return settledValue(context, await run(context, job));
  });
}

/**
 * The document with this id on one of the other instances, as JSON bytes; undefined when none has it.
 * @throws ApiError of a failed remote when no other one has the document
 */
async function networkDocument(
  context: SearchContext,
  { indexUid, id, shown, scope, carried }: NetworkDocument,
): Promise<Buffer | undefined> {
  const query: DocumentsQuery = { offset: 0, limit: 1, ids: [id], filter: null, sort: null };
  return context.remotes.holding(async (reservation) => {
    const answers = await requestLists(context, { indexUid, query, shown, scope, carried }, reservation);
    const found = settledValue(context, await runJob(context, { kind: 'networkedDocument', answers }));
    if (found !== null) return found;
    for (const answer of answers) if ('error' in answer) throw remoteError(answer.name, answer.error);
    return undefined;
  });
}

function remoteError(name: string, error: object): ApiError {
  const { code, message } = error as { readonly code: ErrorCode; readonly message: string };
  return sharedError(code, 'ofRemote', name, message);
}

function requestLists(
  context: SearchContext,
  { indexUid, query, shown, scope, carried }: NetworkDocuments,
  reservation: AnswerReservation,
): Promise<ListAnswer[]> {
  const { offset, limit, ids, filter, sort } = query;
  const { fields, retrieveVectors } = shown;
  const body = { offset, limit, ids, filter, sort, fields, retrieveVectors, useNetwork: false };
  return askOthers(context, {
    path: `/indexes/${indexUid}/documents/fetch`,
    body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
    headers: { ...carried, ...callerHeaders(scope) },
    reservation,
    read: (answer) => readPage(answer, limit),
  });
}
