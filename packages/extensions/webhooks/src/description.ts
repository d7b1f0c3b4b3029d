import { type AnswerOf, codesOf, type Operation, objectSchema, operationsOf, shows, text } from '@fossick/api/openapi';
import type { ApiPart } from '@fossick/runtime/extension';
import { z } from 'zod';
import { WEBHOOK_CHANGE_BODY, WEBHOOK_CREATION_BODY } from './requests.js';

const webhook = z
  .strictObject({
    uuid: text('Its name.'),
    isEditable: z.boolean(),
    url: text('Where it posts to.'),
    headers: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Webhook', description: 'A receiver of finished tasks.' });
export type WebhookAnswer = AnswerOf<typeof webhook>;
const EXAMPLE = {
  uuid: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
  isEditable: true,
  url: 'https://example.com/tasks',
  headers: { authorization: 'Bearer XXXXXX...' },
};

const tag = 'Webhooks';
const path = '/webhooks';
const shown = (status: number, says: string): Operation['answers'] => [
  { status, says, schema: webhook, example: EXAMPLE },
];
const ERRORS = codesOf('invalid_webhook', 'immutable_webhook', 'webhook_not_found');

const OPERATIONS = operationsOf({ tag }, [
  {
    id: 'listWebhooks',
    route: `GET ${path}`,
    summary: 'Webhooks',
    action: 'webhooks.get',
    answers: shows('All webhooks.', z.strictObject({ results: z.array(webhook) }), { results: [EXAMPLE] }),
  },
  {
    id: 'createWebhook',
    route: `POST ${path}`,
    summary: 'Make a webhook',
    action: 'webhooks.create',
    body: { schema: objectSchema(WEBHOOK_CREATION_BODY), example: { url: 'https://example.com/tasks' } },
    answers: shown(201, 'The webhook.'),
    errors: ERRORS,
  },
  {
    id: 'getWebhook',
    route: 'GET /webhooks/{uuid}',
    summary: 'One webhook',
    action: 'webhooks.get',
    answers: shown(200, 'The webhook.'),
    errors: ERRORS,
  },
  {
    id: 'updateWebhook',
    route: 'PATCH /webhooks/{uuid}',
    summary: 'Change a webhook',
    action: 'webhooks.update',
    body: { schema: objectSchema(WEBHOOK_CHANGE_BODY), example: { headers: { authorization: null } } },
    answers: shown(200, 'The webhook.'),
    errors: ERRORS,
  },
  {
    id: 'deleteWebhook',
    route: 'DELETE /webhooks/{uuid}',
    summary: 'Delete a webhook',
    action: 'webhooks.delete',
    answers: [{ status: 204, says: 'It is gone.' }],
    errors: ERRORS,
  },
]);

/** What is in the OpenAPI document of it. */
export const WEBHOOKS_PART: ApiPart = {
  tags: { [tag]: 'Who hears of finished tasks.' },
  pathParameters: {
    uuid: {
      says: 'Name of the webhook.',
      schema: { type: 'string', format: 'uuid' },
      example: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
    },
  },
  operations: OPERATIONS,
};
