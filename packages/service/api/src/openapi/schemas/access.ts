import { objectSchema, querySchema } from '@fossick/base/contract';
import { z } from 'zod';
import { KEY_CHANGE_BODY, KEY_CREATION_BODY, KEY_PAGE_QUERY } from '../../requests/instance/key-fields.js';
import { WEBHOOK_CHANGE_BODY, WEBHOOK_CREATION_BODY } from '../../requests/instance/webhook-fields.js';
import { type AnswerOf, codesOf, date, exampleText, type Operation, pageOf, shows, text } from './operation.js';

const key = z
  .strictObject({
    name: z.string().nullable(),
    description: z.string().nullable(),
    key: text('What requests send as their bearer.'),
    uid: exampleText('A UUID.', '6062abda-a5aa-4414-ac91-ecd7944c0f8d'),
    actions: z.array(z.string()),
    indexes: z.array(z.string()),
    expiresAt: z.string().nullable(),
    createdAt: date('When it was made.'),
    updatedAt: date('When it was changed last.'),
  })
  .meta({ id: 'Key', description: 'Who may do what, where, and how long.' });
export type KeyAnswer = AnswerOf<typeof key>;
const KEY_EXAMPLE = {
  name: 'Front end',
  description: null,
  key: '63edf5f9b3c6a7c5a9e1a9d6a1a4bd2df7e0b1f8d0a8a8cb3d1d1c0f7e4b2a19',
  uid: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
  actions: ['search'],
  indexes: ['movies'],
  expiresAt: null,
  createdAt: '2030-01-31T12:00:00Z',
  updatedAt: '2030-01-31T12:00:00Z',
};

const webhook = z
  .strictObject({
    uuid: text('Its name.'),
    isEditable: z.boolean(),
    url: text('Where it posts to.'),
    headers: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Webhook', description: 'A receiver of finished tasks.' });
export type WebhookAnswer = AnswerOf<typeof webhook>;
const WEBHOOK = {
  uuid: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
  isEditable: true,
  url: 'https://example.com/tasks',
  headers: { authorization: 'Bearer XXXXXX...' },
};

const tag = 'Keys';
const hooks = 'Webhooks';
const ONE = ['api_key_not_found', 'missing_master_key'] as const;
const shown = (status: number, says: string): Operation['answers'] => [
  { status, says, schema: key, example: KEY_EXAMPLE },
];
const hook = (status: number, says: string): Operation['answers'] => [
  { status, says, schema: webhook, example: WEBHOOK },
];
const HOOK_ERRORS = codesOf('invalid_webhook', 'immutable_webhook', 'webhook_not_found');

export const ACCESS_OPERATIONS: readonly Operation[] = [
  {
    id: 'listKeys',
    method: 'get',
    path: '/keys',
    tag,
    summary: 'Keys, the newest first',
    action: 'keys.get',
    query: querySchema(KEY_PAGE_QUERY),
    answers: shows('A page of keys.', pageOf(key), { results: [KEY_EXAMPLE], offset: 0, limit: 20, total: 1 }),
    errors: ['invalid_api_key_offset', 'invalid_api_key_limit', 'missing_master_key'],
  },
  {
    id: 'createKey',
    method: 'post',
    path: '/keys',
    tag,
    summary: 'Make a key',
    action: 'keys.create',
    body: {
      schema: objectSchema(KEY_CREATION_BODY),
      example: { actions: ['search'], indexes: ['movies'], expiresAt: null },
    },
    answers: shown(201, 'The key.'),
    errors: codesOf(
      'invalid_api_key_',
      'missing_api_key_',
      'api_key_already_exists',
      'index_scoped_',
      'missing_master_key',
    ),
  },
  {
    id: 'getKey',
    method: 'get',
    path: '/keys/{key}',
    tag,
    summary: 'One key, by its uid or value',
    action: 'keys.get',
    answers: shown(200, 'The key.'),
    errors: ONE,
  },
  {
    id: 'updateKey',
    method: 'patch',
    path: '/keys/{key}',
    tag,
    summary: 'Change the name and description of a key',
    action: 'keys.update',
    body: { schema: objectSchema(KEY_CHANGE_BODY), example: { name: 'Shop' } },
    answers: shown(200, 'The key.'),
    errors: [...ONE, ...codesOf('immutable_api_key_', 'invalid_api_key_')],
  },
  {
    id: 'deleteKey',
    method: 'delete',
    path: '/keys/{key}',
    tag,
    summary: 'Delete a key',
    action: 'keys.delete',
    answers: [{ status: 204, says: 'It is gone.' }],
    errors: ONE,
  },
  {
    id: 'listWebhooks',
    method: 'get',
    path: '/webhooks',
    tag: hooks,
    summary: 'Webhooks',
    action: 'webhooks.get',
    answers: shows('All webhooks.', z.strictObject({ results: z.array(webhook) }), { results: [WEBHOOK] }),
    errors: [],
  },
  {
    id: 'createWebhook',
    method: 'post',
    path: '/webhooks',
    tag: hooks,
    summary: 'Make a webhook',
    action: 'webhooks.create',
    body: { schema: objectSchema(WEBHOOK_CREATION_BODY), example: { url: 'https://example.com/tasks' } },
    answers: hook(201, 'The webhook.'),
    errors: HOOK_ERRORS,
  },
  {
    id: 'getWebhook',
    method: 'get',
    path: '/webhooks/{uuid}',
    tag: hooks,
    summary: 'One webhook',
    action: 'webhooks.get',
    answers: hook(200, 'The webhook.'),
    errors: HOOK_ERRORS,
  },
  {
    id: 'updateWebhook',
    method: 'patch',
    path: '/webhooks/{uuid}',
    tag: hooks,
    summary: 'Change a webhook',
    action: 'webhooks.update',
    body: { schema: objectSchema(WEBHOOK_CHANGE_BODY), example: { headers: { authorization: null } } },
    answers: hook(200, 'The webhook.'),
    errors: HOOK_ERRORS,
  },
  {
    id: 'deleteWebhook',
    method: 'delete',
    path: '/webhooks/{uuid}',
    tag: hooks,
    summary: 'Delete a webhook',
    action: 'webhooks.delete',
    answers: [{ status: 204, says: 'It is gone.' }],
    errors: HOOK_ERRORS,
  },
];
