import { type InstanceClient, orNull, refusalOf, withoutMasked } from '@fossick/instance/client';
import type { InstanceMove } from '@fossick/runtime/extension';
import type { WebhookAnswer } from './description.js';

/** Null for an instance that knows no webhooks: an old one, or one that leaves them out. */
function listed(instance: InstanceClient): Promise<{ readonly results: readonly WebhookAnswer[] } | null> {
  return orNull(instance.call('GET', '/webhooks'), 'not_found', 'route_not_found', '');
}

/** Creates the webhooks, except the one of the source's command line, and without headers that it does not show. */
export async function moveWebhooks({ source, target, report }: InstanceMove): Promise<void> {
  const from = await listed(source);
  if (from === null || from.results.length === 0) return;
  const there = await listed(target);
  if (there === null) return report.problem(`${from.results.length} webhooks: the target serves none`);
  const urls = new Set(there.results.map(({ url }) => url));
  let movedCount = 0;
  for (const { url, headers, isEditable } of from.results) {
    if (!isEditable) {
      report.problem(`the webhook ${url} of the source's command line: give it to the target with --task-webhook-url`);
      continue;
    }
    if (!urls.has(url)) {
      const hidden: string[] = [];
      // a repeated request would create a second webhook
      const call = { body: { url, headers: withoutMasked(headers, '', hidden) }, isOnce: true };
      const failure = await refusalOf(target.call('POST', '/webhooks', call));
      if (failure !== null) {
        report.problem(`the webhook ${url}: ${failure}`);
        continue;
      }
      if (hidden.length > 0)
        report.problem(
          `the webhook ${url}: the header ${hidden.join(', ')}, which the source does not tell: set it again`,
        );
    }
    movedCount += 1;
  }
  report.count('webhooks', movedCount, from.results.length);
}
