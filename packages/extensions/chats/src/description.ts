import { objectSchema, querySchema } from '@fossick/base/contract';
import { z } from 'zod';
import { CHAT_SETTINGS_BODY, COMPLETION_BODY } from '../../requests/chat-fields.js';
import { INDEX_PAGE_QUERY } from '../../requests/index-fields.js';
import { errorSchema } from './answers.js';
import {
  ANY_KEY,
  type AnswerOf,
  anyObject,
  codesOf,
  exampleText,
  type Operation,
  pageOf,
  shows,
  text,
} from './operation.js';

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

const version = z.literal('2.0');
const id = z.union([z.string(), z.int()]);
const message = z
  .looseObject({
    jsonrpc: version,
    id: id.optional(),
    method: exampleText('Method of the protocol.', 'tools/list', 'tools/call', 'ping', 'notifications/initialized'),
    params: anyObject('As the method wants them.').optional(),
  })
  .meta({ id: 'McpMessage', description: 'A message of JSON-RPC 2.0: a request, or without `id` a notification.' });
export const mcpBody = z
  .union([message, z.array(message).max(20)])
  .meta({ description: 'A message, or in version 2025-03-26 of the protocol up to 20.' });

const failure = z
  .strictObject({
    jsonrpc: version,
    id: id.nullable(),
    error: z.strictObject({ code: z.int(), message: text('What was wrong.'), data: z.unknown().optional() }),
  })
  .meta({ id: 'McpError', description: 'An error of JSON-RPC 2.0.' });
const success = z.strictObject({ jsonrpc: version, id, result: z.looseObject({}) });
const answer = z.union([success, failure]);
const TOOL = { name: 'search', description: 'Search in an index.', inputSchema: { type: 'object' } };

export const CHAT_OPERATIONS: readonly Operation[] = [
  {
    id: 'listChats',
    method: 'get',
    path: '/chats',
    tag,
    feature,
    summary: 'Workspaces',
    action: 'chats.get',
    query: querySchema(INDEX_PAGE_QUERY),
    answers: shows('A page of workspaces.', pageOf(workspace), {
      results: [{ uid: 'shop' }],
      offset: 0,
      limit: 20,
      total: 1,
    }),
    errors: ['feature_not_enabled', 'invalid_index_offset', 'invalid_index_limit'],
  },
  {
    id: 'getChat',
    method: 'get',
    path: one,
    tag,
    feature,
    summary: 'One workspace',
    action: 'chats.get',
    answers: [{ status: 200, says: 'The workspace.', schema: workspace, example: { uid: 'shop' } }],
    errors: ERRORS,
  },
  {
    id: 'deleteChat',
    method: 'delete',
    path: one,
    tag,
    feature,
    summary: 'Delete a workspace',
    action: 'chats.delete',
    answers: [{ status: 204, says: 'It is gone.' }],
    errors: ERRORS,
  },
  {
    id: 'getChatSettings',
    method: 'get',
    path: `${one}/settings`,
    tag,
    feature,
    summary: 'Settings of a workspace',
    action: 'chatsSettings.get',
    answers: shown,
    errors: ERRORS,
  },
  {
    id: 'updateChatSettings',
    method: 'patch',
    path: `${one}/settings`,
    tag,
    feature,
    summary: 'Change settings of a workspace, which is made when there is none',
    action: 'chatsSettings.update',
    body: { schema: objectSchema(CHAT_SETTINGS_BODY), example: { source: 'openAi', apiKey: 'sk-…' } },
    answers: shown,
    errors: [...ERRORS, ...codesOf('invalid_chat_completion_')],
  },
  {
    id: 'resetChatSettings',
    method: 'delete',
    path: `${one}/settings`,
    tag,
    feature,
    summary: 'Reset settings of a workspace',
    action: 'chatsSettings.update',
    answers: shown,
    errors: ERRORS,
  },
  {
    id: 'completeChat',
    method: 'post',
    path: `${one}/chat/completions`,
    tag,
    feature,
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
  {
    id: 'sendMcpMessage',
    method: 'post',
    path: '/mcp',
    tag: 'Conversations',
    summary: 'A message of the Model Context Protocol, by which language models use this API as tools',
    action: ANY_KEY,
    body: { schema: mcpBody, example: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    answers: [
      {
        status: 200,
        says: 'The answer to a request; a tool that fails answers here too, with `isError`.',
        schema: z.union([answer, z.array(answer)]),
        example: { jsonrpc: '2.0', id: 1, result: { tools: [TOOL] } },
      },
      { status: 202, says: 'Notifications have no answer.' },
      {
        status: 400,
        says: 'No message, or one that its version does not have.',
        schema: z.union([failure, errorSchema]),
      },
      { status: 404, says: 'A method that a version without `initialize` does not have.', schema: failure },
    ],
    errors: ['mcp_origin_not_allowed'],
  },
];
