import { randomUUID, type UUID } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { readFields } from '@fossick/api';
import { apiError, MAX_CONFIGURED_HEADER_BYTES } from '@fossick/base';
import type { ExtensionRoute } from '@fossick/runtime/extension';
import { WEBHOOK_CHANGE_BODY, WEBHOOK_CREATION_BODY, WEBHOOK_RULE } from './requests.js';
import { COMMAND_LINE_WEBHOOK_UUID, type Webhook } from './webhook.js';
import { type WebhookStore, webhookToJson } from './webhook-store.js';

const MAX_WEBHOOKS = 20;
const MAX_HEADERS = 200;

/** Webhooks: list, one, create, change, delete. */
export function webhookRoutes(webhooks: WebhookStore): ExtensionRoute[] {
  const [all, one] = ['/webhooks', '/webhooks/:uuid'];
  return [
    {
      method: 'GET',
      path: all,
      action: 'webhooks.get',
      answer: () => ({ status: 200, json: { results: webhooks.all().map(webhookToJson) } }),
    },
    {
      method: 'POST',
      path: all,
      action: 'webhooks.create',
      async answer(request) {
        const body = readFields(await request.json(), WEBHOOK_CREATION_BODY, WEBHOOK_RULE);
        const given = checkedHeaders({}, body.headers ?? {});
        const webhook: Webhook = { uuid: randomUUID(), url: body.url!, headers: given };
        await webhooks.add(webhook, MAX_WEBHOOKS);
        return { status: 201, json: webhookToJson(webhook) };
      },
    },
    {
      method: 'GET',
      path: one,
      action: 'webhooks.get',
      answer: ({ parameters }) => ({ status: 200, json: webhookToJson(requireWebhook(webhooks, parameters['uuid']!)) }),
    },
    {
      method: 'PATCH',
      path: one,
      action: 'webhooks.update',
      async answer(request) {
        const body = readFields(await request.json(), WEBHOOK_CHANGE_BODY, WEBHOOK_RULE);
        if (body.url === null) throw apiError('invalid_webhook_url');
        const { uuid } = requireEditable(webhooks, request.parameters['uuid']!);
        const changed = await webhooks.edit(uuid, (webhook) => ({
          uuid,
          url: body.url ?? webhook.url,
          headers: checkedHeaders(body.headers === null ? {} : webhook.headers, body.headers ?? {}),
        }));
        if (changed === undefined) throw apiError('webhook_not_found', uuid);
        return { status: 200, json: webhookToJson(changed) };
      },
    },
    {
      method: 'DELETE',
      path: one,
      action: 'webhooks.delete',
      async answer({ parameters }) {
        const { uuid } = requireEditable(webhooks, parameters['uuid']!);
        await webhooks.delete(uuid);
        return { status: 204 };
      },
    },
  ];
}

function requireWebhook(webhooks: WebhookStore, text: string): Webhook {
  if (!isUuid(text)) throw apiError('invalid_webhook_uuid', text);
  const webhook = webhooks.find(text.toLowerCase());
  if (webhook === undefined) throw apiError('webhook_not_found', text);
  return webhook;
}
/** The webhook to change; the name of the command line's webhook stays reserved even without one. */
function requireEditable(webhooks: WebhookStore, text: string): Webhook {
  if (text !== COMMAND_LINE_WEBHOOK_UUID) return requireWebhook(webhooks, text);
  throw apiError('immutable_webhook', COMMAND_LINE_WEBHOOK_UUID);
}
function isUuid(text: string): text is UUID {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The headers after a change: null removes one, others are added or replaced. */
function checkedHeaders(
  before: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const headers = new Map(Object.entries(before));
  for (const [name, value] of Object.entries(change)) {
    if (value === null) headers.delete(name);
    else headers.set(checkedHeader(name, value), value);
  }
  if (headers.size > MAX_HEADERS) throw apiError('invalid_webhook_headers', 'tooMany', MAX_HEADERS, headers.size);
  let byteCount = 0;
  for (const [name, value] of headers) byteCount += name.length + Buffer.byteLength(value);
  if (byteCount > MAX_CONFIGURED_HEADER_BYTES)
    throw apiError('invalid_webhook_headers', 'tooLong', MAX_CONFIGURED_HEADER_BYTES, byteCount);
  return Object.fromEntries(headers);
}
function checkedHeader(name: string, value: string): string {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return name;
  } catch {
    throw apiError('invalid_webhook_headers', 'notHeader', name);
  }
}
