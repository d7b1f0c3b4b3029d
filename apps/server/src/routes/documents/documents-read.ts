import { FETCH_BODY, LIST_QUERY, ONE_QUERY, type Received, readFields, readQuery } from '@fossick/api';
import type { Access } from '@fossick/instance/access';
import { answerDocument, answerDocuments } from '@fossick/search-service';
import type { FastifyReply } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes } from '../../context.js';
import { readSearchJson } from '../../http/bodies/search-body.js';
import type { Router } from '../../http/router.js';

/** Reading documents. */
export function registerDocumentsRead(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid/documents';
  router.on('GET', base, (request, reply) => {
    const access = authorize(context, request, 'documents.get');
    const query = readQuery(queryOf(request), LIST_QUERY);
    return sendPage(context, access, reply, pathOf<'indexUid'>(request).indexUid, query);
  });
  router.on('POST', `${base}/fetch`, async (request, reply) => {
    const access = authorize(context, request, 'documents.get');
    const body = readFields(await readSearchJson(request, context, 'documents'), FETCH_BODY);
    return sendPage(context, access, reply, pathOf<'indexUid'>(request).indexUid, body);
  });
  router.on('GET', `${base}/:documentId`, async (request, reply) => {
    authorize(context, request, 'documents.get');
    const query = readQuery(queryOf(request), ONE_QUERY);
    const { indexUid, documentId } = pathOf<'indexUid' | 'documentId'>(request);
    return sendBytes(reply, await answerDocument(context, indexUid, documentId, query));
  });
}

async function sendPage(
  context: ServerContext,
  access: Access,
  reply: FastifyReply,
  indexUid: string,
  given: Received<typeof FETCH_BODY>,
): Promise<FastifyReply> {
  return sendBytes(reply, await answerDocuments(context, access, indexUid, given));
}
