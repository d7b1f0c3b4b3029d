/** Changes of documents, checked, as the tasks that make them. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { checkEditFunction } from '@fossick/edit-script';
import type { DocumentAddition, DocumentDeletion, DocumentEdition, Json } from '@fossick/scheduler';
import { type PayloadFormat, storePayload } from './documents/store-payload.js';
import type { BodyHold } from './http/body-memory.js';
import type { Instance } from './instance.js';
import { DELETION_BODY, EDITION_BODY } from './search/document-fields.js';
import { checkFilterGates, refuseForeign } from './search/filter-gates.js';
import { requireFeature } from './search/search-request.js';
import { readFields } from './wire/fields.js';
import { checkIndexUid } from './wire/values.js';

/** An addition but for its payload. */
export type AdditionManner = Pick<
  DocumentAddition,
  'indexUid' | 'method' | 'primaryKey' | 'allowIndexCreation' | 'skipCreation'
>;

/**
 * Stores a payload and hands the task that indexes it to `register`, which owns the payload once it resolves. @throws ApiError for what the payload has wrong,
 * and what `register` throws: no payload is left behind then
 */
export async function withAddition<T>(
  instance: Pick<Instance, 'payloadFolder'>,
  manner: AdditionManner,
  payload: { readonly body: Readable; readonly format: PayloadFormat; readonly hold?: BodyHold },
  register: (task: DocumentAddition) => Promise<T>,
): Promise<T> {
  const payloadFile = join(instance.payloadFolder, `${randomUUID()}.ndjson`);
  const { count: documentCount, bytes: payloadBytes } = await storePayload(
    payload.body,
    payload.format,
    payloadFile,
    payload.hold,
  );
  try {
    return await register({ type: 'documentAdditionOrUpdate', ...manner, payloadFile, payloadBytes, documentCount });
  } catch (error) {
    // no task names the file (a full queue refuses it), so nobody else would remove it before the next start
    await rm(payloadFile, { force: true });
    throw error;
  }
}

/** Deletion of the documents with these ids: whatever is no text stands for its JSON. */
export function deletionOfIds(indexUid: string, ids: readonly unknown[]): DocumentDeletion {
  const texts = ids.map((id: unknown) => (typeof id === 'string' ? id : JSON.stringify(id)));
  return { type: 'documentDeletion', indexUid, target: { by: 'ids', ids: texts } };
}

/** Deletion by the filter of a body. @throws ApiError */
export function deletionByFilter(
  { features }: Pick<Instance, 'features'>,
  uid: string,
  body: unknown,
): DocumentDeletion {
  const { filter } = readFields(body, DELETION_BODY);
  checkFilterGates(filter, features);
  refuseForeign(filter);
  const target = { by: 'filter' as const, filter: filter as Json };
  return { type: 'documentDeletion', indexUid: checkIndexUid(uid), target };
}

/** Edit by the function of a body. @throws ApiError */
export function edition({ features }: Pick<Instance, 'features'>, uid: string, given: unknown): DocumentEdition {
  const body = readFields(given, EDITION_BODY);
  requireFeature(features, 'editDocumentsByFunction', '/documents/edit');
  const indexUid = checkIndexUid(uid);
  checkFilterGates(body.filter ?? null, features);
  refuseForeign(body.filter ?? null);
  checkEditFunction(body.function!);
  const filter = (body.filter ?? null) as Json;
  return {
    type: 'documentEdition',
    indexUid,
    function: body.function!,
    filter,
    context: (body.context ?? null) as Json,
  };
}
