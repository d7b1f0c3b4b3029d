import { FETCH_BODY, LIST_QUERY, ONE_QUERY, type Received, readFields, readQuery } from '@fossick/api';
import { type Access, withinCaller } from '@fossick/instance/access';
import { answerDocument, answerDocuments, type CarriedHeaders } from '@fossick/search-service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes } from '../../context.js';
import { readSearchJson } from '../../http/bodies/search-body.js';
import type { Router } from '../../http/router.js';

/** Reading documents. */
export function registerDocumentsRead(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid/documents';
  router.on('GET', base, (request, reply) => {
    const access = authorize(context, request, 'documents.get');
    const query = readQuery(queryOf(request), LIST_QUERY);
    return sendPage(context, access, request, reply, query);
  });
  router.on('POST', `${base}/fetch`, async (request, reply) => {
    const { indexUid } = pathOf<'indexUid'>(request);
    const access = withinCaller(authorize(context, request, 'documents.get'), request.headers, indexUid);
    const body = readFields(await readSearchJson(request, context, 'documents'), FETCH_BODY);
    return sendPage(context, access, request, reply, body);
  });
  router.on('GET', `${base}/:documentId`, async (request, reply) => {
    const access = authorize(context, request, 'documents.get');
    const query = readQuery(queryOf(request), ONE_QUERY);
    const path = pathOf<'indexUid' | 'documentId'>(request);
    return sendBytes(reply, await answerDocument(context, access, path, query, carriedBy(context, request)));
  });
}

async function sendPage(
  context: ServerContext,
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  given: Received<typeof FETCH_BODY>,
): Promise<FastifyReply> {
  const { indexUid } = pathOf<'indexUid'>(request);
  return sendBytes(reply, await answerDocuments(context, access, indexUid, given, carriedBy(context, request)));
}

/** Headers of requests to other instances. */
function carriedBy({ extensions }: ServerContext, { headers, raw }: FastifyRequest): CarriedHeaders | undefined {
  return extensions.carriedBy({ headers, connection: raw.socket });
}
