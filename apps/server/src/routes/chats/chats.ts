import { checkIndexUid, optional, queryInteger, readQuery, requireFeature } from '@fossick/api';
import { type ApiError, apiError, DEFAULT_PAGE_LIMIT } from '@fossick/base';
import { ChatWorkspaces, readChatSettings, shownChatSettings } from '@fossick/search-service/chats';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';

const PAGE_QUERY = {
  offset: optional('invalid_index_offset', queryInteger),
  limit: optional('invalid_index_limit', queryInteger),
};

/** Chat workspaces and their settings. */
export function registerChats(router: Router, context: ServerContext): void {
  const workspaces = new ChatWorkspaces(context.values);
  const gate = (): void => requireFeature(context.features, 'chatCompletions', '/chats');
  const missing = (uid: string): ApiError => apiError('chat_not_found', uid);
  router.on('GET', '/chats', (request, reply) => {
    authorize(context, request, 'chats.get');
    gate();
    const { offset, limit } = readQuery(queryOf(request), PAGE_QUERY);
    const uids = workspaces.uids();
    const [from, count] = [offset ?? 0, limit ?? DEFAULT_PAGE_LIMIT];
    const results = uids.slice(from, from + count).map((uid) => ({ uid }));
    return sendJson(reply, { results, offset: from, limit: count, total: uids.length });
  });
  router.on('GET', '/chats/:workspace', (request, reply) => {
    authorize(context, request, 'chats.get');
    gate();
    const uid = checkIndexUid(pathOf<'workspace'>(request).workspace);
    if (workspaces.get(uid) === undefined) throw missing(uid);
    return sendJson(reply, { uid });
  });
  router.on('DELETE', '/chats/:workspace', async (request, reply) => {
    authorize(context, request, 'chats.delete');
    gate();
    const uid = checkIndexUid(pathOf<'workspace'>(request).workspace);
    if (!(await workspaces.remove(uid))) throw missing(uid);
    return reply.code(204).send();
  });
  router.on('GET', '/chats/:workspace/settings', (request, reply) => {
    authorize(context, request, 'chatsSettings.get');
    gate();
    const uid = checkIndexUid(pathOf<'workspace'>(request).workspace);
    const settings = workspaces.get(uid);
    if (settings === undefined) throw missing(uid);
    return sendJson(reply, shownChatSettings(settings));
  });
  router.on('PATCH', '/chats/:workspace/settings', async (request, reply) => {
    authorize(context, request, 'chatsSettings.update');
    const change = readChatSettings(await readJson(request, context.options.readLimitBytes));
    gate();
    const uid = checkIndexUid(pathOf<'workspace'>(request).workspace);
    return sendJson(reply, shownChatSettings(await workspaces.change(uid, change)));
  });
  router.on('DELETE', '/chats/:workspace/settings', async (request, reply) => {
    authorize(context, request, 'chatsSettings.update');
    gate();
    const uid = checkIndexUid(pathOf<'workspace'>(request).workspace);
    if (workspaces.get(uid) === undefined) throw missing(uid);
    return sendJson(reply, shownChatSettings(await workspaces.reset(uid)));
  });
}
