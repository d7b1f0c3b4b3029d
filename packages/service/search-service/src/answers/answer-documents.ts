import { checkFilterGates, type FETCH_BODY, type ONE_QUERY, type Received, requireFeature } from '@fossick/api';
import { apiError, DEFAULT_PAGE_LIMIT } from '@fossick/base';
import { idText } from '@fossick/documents';
import type { Access } from '@fossick/instance/access';
import type { DocumentsQuery } from '@fossick/search';
import { requireInfo } from '../indexes/index-info.js';
import { runJob, runJobAtOnce } from '../jobs/run-job.js';
import type { SearchContext } from '../jobs/search-context.js';
import type { CarriedHeaders } from '../parts/answered-search.js';
import { networkDocument, networkDocuments } from './network-documents.js';

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
