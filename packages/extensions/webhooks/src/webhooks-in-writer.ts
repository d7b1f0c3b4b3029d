import type { WriterHost, WriterPart } from '@fossick/runtime/extension';
import { WebhookSender } from './deliveries/webhook-sender.js';
import type { Webhook } from './webhook.js';
import { WebhookStore } from './webhook-store.js';

/** What the HTTP thread gives to this part. */
export interface ForWriter {
  /** The webhook of the command line. */
  readonly fixed: Webhook | null;
  /** Deliveries that were dropped because their receivers were too slow, counted on when another thread takes the place of this one. Shared memory. */
  readonly droppedCount: Int32Array;
}

/** The part in the writer thread: it posts the tasks of each batch when they are committed. */
export function openInWriter(host: WriterHost): WriterPart {
  const { given, values, policy, taskKinds, hiddenIndexUids, onFault } = host;
  const { fixed, droppedCount } = given as ForWriter;
  const store = new WebhookStore(values, fixed);
  const sender = new WebhookSender({
    policy,
    webhooks: () => store.all(),
    hiddenIndexUids,
    taskKinds,
    onFailure: onFault,
    onDropped: (count) => void Atomics.add(droppedCount, 0, count),
  });
  return {
    afterCommit: (tasks) => sender.send(tasks),
    close: () => sender.stop(),
  };
}
