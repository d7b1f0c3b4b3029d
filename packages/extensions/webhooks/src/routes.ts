import { randomUUID, type UUID } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { readFields, WEBHOOK_CHANGE_BODY, WEBHOOK_CREATION_BODY, WEBHOOK_RULE } from '@fossick/api';
import { apiError, MAX_CONFIGURED_HEADER_BYTES } from '@fossick/base';
import { COMMAND_LINE_WEBHOOK_UUID, type Webhook, webhookToJson } from '@fossick/tasks';
import type { FastifyRequest } from 'fastify';
import { authorize, pathOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';

const MAX_WEBHOOKS = 20;
const MAX_HEADERS = 200;

/** Webhooks: list, one, create, change, delete. */
export function registerWebhooks(router: Router, context: ServerContext): void {
  const limitBytes = context.options.readLimitBytes;
  router.on('GET', '/webhooks', (request, reply) => {
    authorize(context, request, 'webhooks.get');
    return sendJson(reply, { results: context.webhooks.all().map(webhookToJson) });
  });
  router.on('POST', '/webhooks', async (request, reply) => {
    authorize(context, request, 'webhooks.create');
    const body = readFields(await readJson(request, limitBytes), WEBHOOK_CREATION_BODY, WEBHOOK_RULE);
    const given = checkedHeaders({}, body.headers ?? {});
    const webhook: Webhook = { uuid: randomUUID(), url: body.url!, headers: given };
    await context.webhooks.add(webhook, MAX_WEBHOOKS);
    return sendJson(reply, webhookToJson(webhook), 201);
  });
  router.on('GET', '/webhooks/:uuid', (request, reply) => {
    authorize(context, request, 'webhooks.get');
    return sendJson(reply, webhookToJson(requireWebhook(context, request)));
  });
  router.on('PATCH', '/webhooks/:uuid', async (request, reply) => {
    authorize(context, request, 'webhooks.update');
    const body = readFields(await readJson(request, limitBytes), WEBHOOK_CHANGE_BODY, WEBHOOK_RULE);
    if (body.url === null) throw apiError('invalid_webhook_url');
    const { uuid } = requireEditable(context, request);
    const changed = await context.webhooks.edit(uuid, (webhook) => ({
      uuid,
      url: body.url ?? webhook.url,
      headers: checkedHeaders(body.headers === null ? {} : webhook.headers, body.headers ?? {}),
    }));
    if (changed === undefined) throw apiError('webhook_not_found', uuid);
    return sendJson(reply, webhookToJson(changed));
  });
  router.on('DELETE', '/webhooks/:uuid', async (request, reply) => {
    authorize(context, request, 'webhooks.delete');
    const { uuid } = requireEditable(context, request);
    await context.webhooks.delete(uuid);
    return sendEmpty(reply, 204);
  });
}

function requireWebhook(context: ServerContext, request: FastifyRequest): Webhook {
  const text = pathOf<'uuid'>(request).uuid;
  if (!isUuid(text)) throw apiError('invalid_webhook_uuid', text);
  const webhook = context.webhooks.find(text.toLowerCase());
  if (webhook === undefined) throw apiError('webhook_not_found', text);
  return webhook;
}
/** The webhook to change; the name of the command line's webhook stays reserved even without one. */
function requireEditable(context: ServerContext, request: FastifyRequest): Webhook {
  if (pathOf<'uuid'>(request).uuid !== COMMAND_LINE_WEBHOOK_UUID) return requireWebhook(context, request);
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
