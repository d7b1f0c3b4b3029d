import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type NetworkPolicy, OutboundClient, readBeginning, reasonOf, withTimeLimit } from '@fossick/outbound';
import { indexUidOf, type Task, type TaskKind, taskText } from '@fossick/tasks';
import type { Webhook } from '../webhook.js';
import { DeliveryQueue } from './delivery-queue.js';

const compress = promisify(gzip);
const TIMEOUT_MS = 30_000;
/** The rest of a longer answer is not read. */
const ANSWER_BYTES_MAX = 1 << 16;
/** How long a stopping server waits for running deliveries, in milliseconds. */
const STOP_MS = 2_000;

export interface WebhookSenderOptions {
  readonly policy: NetworkPolicy;
  readonly webhooks: () => readonly Webhook[];
  /** Indexes whose tasks are not told: receivers have no key that would show them. */
  readonly hiddenIndexUids?: readonly string[];
  /** Kinds of tasks of extensions. */
  readonly taskKinds?: readonly TaskKind[];
  /** Called with one sentence for every failed delivery, and for those that were dropped. */
  readonly onFailure: (message: string) => void;
  /** Called with the number of deliveries that were dropped since the last call. */
  readonly onDropped?: (count: number) => void;
  /** How long `stop` waits for deliveries, in milliseconds; default: STOP_MS. */
  readonly stopMs?: number;
}

/**
 * Posts the tasks of finished batches to every webhook, once, without delaying the scheduler. Receivers that are slower
 * than tasks finish lose the oldest deliveries (DeliveryQueue).
 */
export class WebhookSender {
  private readonly options: WebhookSenderOptions;
  private readonly client: OutboundClient;
  private readonly queue: DeliveryQueue;
  /** Resolves when everything given to `send` is in the queue. */
  private queued: Promise<void> = Promise.resolve();
  private readonly abort = new AbortController();

  constructor(options: WebhookSenderOptions) {
    this.options = options;
    this.client = new OutboundClient({ policy: options.policy });
    this.queue = new DeliveryQueue({
      post: (webhook, body) => this.post(webhook, body),
      onFailure: ({ uuid }, error) => {
        options.onFailure(`the webhook ${uuid} could not be told of finished tasks: ${reasonOf(error)}`);
      },
      onDropped: ({ uuid }, count) => {
        options.onDropped?.(count);
        options.onFailure(`the webhook ${uuid} is too slow: its ${count} oldest waiting deliveries were dropped`);
      },
    });
  }

  /** Queues the deliveries of one batch and returns at once. */
  send(tasks: readonly Task[]): void {
    const webhooks = this.options.webhooks();
    const hidden: readonly (string | null)[] = this.options.hiddenIndexUids ?? [];
    const told = tasks.filter(({ content }) => !hidden.includes(indexUidOf(content)));
    if (webhooks.length === 0 || told.length === 0) return;
    const compressed = compress(told.map((task) => `${taskText(task, this.options.taskKinds ?? [])}\n`).join(''));
    this.queued = this.queued.then(async () => this.queue.push(webhooks, await compressed));
  }
  /** Waits a short while for deliveries in flight and in the queue, then gives them up. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => {
      this.abort.abort();
      this.queue.clear();
    }, this.options.stopMs ?? STOP_MS);
    await this.queued;
    await this.queue.idle();
    clearTimeout(timer);
    await this.client.close();
  }

  private async post({ url, headers }: Webhook, body: Buffer): Promise<void> {
    await withTimeLimit(TIMEOUT_MS, [this.abort.signal], async (signal) => {
      const answer = await this.client.request({
        method: 'POST',
        url: new URL(url),
        headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip', ...headers },
        body,
        signal,
      });
      // only the status matters; but an answer that breaks off is none
      await readBeginning(answer.body, ANSWER_BYTES_MAX);
      if (answer.status >= 300) throw new Error(`it answered ${answer.status}`);
    });
  }
}
