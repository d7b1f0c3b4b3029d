import { pathOf, sendBytes, sendJson, sendParts } from '../../context.js';
import { PartedBytes } from '../../http/answers/parted-bytes.js';
import { type BodyContext, readSearchJson } from '../../http/bodies/search-body.js';
import type { JsonRoute } from '../../http/json-route.js';
import type { Router } from '../../http/router.js';

/** Registers a route whose request is checked for rights, then for its media type, then for its body. */
export function onJson(router: Router, context: BodyContext, route: JsonRoute): void {
  router.on('POST', route.url, async (request, reply) => {
    const { headers } = request;
    const { indexUid = '' } = pathOf<'indexUid'>(request);
    const access = route.authorize(headers, indexUid);
    const received = await readSearchJson(request, context, route.body);
    const connection = request.raw.socket;
    const found = await route.answer({ access, indexUid, headers, connection, received });
    if (found instanceof PartedBytes) return sendParts(reply, found);
    return Buffer.isBuffer(found) ? sendBytes(reply, found) : sendJson(reply, found.json, found.status);
  });
}
