import { INDEX_PAGE_QUERY } from '@fossick/api';
import {
  type AnswerOf,
  codesOf,
  type Operation,
  objectSchema,
  operationsOf,
  pageSchema,
  querySchema,
  shows,
} from '@fossick/api/openapi';
import type { ApiPart } from '@fossick/runtime/extension';
import { z } from 'zod';
import { CHAT_SETTINGS_BODY, COMPLETION_BODY } from './requests.js';

const settings = z
  .strictObject({
    source: z.string(),
    orgId: z.string().nullable(),
    projectId: z.string().nullable(),
    apiVersion: z.string().nullable(),
    deploymentId: z.string().nullable(),
    baseUrl: z.string().nullable(),
    prompts: z.record(z.string(), z.string()),
  })
  .meta({ id: 'ChatSettings', description: 'How a workspace asks its model.' });
export type ChatSettingsAnswer = AnswerOf<typeof settings>;
const SETTINGS = {
  source: 'openAi',
  orgId: null,
  projectId: null,
  apiVersion: null,
  deploymentId: null,
  baseUrl: null,
  prompts: { system: 'Answer from what is found.' },
};
const workspace = z.strictObject({ uid: z.string() });

const tag = 'Conversations';
const feature = 'chatCompletions';
const ERRORS = ['feature_not_enabled', 'invalid_index_uid', 'chat_not_found'] as const;
const one = '/chats/{workspace}';
const shown: Operation['answers'] = [{ status: 200, says: 'The settings.', schema: settings, example: SETTINGS }];

const OPERATIONS = operationsOf({ tag, feature }, [
  {
    id: 'listChats',
    route: 'GET /chats',
    summary: 'Workspaces',
    action: 'chats.get',
    query: querySchema(INDEX_PAGE_QUERY),
    answers: shows('A page of workspaces.', pageSchema(workspace), {
      results: [{ uid: 'shop' }],
      offset: 0,
      limit: 20,
      total: 1,
    }),
    errors: ['feature_not_enabled', 'invalid_index_offset', 'invalid_index_limit'],
  },
  {
    id: 'getChat',
    route: `GET ${one}`,
    summary: 'One workspace',
    action: 'chats.get',
    answers: [{ status: 200, says: 'The workspace.', schema: workspace, example: { uid: 'shop' } }],
    errors: ERRORS,
  },
  {
    id: 'deleteChat',
    route: `DELETE ${one}`,
    summary: 'Delete a workspace',
    action: 'chats.delete',
    answers: [{ status: 204, says: 'It is gone.' }],
    errors: ERRORS,
  },
  {
    id: 'getChatSettings',
    route: `GET ${one}/settings`,
    summary: 'Settings of a workspace',
    action: 'chatsSettings.get',
    answers: shown,
    errors: ERRORS,
  },
  {
    id: 'updateChatSettings',
    route: `PATCH ${one}/settings`,
    summary: 'Change settings of a workspace, which is made when there is none',
    action: 'chatsSettings.update',
    body: { schema: objectSchema(CHAT_SETTINGS_BODY), example: { source: 'openAi', apiKey: 'sk-…' } },
    answers: shown,
    errors: [...ERRORS, ...codesOf('invalid_chat_completion_')],
  },
  {
    id: 'resetChatSettings',
    route: `DELETE ${one}/settings`,
    summary: 'Reset settings of a workspace',
    action: 'chatsSettings.update',
    answers: shown,
    errors: ERRORS,
  },
  {
    id: 'completeChat',
    route: `POST ${one}/chat/completions`,
    summary: 'Ask a model that searches the indexes',
    action: 'chatCompletions',
    body: {
      schema: objectSchema(COMPLETION_BODY, { ignoresUnknown: true }),
      example: {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'Which film is about a clownfish?' }],
        stream: false,
      },
    },
    answers: shows('A completion, or server-sent events with pieces of it.', z.looseObject({}), {
      object: 'chat.completion',
      choices: [],
    }),
    errors: [...ERRORS, ...codesOf('unimplemented_', 'remote_', 'too_many_', 'chat_', 'proxy_')],
  },
]);

/** What is in the OpenAPI document of it. Its tag is one of the core, which has the Model Context Protocol below it. */
export const CHATS_PART: ApiPart = {
  tags: {},
  pathParameters: { workspace: { says: 'Name of the workspace.', schema: { type: 'string' }, example: 'shop' } },
  operations: OPERATIONS,
};
