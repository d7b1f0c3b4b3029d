import { type OptionGroup, type OptionValues, readUrl, textOption } from '@fossick/instance';
import { COMMAND_LINE_WEBHOOK_UUID, type Webhook } from './webhook.js';

export const WEBHOOK_OPTIONS: OptionGroup = {
  title: 'Webhooks',
  options: [
    textOption('task-webhook-url', 'URL that finished tasks are posted to'),
    textOption('task-webhook-authorization-header', 'Authorization header of these posts'),
  ],
};

/** The webhook of the command line, or null. Throws OptionError. */
export function readWebhook(values: OptionValues): Webhook | null {
  const url = readUrl(values, 'task-webhook-url');
  const authorization = values.text('task-webhook-authorization-header');
  if (url === null) return null;
  const headers = authorization === null ? {} : { Authorization: authorization };
  return { uuid: COMMAND_LINE_WEBHOOK_UUID, url, headers };
}
