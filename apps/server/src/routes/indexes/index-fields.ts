import { completing, FIELDS_BODY, readFields } from '@fossick/api';
import { listFields, requireInfo } from '@fossick/search-service';
import { authorize, pathOf, type ServerContext, sendJson } from '../../context.js';
import { readSearchJson } from '../../http/bodies/search-body.js';
import type { Router } from '../../http/router.js';

const complete = completing(FIELDS_BODY);

/** How the settings treat each field of an index. */
export function registerIndexFields(router: Router, context: ServerContext): void {
  router.on('POST', '/indexes/:indexUid/fields', async (request, reply) => {
    authorize(context, request, 'fields.post');
    const received = readFields(await readSearchJson(request, context, 'fields'), FIELDS_BODY);
    const { offset, limit, filter } = complete(received);
    const { uid } = requireInfo(context.engine, pathOf<'indexUid'>(request).indexUid);
    const { attributePatterns = null, ...switches } = filter ?? {};
    const view = context.engine.withView(uid, ({ fieldNames, settings }) => ({ fieldNames, settings }));
    const listing = { patterns: attributePatterns, switches, offset, limit };
    const { results, total } = await listFields(view, listing, context.searches);
    return sendJson(reply, { results, offset, limit, total });
  });
}
