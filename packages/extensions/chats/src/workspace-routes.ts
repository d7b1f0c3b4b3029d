import { checkIndexUid, completing, INDEX_PAGE_QUERY, readQuery, requireFeature } from '@fossick/api';
import { type ApiError, apiError } from '@fossick/base';
import { ChatWorkspaces, readChatSettings, shownChatSettings } from '@fossick/search-service/chats';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';

const completePage = completing(INDEX_PAGE_QUERY);

/** Chat workspaces and their settings. */
export function registerChats(router: Router, context: ServerContext): void {
  const workspaces = new ChatWorkspaces(context.values);
  const gate = (): void => requireFeature(context.features, 'chatCompletions', '/chats');
  const missing = (uid: string): ApiError => apiError('chat_not_found', uid);
  router.on('GET', '/chats', (request, reply) => {
    authorize(context, request, 'chats.get');
    gate();
    const { offset, limit } = completePage(readQuery(queryOf(request), INDEX_PAGE_QUERY));
    const uids = workspaces.uids();
    const results = uids.slice(offset, offset + limit).map((uid) => ({ uid }));
    return sendJson(reply, { results, offset, limit, total: uids.length });
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
