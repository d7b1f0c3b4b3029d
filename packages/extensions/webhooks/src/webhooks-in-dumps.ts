import type { ArchivedValue } from '@fossick/runtime/extension';
import { VALUE_NAME, type Webhook } from './webhook.js';

/** The contents of the file: webhooks by uuid. */
interface WebhooksFile {
  readonly webhooks?: Readonly<Record<string, { readonly url: string; readonly headers?: Webhook['headers'] }>>;
}

/** Webhooks have a file of their own in dumps, as the reference engine writes it. */
export const ARCHIVED: readonly ArchivedValue[] = [
  {
    name: VALUE_NAME,
    file: 'webhooks.json',
    toFile(value) {
      const all = (value ?? []) as readonly Webhook[];
      return { webhooks: Object.fromEntries(all.map(({ uuid, url, headers }) => [uuid, { url, headers }])) };
    },
    ofFile(content) {
      const { webhooks = {} } = content as WebhooksFile;
      return Object.entries(webhooks).map(([uuid, { url, headers = {} }]): Webhook => ({ uuid, url, headers }));
    },
  },
];
