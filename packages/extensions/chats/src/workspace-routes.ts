import {
  checkIndexUid,
  completing,
  INDEX_PAGE_QUERY,
  readFields,
  readQuery,
  requireFeature,
  type SearchFeatures,
} from '@fossick/api';
import { apiError } from '@fossick/base';
import type { ExtensionRequest, ExtensionRoute } from '@fossick/runtime/extension';
import { type ChatWorkspaces, shownChatSettings } from './provider/chat-workspaces.js';
import { CHAT_SETTINGS_BODY } from './requests.js';

const completePage = completing(INDEX_PAGE_QUERY);

/** Throws feature_not_enabled. */
export function requireChats(features: SearchFeatures): void {
  requireFeature(features, 'chatCompletions', '/chats');
}

/** The name in a path. @throws ApiError invalid_index_uid */
export function workspaceOf(parameters: ExtensionRequest['parameters']): string {
  return checkIndexUid(parameters['workspace']!, 'name of a chat workspace');
}

/** Workspaces and their settings. */
export function workspaceRoutes(workspaces: ChatWorkspaces, features: SearchFeatures): ExtensionRoute[] {
  const [all, one, settings] = ['/chats', '/chats/:workspace', '/chats/:workspace/settings'];
  /** The name in the path. Throws feature_not_enabled first. */
  const uidOf = ({ parameters }: ExtensionRequest): string => {
    requireChats(features);
    return workspaceOf(parameters);
  };
  return [
    {
      method: 'GET',
      path: all,
      action: 'chats.get',
      answer({ query }) {
        requireChats(features);
        const { offset, limit } = completePage(readQuery(query, INDEX_PAGE_QUERY));
        const uids = workspaces.uids();
        const results = uids.slice(offset, offset + limit).map((uid) => ({ uid }));
        return { status: 200, json: { results, offset, limit, total: uids.length } };
      },
    },
    {
      method: 'GET',
      path: one,
      action: 'chats.get',
      answer(request) {
        const uid = uidOf(request);
        workspaces.required(uid);
        return { status: 200, json: { uid } };
      },
    },
    {
      method: 'DELETE',
      path: one,
      action: 'chats.delete',
      async answer(request) {
        const uid = uidOf(request);
        if (!(await workspaces.remove(uid))) throw apiError('chat_not_found', uid);
        return { status: 204 };
      },
    },
    {
      method: 'GET',
      path: settings,
      action: 'chatsSettings.get',
      answer: (request) => ({ status: 200, json: shownChatSettings(workspaces.required(uidOf(request))) }),
    },
    {
      method: 'PATCH',
      path: settings,
      action: 'chatsSettings.update',
      async answer(request) {
        const change = readFields(await request.json(), CHAT_SETTINGS_BODY);
        return { status: 200, json: shownChatSettings(await workspaces.change(uidOf(request), change)) };
      },
    },
    {
      method: 'DELETE',
      path: settings,
      action: 'chatsSettings.update',
      async answer(request) {
        const uid = uidOf(request);
        workspaces.required(uid);
        return { status: 200, json: shownChatSettings(await workspaces.reset(uid)) };
      },
    },
  ];
}
