import { requireFeature } from '@fossick/api';
import { OPEN_ACCESS } from '@fossick/instance/access';
import type { ExtensionRoute } from '@fossick/runtime/extension';
import { authorize, pathOf, queryOf, type ServerContext, sendEvents, sendJson } from '../../context.js';
import { sendFile } from '../../http/answers/file-answer.js';
import { endWithClient } from '../../http/answers/half-closed.js';
import { readJson } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';
import { LastingRight } from '../../streams/lasting-right.js';
import { registered } from '../../tasks-wire.js';

/** The routes of extensions: rights first, then what the route does. */
export function registerExtensions(router: Router, context: ServerContext): void {
  for (const route of context.extensions.routes) registerRoute(router, context, route);
}

function registerRoute(
  router: Router,
  context: ServerContext,
  { method, path, action, feature, turn, answer }: ExtensionRoute,
): void {
  router.on(method, path, async (request, reply) => {
    await turn?.();
    const access = action === null ? OPEN_ACCESS : authorize(context, request, action);
    if (feature !== undefined) requireFeature(context.features, feature, path);
    const { status, json, events, file } = await answer({
      access,
      parameters: pathOf(request),
      query: queryOf(request),
      headers: request.headers,
      connection: request.raw.socket,
      untilLeft() {
        endWithClient(reply.raw);
        return reply.raw;
      },
      json: (bytesMax = context.options.readLimitBytes, valuesMax) => readJson(request, bytesMax, valuesMax),
      register: async (content, status) => ({ status, json: await registered(context, reply, content) }),
      authorize: (other) => authorize(context, request, other),
      lasting(check, onLost) {
        context.extensions.lasting.add(reply.raw);
        return new LastingRight(context, { authorization: request.headers.authorization, check, onLost });
      },
      onFault: (error) => reply.log.error(error),
    });
    if (events !== undefined) return sendEvents(reply, events);
    if (file !== undefined) {
      if (!(await sendFile(request, reply, file))) throw file.missing;
      return reply;
    }
    return json === undefined ? sendEmpty(reply, status) : sendJson(reply, json, status);
  });
}
