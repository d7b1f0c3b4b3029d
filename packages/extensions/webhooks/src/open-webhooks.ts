import type { OpenExtension } from '@fossick/runtime/extension';
import { webhookRoutes } from './routes.js';
import { type StoredValues, WebhookStore } from './webhook-store.js';
import type { ForWriter } from './webhooks-in-writer.js';

const DROPPED = 'meilisearch_webhook_dropped_deliveries';

/** What the HTTP thread has of webhooks; their deliveries are made in the writer thread. */
export function openWebhooks({ fixed, droppedCount }: ForWriter, values: StoredValues): OpenExtension {
  return {
    routes: webhookRoutes(new WebhookStore(values, fixed)),
    describe: async () => (await import('./description.js')).WEBHOOKS_PART,
    metrics: () =>
      [
        `# HELP ${DROPPED} Deliveries to webhooks that were dropped because the receivers were too slow`,
        `# TYPE ${DROPPED} counter`,
        `${DROPPED} ${Atomics.load(droppedCount, 0)}\n`,
      ].join('\n'),
  };
}
