/** Converts checked changes of documents into tasks. */

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  CHECKED_DELETION,
  CHECKED_EDITION,
  checkIndexUid,
  checkWriteFilter,
  DELETION_BODY,
  EDITION_BODY,
  readFields,
  requireFeature,
} from '@fossick/api';
import type { Json } from '@fossick/base';
import type { DocumentAddition, DocumentDeletion, DocumentEdition, OnDocumentError } from '@fossick/tasks';
import { type BodyReservation, idText, type PayloadFormat, storeIds, storePayload } from '@fossick/tasks';
import type { Instance } from './instance.js';

type OfFeatures = Pick<Instance, 'features'>;
/** An addition without its payload. */
export type AdditionOptions = Pick<
  DocumentAddition,
  'indexUid' | 'method' | 'primaryKey' | 'allowIndexCreation' | 'skipCreation' | 'onDocumentError'
>;

/** The member of a task for the parameter `onDocumentError`; none for the default. */
export function onDocumentErrorOf(
  given: OnDocumentError | null | undefined,
): Pick<DocumentAddition, 'onDocumentError'> {
  return given === 'skip' ? { onDocumentError: 'skip' } : {};
}

/**
 * Stores a payload and passes the task that indexes it to `register`, which owns the payload once it resolves. @throws
 * ApiError for an invalid payload, and what `register` throws: the payload is removed then
 */
export async function withAddition<T>(
  instance: Pick<Instance, 'payloadFolder'>,
  additionOptions: AdditionOptions,
  payload: { readonly body: Readable; readonly format: PayloadFormat; readonly reservation?: BodyReservation },
  register: (task: DocumentAddition) => Promise<T>,
): Promise<T> {
  const payloadFile = join(instance.payloadFolder, `${randomUUID()}.ndjson`);
  const { count: documentCount, bytes: payloadBytes } = await storePayload(payload.body, payload.format, payloadFile, {
    ...(payload.reservation === undefined ? {} : { reservation: payload.reservation }),
    skipsFaulty: additionOptions.onDocumentError === 'skip',
  });
  return storedBy(payloadFile, () =>
    register({ type: 'documentAdditionOrUpdate', ...additionOptions, payloadFile, payloadBytes, documentCount }),
  );
}

/** Deletion of the documents with these ids: a value that is no text is replaced by its JSON. */
export function deletionOfIds(indexUid: string, ids: readonly unknown[]): DocumentDeletion {
  return { type: 'documentDeletion', indexUid, target: { by: 'ids', ids: ids.map(idText) } };
}

/**
 * Stores the ids of a long JSON array and passes the file to `register`, as withAddition does; `yieldTurn` lets other
 * requests run between two pieces. @throws ApiError
 */
export async function withIdFile<T>(
  instance: Pick<Instance, 'payloadFolder'>,
  array: Buffer,
  yieldTurn: () => Promise<void>,
  register: (target: DocumentDeletion['target']) => Promise<T>,
): Promise<T> {
  const payloadFile = join(instance.payloadFolder, `${randomUUID()}.ndjson`);
  const { count, bytes } = await storeIds(array, payloadFile, yieldTurn);
  return storedBy(payloadFile, () => register({ by: 'idFile', payloadFile, payloadBytes: bytes, idCount: count }));
}

/**
 * When `register` fails (a full queue refuses the task), no task names the file, so nothing else would remove it before
 * the next start.
 */
async function storedBy<T>(payloadFile: string, register: () => Promise<T>): Promise<T> {
  try {
    return await register();
  } catch (error) {
    await rm(payloadFile, { force: true });
    throw error;
  }
}

/** A received body; `isChecked`: with its filter, by a search thread. */
export interface WriteBody {
  readonly body: unknown;
  readonly isChecked: boolean;
}

/** Deletion by the filter of a body. @throws ApiError */
export function deletionByFilter(
  { features }: OfFeatures,
  uid: string,
  { body, isChecked }: WriteBody,
): DocumentDeletion {
  const { filter } = readFields(body, isChecked ? CHECKED_DELETION : DELETION_BODY);
  if (!isChecked) checkWriteFilter(filter, features);
  const target = { by: 'filter' as const, filter: filter as Json };
  return { type: 'documentDeletion', indexUid: checkIndexUid(uid), target };
}

/** Edit by the function of a body. @throws ApiError */
export async function edition(
  { features }: OfFeatures,
  uid: string,
  given: WriteBody,
  onDocumentError?: OnDocumentError | null,
): Promise<DocumentEdition> {
  const body = readFields(given.body, given.isChecked ? CHECKED_EDITION : EDITION_BODY);
  requireFeature(features, 'editDocumentsByFunction', '/documents/edit');
  const indexUid = checkIndexUid(uid);
  if (!given.isChecked) checkWriteFilter(body.filter ?? null, features);
  const { checkEditFunction } = await import('@fossick/edit-script');
  checkEditFunction(body.function!);
  const filter = (body.filter ?? null) as Json;
  return {
    type: 'documentEdition',
    indexUid,
    function: body.function!,
    filter,
    context: (body.context ?? null) as Json,
    ...onDocumentErrorOf(onDocumentError),
  };
}
