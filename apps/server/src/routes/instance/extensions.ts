import { requireFeature } from '@fossick/api';
import { OPEN_ACCESS } from '@fossick/instance/access';
import type { ExtensionRoute } from '@fossick/runtime/extension';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';

/** The routes of extensions: rights first, then what the route does. */
export function registerExtensions(router: Router, context: ServerContext): void {
  for (const route of context.extensions.routes) registerRoute(router, context, route);
}

function registerRoute(
  router: Router,
  context: ServerContext,
  { method, path, action, feature, answer }: ExtensionRoute,
): void {
  router.on(method, path, async (request, reply) => {
    const access = action === null ? OPEN_ACCESS : authorize(context, request, action);
    if (feature !== undefined) requireFeature(context.features, feature, path);
    const { status, json } = await answer({
      access,
      parameters: pathOf(request),
      query: queryOf(request),
      headers: request.headers,
      connection: request.raw.socket,
      json: (bytesMax = context.options.readLimitBytes) => readJson(request, bytesMax),
    });
    return json === undefined ? sendEmpty(reply, status) : sendJson(reply, json, status);
  });
}
