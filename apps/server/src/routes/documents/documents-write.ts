import {
  ADDITION_QUERY,
  checkIndexUid,
  completing,
  EDITION_QUERY,
  METADATA_QUERY,
  parseJson,
  readQuery,
  wrongType,
} from '@fossick/api';
import { apiError, MAX_FILTER_VALUES } from '@fossick/base';
import {
  deletionByFilter,
  deletionOfIds,
  edition,
  onDocumentErrorOf,
  withAddition,
  withIdFile,
} from '@fossick/runtime';
import { TimeSlices } from '@fossick/search-service';
import { type EnqueueExtras, isArrayText, type PayloadFormat } from '@fossick/tasks';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext } from '../../context.js';
import { decodedBody, mediaTypeOf, readJsonBytes } from '../../http/bodies/body.js';
import { reservationOf } from '../../http/bodies/body-intake.js';
import { readWriteJson } from '../../http/bodies/search-body.js';
import type { Router } from '../../http/router.js';
import { enqueue } from '../../tasks-wire.js';

const completeAddition = completing(ADDITION_QUERY);
const completeEdition = completing(EDITION_QUERY);

/** Adding and deleting documents. */
export function registerDocumentsWrite(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid/documents';
  const limitBytes = context.options.payloadLimitBytes;
  const limits = { limitBytes, maxValues: MAX_FILTER_VALUES };
  router.on('POST', base, (request, reply) => addDocuments(context, request, reply, 'replace'));
  router.on('PUT', base, (request, reply) => addDocuments(context, request, reply, 'update'));
  router.on('DELETE', base, (request, reply) => {
    authorize(context, request, 'documents.delete');
    const extras = readExtras(request);
    const indexUid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    return enqueue(context, reply, { type: 'documentDeletion', indexUid, target: { by: 'all' } }, extras);
  });
  router.on('DELETE', `${base}/:documentId`, (request, reply) => {
    authorize(context, request, 'documents.delete');
    const extras = readExtras(request);
    const { indexUid, documentId } = pathOf<'indexUid' | 'documentId'>(request);
    const target = { by: 'ids' as const, ids: [documentId] };
    return enqueue(context, reply, { type: 'documentDeletion', indexUid: checkIndexUid(indexUid), target }, extras);
  });
  router.on('POST', `${base}/delete-batch`, async (request, reply) => {
    authorize(context, request, 'documents.delete');
    const bytes = await readJsonBytes(request, limitBytes);
    if (bytes.length > IDS_IN_TASK_BYTES) return deleteMany(context, request, reply, bytes);
    const body = parseJson(bytes, BigInt);
    if (!Array.isArray(body)) throw wrongType({ code: 'bad_request', path: '' }, 'an array', body);
    const extras = readExtras(request);
    const indexUid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    return enqueue(context, reply, deletionOfIds(indexUid, body), extras);
  });
  router.on('POST', `${base}/delete`, async (request, reply) => {
    authorize(context, request, 'documents.delete');
    const extras = readExtras(request);
    const body = await readWriteJson(request, context, 'deletion', limits);
    return enqueue(context, reply, deletionByFilter(context, pathOf<'indexUid'>(request).indexUid, body), extras);
  });
  router.on('POST', `${base}/edit`, async (request, reply) => {
    authorize(context, request, 'documents.*');
    const query = completeEdition(readQuery(queryOf(request), EDITION_QUERY));
    const body = await readWriteJson(request, context, 'edition', limits);
    const { indexUid } = pathOf<'indexUid'>(request);
    const task = await edition(context, indexUid, body, query.onDocumentError);
    return enqueue(context, reply, task, extrasOf(query.customMetadata));
  });
}

/**
 * Longer lists of ids go to a file, as documents do: parsing and packing a million at once would block other requests
 * for a second.
 */
const IDS_IN_TASK_BYTES = 64 * 1024;

async function deleteMany(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer,
): Promise<FastifyReply> {
  if (!isArrayText(bytes)) throw apiError('bad_request', 'notIds');
  const turns = new TimeSlices(context.searches);
  return withIdFile(
    context,
    bytes,
    () => turns.yieldIfDue(),
    (target) => {
      const extras = readExtras(request);
      const indexUid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
      return enqueue(context, reply, { type: 'documentDeletion', indexUid, target }, extras);
    },
  );
}

async function addDocuments(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  method: 'replace' | 'update',
): Promise<FastifyReply> {
  const access = authorize(context, request, 'documents.add');
  const query = completeAddition(readQuery(queryOf(request), ADDITION_QUERY));
  const format = readFormat(request, query.csvDelimiter);
  context.usage.counts?.feature(`documents.${format.kind}.${method}`);
  const indexUid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
  context.writer.expect(Number(request.headers['content-length'] ?? 0));
  const body = decodedBody(request, context.options.payloadLimitBytes);
  const additionOptions = {
    indexUid,
    method,
    primaryKey: query.primaryKey,
    allowIndexCreation: access.mayCreateIndex(indexUid),
    skipCreation: query.skipCreation,
    ...onDocumentErrorOf(query.onDocumentError),
  };
  const payload = { body, format, reservation: reservationOf(request) };
  return withAddition(context, additionOptions, payload, (task) =>
    enqueue(context, reply, task, extrasOf(query.customMetadata)),
  );
}

function readFormat(request: FastifyRequest, csvDelimiter: string | null): PayloadFormat {
  const type = mediaTypeOf(request.receivedContentType, ['application/json', 'application/x-ndjson', 'text/csv']);
  if (type === 'text/csv') return { kind: 'csv', delimiter: csvDelimiter ?? ',' };
  if (csvDelimiter !== null) throw apiError('invalid_content_type', 'delimiterWithoutCsv', type);
  return { kind: type === 'application/json' ? 'json' : 'ndjson' };
}

function readExtras(request: FastifyRequest): EnqueueExtras {
  return extrasOf(readQuery(queryOf(request), METADATA_QUERY).customMetadata);
}
function extrasOf(metadata: string | null | undefined): EnqueueExtras {
  return metadata === undefined || metadata === null ? {} : { customMetadata: metadata };
}
