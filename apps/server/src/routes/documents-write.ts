import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@fossick/base';
import { checkEditFunction } from '@fossick/edit-script';
import type { EnqueueExtras, Json } from '@fossick/scheduler';
import { parsedFilter } from '@fossick/search';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext } from '../context.js';
import { type PayloadFormat, storePayload } from '../documents/store-payload.js';
import { decodedBody, readJson, requireMediaType } from '../http/body.js';
import { holdOf } from '../http/body-intake.js';
import type { Router } from '../http/router.js';
import { checkFilterGates, refuseForeign } from '../search/filter-gates.js';
import { requireFeature } from '../search/search-request.js';
import { enqueue } from '../tasks-wire.js';
import {
  isJsonObject,
  optional,
  type Parser,
  readFields,
  readQuery,
  required,
  wrongType,
  wrongValue,
} from '../wire/fields.js';
import { queryText } from '../wire/query-values.js';
import { checkIndexUid, string } from '../wire/values.js';

const customMetadata = optional('invalid_index_custom_metadata', queryText);
export const METADATA_QUERY = { customMetadata };

const delimiter: Parser<string> = (value, where) => {
  const text = value as string;
  if (text.length !== 1 || text.charCodeAt(0) > 127)
    throw wrongValue(where, `\`${text}\` is not one single ASCII character.`);
  return text;
};
const anyCaseBoolean: Parser<boolean> = (value, where) => {
  const text = (value as string).toLowerCase();
  if (text !== 'true' && text !== 'false') throw wrongValue(where, `\`${text}\` is neither \`true\` nor \`false\`.`);
  return text === 'true';
};
export const ADDITION_QUERY = {
  primaryKey: optional('invalid_index_primary_key', queryText),
  csvDelimiter: optional('invalid_document_csv_delimiter', delimiter),
  skipCreation: optional('invalid_skip_creation', anyCaseBoolean),
  customMetadata,
};

/** A filter that says something: empty ones would select every document. */
const deletionFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  if (parsedFilter(value, where.code) === null) throw wrongValue(where, 'the filter is empty.');
  return value;
};
export const DELETION_BODY = { filter: required('invalid_document_filter', deletionFilter, 'missing_document_filter') };

const editionFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  parsedFilter(value, where.code);
  return value;
};
const editionContext: Parser<unknown> = (value, where) => {
  if (!isJsonObject(value)) throw wrongType(where, 'an object', value);
  return value;
};
export const EDITION_BODY = {
  filter: optional('invalid_document_filter', editionFilter),
  context: optional('invalid_document_edition_context', editionContext),
  function: required('invalid_document_edition_function_filter', string, 'missing_document_edition_function'),
};

/** Adding and deleting documents (spec 01 sections 3 to 5). */
export function registerDocumentsWrite(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid/documents';
  const limitBytes = context.options.payloadLimitBytes;
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
    const body = await readJson(request, limitBytes);
    if (!Array.isArray(body)) throw wrongType({ code: 'bad_request', path: '' }, 'an array', body);
    const extras = readExtras(request);
    const indexUid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    const ids = body.map((id: unknown) => (typeof id === 'string' ? id : JSON.stringify(id)));
    return enqueue(context, reply, { type: 'documentDeletion', indexUid, target: { by: 'ids', ids } }, extras);
  });
  router.on('POST', `${base}/delete`, async (request, reply) => {
    authorize(context, request, 'documents.delete');
    const extras = readExtras(request);
    const { filter } = readFields(await readJson(request, limitBytes), DELETION_BODY);
    checkFilterGates(filter, context.features);
    refuseForeign(filter);
    const indexUid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    const target = { by: 'filter' as const, filter: filter as Json };
    return enqueue(context, reply, { type: 'documentDeletion', indexUid, target }, extras);
  });
  router.on('POST', `${base}/edit`, async (request, reply) => {
    authorize(context, request, 'documents.*');
    const extras = readExtras(request);
    const body = readFields(await readJson(request, limitBytes), EDITION_BODY);
    requireFeature(context.features, 'editDocumentsByFunction', '/documents/edit');
    const indexUid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    checkFilterGates(body.filter ?? null, context.features);
    refuseForeign(body.filter ?? null);
    checkEditFunction(body.function!);
    const filter = (body.filter ?? null) as Json;
    const edition = { function: body.function!, filter, context: (body.context ?? null) as Json };
    return enqueue(context, reply, { type: 'documentEdition', indexUid, ...edition }, extras);
  });
}

async function addDocuments(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  method: 'replace' | 'update',
): Promise<FastifyReply> {
  const access = authorize(context, request, 'documents.add');
  const query = readQuery(queryOf(request), ADDITION_QUERY);
  const format = readFormat(request, query.csvDelimiter ?? null);
  context.usage.counts?.feature(`documents.${format.kind}.${method}`);
  const indexUid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
  const payloadFile = join(context.payloadFolder, `${randomUUID()}.ndjson`);
  context.writer.expect(Number(request.headers['content-length'] ?? 0));
  const body = decodedBody(request, context.options.payloadLimitBytes);
  const { count: documentCount, bytes: payloadBytes } = await storePayload(body, format, payloadFile, holdOf(request));
  try {
    const content = {
      type: 'documentAdditionOrUpdate' as const,
      indexUid,
      method,
      primaryKey: query.primaryKey ?? null,
      payloadFile,
      payloadBytes,
      documentCount,
      allowIndexCreation: access.mayCreateIndex(indexUid),
      skipCreation: query.skipCreation ?? false,
    };
    return await enqueue(context, reply, content, extrasOf(query.customMetadata));
  } catch (error) {
    // no task names the file (a full queue refuses it), so nobody else would remove it before the next start
    await rm(payloadFile, { force: true });
    throw error;
  }
}

function readFormat(request: FastifyRequest, csvDelimiter: string | null): PayloadFormat {
  const type = requireMediaType(request, ['application/json', 'application/x-ndjson', 'text/csv']);
  if (type === 'text/csv') return { kind: 'csv', delimiter: csvDelimiter ?? ',' };
  if (csvDelimiter !== null)
    throw new ApiError(
      'invalid_content_type',
      `\`csvDelimiter\` goes with \`text/csv\`, but the payload is \`${type}\`.`,
    );
  return { kind: type === 'application/json' ? 'json' : 'ndjson' };
}

function readExtras(request: FastifyRequest): EnqueueExtras {
  return extrasOf(readQuery(queryOf(request), METADATA_QUERY).customMetadata);
}
function extrasOf(metadata: string | null | undefined): EnqueueExtras {
  return metadata === undefined || metadata === null ? {} : { customMetadata: metadata };
}
